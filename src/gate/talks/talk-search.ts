import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { type Message, typedText } from "../../domain/message.ts";
import { parseQuery, type Resolved, toQuery } from "../../domain/search/query.ts";
import { shouldSkipContext } from "../../domain/window/isolation.ts";
import type { PlacedLine } from "../../ports/episode-store.ts";
import type { Search, SearchResult } from "../../ports/search.ts";
import type { Progress, Timelines } from "../../ports/timelines.ts";
import type { TalkCall } from "./talk-call.ts";

export interface TalkSearchDeps {
  readonly search: Pick<Search, "find">;
  readonly timelines: Pick<Timelines, "message" | "after">;
  readonly botId: UserId;
  isLeftOut(authorId: UserId): boolean;
}

/** The partners and channels of the talks to find. All channels may be read here. */
export interface TalkSearchRequest {
  readonly partners: ReadonlySet<UserId>;
  readonly channelIds: readonly ChannelId[];
  readonly lines: readonly PlacedLine[];
  /** All exchanges if empty. */
  readonly topic: string;
  /** The number of exchanges to find. */
  readonly limit: number;
}

/** A message of a partner to the agent, and the agent's reply. */
export interface Exchange {
  readonly partnerId: UserId;
  readonly said: Message | null;
  readonly replied: Message | null;
}

interface FindRequest extends Resolved {
  readonly channelIds: readonly ChannelId[];
  readonly words: string;
  readonly limit: number;
  isWanted(message: Message): boolean;
  readonly cursor?: string | null;
}

/** Maximum examined messages that the background reader has not cached. */
const SCAN = 2_000;
const PAGE = 100;
const MAX_PAGES = 3;
/** Maximum single messages read in addition to the search results. */
const MAX_LOOKUPS = 20;
/** Maximum number of messages between a message and the agent's reply. */
const REPLY_DISTANCE = 10;

/** One search among channels that the call may read, with the ordinary ranking. */
export async function findInTalks(
  { channelIds, words, limit, isWanted, cursor = null, ...people }: FindRequest,
  { operation, access, record, signal, onProgress }: TalkCall,
  { search, isLeftOut }: Pick<TalkSearchDeps, "search" | "isLeftOut">,
): Promise<SearchResult> {
  const { messageId } = operation.origin;
  record.searched(channelIds);
  const tell = (progress: Progress) => {
    if (channelIds.every((id) => access.mayReadBack(id))) onProgress?.(progress);
  };
  const result = await search.find({
    channelIds,
    // Removes quotes and operators, which have no meaning here.
    query: toQuery(parseQuery(words.replace(/[":]/g, " ").replace(/(^|\s)-+/g, "$1")), people),
    limit,
    scan: SCAN,
    withEchoes: true,
    isWanted: (message) => !isLeftOut(message.author.id) && isWanted(message),
    onlyBy: (id) => (access.mayUseOthers(id, false) ? null : operation.actor),
    ...(messageId && { except: [messageId] }),
    ...(cursor !== null && { cursor }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress: tell }),
  });
  record.scanned += result.counted;
  return result;
}

/** Searches messages of bots to the agent, first in the cache, then in older history. The addressee follows from replies and mentions. */
export class TalkSearch {
  readonly #request: TalkSearchRequest;
  readonly #call: TalkCall;
  readonly #deps: TalkSearchDeps;
  readonly #lines: ReadonlyMap<MessageId, PlacedLine>;
  readonly #messages = new Map<MessageId, Message>();
  /** The agent's replies, by the message they reply to. */
  readonly #replies = new Map<MessageId, Message>();
  readonly #exchanges = new Map<MessageId, Exchange>();
  readonly #toOthers = new Map<MessageId, Message>();
  #lookups = MAX_LOOKUPS;
  /** Some channels could not be read, or Discord's own search is not ready: an empty result proves nothing then. */
  isUnsure = false;
  /** Older history could not be searched. */
  isPartial = false;

  constructor(request: TalkSearchRequest, call: TalkCall, deps: TalkSearchDeps) {
    this.#request = request;
    this.#call = call;
    this.#deps = deps;
    this.#lines = new Map(request.lines.map((line) => [line.messageId, line]));
  }

  get exchanges(): readonly Exchange[] {
    return [...this.#exchanges.values()];
  }

  /** Messages of the partners to anyone but the agent. */
  get toOthers(): readonly Message[] {
    return [...this.#toOthers.values()];
  }

  async run(): Promise<void> {
    const { channelIds, partners, lines, topic } = this.#request;
    const from = [...partners, this.#deps.botId];
    let isComplete = false;
    for (let page = 0, cursor: string | null = null; page < MAX_PAGES && !this.#hasEnough; page += 1) {
      const result = await this.#look({ channelIds, from, cursor });
      isComplete = result.coverage.complete;
      cursor = result.cursor;
      if (cursor === null) break;
    }
    if (this.#hasEnough || isComplete) return;
    const times = lines.map(({ sentAt }) => sentAt);
    const placed = [...new Set(lines.map(({ channelId }) => channelId))];
    if (placed.length > 0)
      await this.#look({ channelIds: placed, from, since: Math.min(...times), until: Math.max(...times) });
    // With a topic, Discord's search was asked for its words before. Without one, the bots' latest messages may all have been to others.
    if (!this.#hasEnough && topic === "")
      await this.#look({ channelIds, from: [...partners], mentions: [this.#deps.botId] });
  }

  get #hasEnough(): boolean {
    return this.#exchanges.size >= this.#request.limit;
  }

  async #look(where: Omit<FindRequest, "words" | "limit" | "isWanted">): Promise<SearchResult> {
    const { partners, topic } = this.#request;
    const { botId } = this.#deps;
    const isWanted = ({ author }: Message) => author.id === botId || partners.has(author.id);
    const request = { ...where, words: topic, limit: PAGE, isWanted };
    const result = await findInTalks(request, this.#call, this.#deps);
    this.isUnsure ||= result.unreachable || result.older === "not_ready";
    this.isPartial ||= result.older === "unavailable";
    for (const { message, around } of result.hits) for (const one of [message, ...around]) this.#hear(one);
    for (const { message } of result.hits) await this.#sort(message);
    return result;
  }

  #hear(message: Message): void {
    this.#messages.set(message.message_id, message);
    const target = message.reply_to?.message_id;
    if (message.author.id === this.#deps.botId && target && !this.#replies.has(target))
      this.#replies.set(target, message);
  }

  async #sort(message: Message): Promise<void> {
    const { botId } = this.#deps;
    const target = await this.#targetOf(message);
    if (message.author.id === botId) {
      const line = this.#lines.get(message.message_id);
      const isToPartner = target && this.#request.partners.has(target.author.id);
      if (isToPartner) this.#add({ partnerId: target.author.id, said: target, replied: message });
      else if (line && !target) this.#add({ partnerId: line.partnerId, said: null, replied: message });
      return;
    }
    const isToAgent =
      this.#lines.has(message.message_id) ||
      target?.author.id === botId ||
      mentions(message, botId) ||
      this.#replies.has(message.message_id);
    if (isToAgent) this.#add({ partnerId: message.author.id, said: message, replied: await this.#replyTo(message) });
    else this.#toOthers.set(message.message_id, message);
  }

  #add(exchange: Exchange): void {
    const { said, replied } = exchange;
    const id = said?.message_id ?? replied?.message_id;
    // An isolated question must not be remembered.
    if (!id || this.#exchanges.has(id) || (said && shouldSkipContext(typedText(said)))) return;
    this.#exchanges.set(id, exchange);
  }

  /** The message that this one answers; null if it is gone or unavailable. */
  async #targetOf({ reply_to, channel_id }: Message): Promise<Message | null> {
    if (!reply_to || reply_to.state === "deleted") return null;
    const known = this.#messages.get(reply_to.message_id);
    if (known || this.#hasEnough || !this.#mayLookUp()) return known ?? null;
    const { signal } = this.#call;
    const found = await this.#deps.timelines.message(channel_id, reply_to.message_id, signal);
    return this.#accept(found);
  }

  async #replyTo({ message_id, channel_id }: Message): Promise<Message | null> {
    const known = this.#replies.get(message_id);
    if (known || this.#hasEnough || !this.#mayLookUp()) return known ?? null;
    const { signal } = this.#call;
    const { isLeftOut, timelines, botId } = this.#deps;
    const options = { limit: REPLY_DISTANCE, isLeftOut, ...(signal && { signal }) };
    const { messages } = await timelines.after(channel_id, message_id, options);
    for (const message of messages.toReversed()) if (message.author.id === botId) this.#hear(message);
    return this.#replies.get(message_id) ?? null;
  }

  #mayLookUp(): boolean {
    this.#lookups -= 1;
    return this.#lookups >= 0;
  }

  /** Leaves out people who opted out. */
  #accept(message: Message | undefined): Message | null {
    if (!message || this.#deps.isLeftOut(message.author.id)) return null;
    this.#hear(message);
    return message;
  }
}

function mentions(message: Message, userId: UserId): boolean {
  const typed = typedText(message);
  return typed.includes(`<@${userId}>`) || typed.includes(`<@!${userId}>`);
}
