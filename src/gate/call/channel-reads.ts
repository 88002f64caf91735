import { Echoes } from "../../domain/answer/echoes.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import {
  type ChannelId,
  compareIds,
  type GuildId,
  idTime,
  type MessageId,
  toFirstId,
  type UserId,
} from "../../domain/ids.ts";
import { type Message, withoutTarget } from "../../domain/message.ts";
import type { MentionNames } from "../../domain/text/replace-mentions.ts";
import type { TimeSpan } from "../../domain/time/time-words.ts";
import type { Limits } from "../../policy/limits.ts";
import type { Spending } from "../../policy/spending.ts";
import type { Discord, HistoryPage, Reaction } from "../../ports/discord.ts";
import type { Search } from "../../ports/search.ts";
import type { Read, ReadOptions, Timelines } from "../../ports/timelines.ts";
import type { Summariser } from "../../summary/summariser.ts";
import type { Bounds, ChannelView, ViewSummary } from "../../tools/view.ts";
import type { Access } from "./access.ts";
import type { OperationIds } from "./audit-rows.ts";
import type { CallRecord } from "./call-record.ts";
import { readWanted } from "./fresh-reads.ts";
import type { ToolCall } from "./tool-call.ts";

export interface ChannelReadsDeps {
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly search: Search;
  readonly summariser: Summariser;
  readonly limits: Limits;
  /** Absent if model calls are not counted. */
  readonly spending?: Pick<Spending, "of">;
  isLeftOut(authorId: UserId): boolean;
}

export interface ReadParts {
  readonly access: Access;
  readonly record: CallRecord;
}

interface ReadCall extends ReadParts {
  readonly call: Pick<ToolCall, "operation" | "signal" | "onProgress">;
  ids(): Pick<OperationIds, "displayNames">;
  names(guildId: GuildId | null): MentionNames;
}

interface DecidedChannel {
  readonly channel: Channel;
  readonly decisionId: string;
}

const SUMMARY_TOKENS = 1_500;

/** The result for a message that may not be returned, and its surroundings. */
const NOTHING: Read = {
  messages: [],
  coverage: { scanned: 0, from: null, to: null, complete: false },
  has_more: false,
  cursor: null,
};

/** The reads of one channel within one call. When messages arrive, access is decided again; only then are they recorded. */
export class ChannelReads implements ChannelView {
  readonly #id: ChannelId;
  readonly #decided: DecidedChannel;
  readonly #parts: ReadCall;
  readonly #deps: ChannelReadsDeps;

  constructor(decided: DecidedChannel, parts: ReadCall, deps: ChannelReadsDeps) {
    this.#id = decided.channel.id;
    this.#decided = decided;
    this.#parts = parts;
    this.#deps = deps;
  }

  get channel(): Channel {
    const { channel, decisionId } = this.#decided;
    this.#parts.record.named(channel, decisionId);
    return channel;
  }

  recent(bounds: Bounds): Promise<Read> {
    return this.#hearAll(this.#deps.timelines.recent(this.#id, this.#within(bounds)), bounds);
  }

  before(messageId: MessageId, bounds: Bounds): Promise<Read> {
    return this.#hearAll(this.#deps.timelines.before(this.#id, messageId, this.#within(bounds)), bounds);
  }

  after(messageId: MessageId, bounds: Bounds): Promise<Read> {
    const { timelines } = this.#deps;
    return this.#hearAll(timelines.after(this.#id, this.#liveStart(messageId), this.#within(bounds)), bounds);
  }

  async around(messageId: MessageId, bounds: Bounds): Promise<Read> {
    if (!this.#mayHandOut(messageId)) return NOTHING;
    if (this.#isOldRequest(messageId)) return alone(await this.message(messageId));
    return this.#hearAll(this.#deps.timelines.around(this.#id, messageId, this.#within(bounds)), bounds);
  }

  search(query: string, bounds: Bounds & { readonly before?: MessageId }): Promise<Read> {
    return this.#hearAll(this.#deps.search.contains(this.#id, query, this.#within(bounds)), bounds);
  }

  range(span: TimeSpan, bounds: Bounds): Promise<Read> {
    return this.#hearAll(this.#deps.timelines.range(this.#id, span, this.#within(bounds)), bounds);
  }

  async message(messageId: MessageId): Promise<Message | undefined> {
    const { timelines } = this.#deps;
    const found = this.#mayHandOut(messageId) ? await timelines.message(this.#id, messageId, this.#signal) : undefined;
    const isWanted = found && this.#mayHandOut(messageId) && !this.#deps.isLeftOut(found.author.id);
    this.#noteRead(isWanted ? [found] : []);
    if (!isWanted) return undefined;
    return this.#parts.access.liveSince(this.#id) === null ? found : withoutTarget(found);
  }

  async reactions(messageId: MessageId): Promise<readonly Reaction[]> {
    this.#mustHandOut(messageId);
    const reactions = await this.#deps.discord.reactions(this.#id, messageId, this.#signal);
    this.#mustHandOut(messageId);
    this.#noteRead([]);
    return reactions;
  }

  async fresh(page: HistoryPage): Promise<Read> {
    if (page.around && this.#isOldRequest(page.around)) return alone(await this.message(page.around));
    return this.#hearAll(this.#readFresh(page));
  }

  async lastOwn(): Promise<Message | null> {
    const { actor, origin } = this.#parts.call.operation;
    const isMine = ({ author, message_id }: Message) => author.id === actor && message_id !== origin.messageId;
    const { messages } = await this.recent({ limit: 100 });
    return messages.find(isMine) ?? (await this.#searchOwn(actor)).find(isMine) ?? null;
  }

  /** By Discord's own search; nothing if that is unavailable. */
  async #searchOwn(actor: UserId): Promise<readonly Message[]> {
    const { discord, isLeftOut } = this.#deps;
    const { access } = this.#parts;
    const { guildId } = this.#decided.channel;
    if (guildId === null || isLeftOut(actor) || !access.mayReadBack(this.#id)) return [];
    const request = { channelIds: [this.#id], authorIds: [actor], limit: 2 };
    const answer = await discord.search(guildId, request, this.#signal).catch((error: unknown) => {
      if (!(error instanceof EarshotError) || error.code === "cancelled") throw error;
      return null;
    });
    const messages = answer?.state === "ready" && access.mayReadBack(this.#id) ? answer.messages : [];
    this.#noteRead(messages);
    return messages;
  }

  /** Counts against the actor's limit of summaries. */
  async summarise(messages: readonly Message[], focus: string | undefined): Promise<ViewSummary> {
    if (messages.length === 0) return { by: "extract", points: [] };
    const { limits, spending, summariser } = this.#deps;
    const { access, call, ids, names } = this.#parts;
    const { operation, signal } = call;
    limits.take("summaries", operation.actor, 1);
    const { bullets, by } = await summariser.summarise({
      channelId: this.#id,
      messages,
      names: names(this.#decided.channel.guildId),
      displayNames: ids().displayNames,
      maxTokens: SUMMARY_TOKENS,
      ...(focus && { focus }),
      ...(spending && { spending: spending.of(operation) }),
      ...(signal && { signal }),
    });
    // Creating it may take a while.
    access.mustRead(this.#id);
    const known = new Map(messages.map((message) => [message.message_id, message]));
    const points = bullets.map(({ text, cites }) => ({ text, cites: cites.flatMap((id) => known.get(id) ?? []) }));
    return { by, points };
  }

  get #signal(): AbortSignal | undefined {
    return this.#parts.call.signal;
  }

  #within<Limits extends Bounds>(bounds: Limits): Limits & ReadOptions {
    const { access, call } = this.#parts;
    const { signal, onProgress } = call;
    const { isLeftOut } = this.#deps;
    const tell: ReadOptions["onProgress"] = (progress) => {
      if (access.mayReadBack(this.#id)) onProgress?.(progress);
    };
    const more = { isLeftOut, ...(signal && { signal }), ...(onProgress && { onProgress: tell }) };
    // If history may not be returned, it must not decide which messages are echoes either.
    return access.liveSince(this.#id) === null ? { ...bounds, ...more } : { ...bounds, ...more, withoutEchoes: false };
  }

  async #hearAll(read: Promise<Read>, { withoutEchoes = false }: Partial<Bounds> = {}): Promise<Read> {
    const { access, record } = this.#parts;
    const whole = await read;
    const since = access.liveSince(this.#id);
    // An older request is left out: whether it fits into the limit would reveal the number of later messages.
    const live = since === null ? whole : keepSome(whole, (one) => idTime(one) >= since);
    const result = since !== null && withoutEchoes ? dropEchoes(live, this.#deps.discord.botId) : live;
    // Other messages that were read are not charged, because a limit that is reached earlier would reveal their number.
    record.scanned += result.coverage.scanned;
    this.#noteRead(result.messages);
    return result;
  }

  #noteRead(messages: readonly Message[]): void {
    const { access, record } = this.#parts;
    const { channel, decisionId } = access.mustRead(this.#id);
    record.read(channel, messages, decisionId);
  }

  #mayHandOut(messageId: MessageId): boolean {
    return this.#parts.access.mayHandOut(this.#id, messageId);
  }

  #mustHandOut(messageId: MessageId): void {
    if (!this.#mayHandOut(messageId)) throw this.#parts.access.absent("Message not found");
  }

  /** The start of a forward read. The number of messages before the live ones must not be noticeable. */
  #liveStart(messageId: MessageId): MessageId {
    const since = this.#parts.access.liveSince(this.#id);
    const start = since === null ? messageId : toFirstId<MessageId>(since - 1);
    return compareIds(start, messageId) > 0 ? start : messageId;
  }

  /** The request, if it may be returned but its surroundings may not. */
  #isOldRequest(messageId: MessageId): boolean {
    const since = this.#parts.access.liveSince(this.#id);
    return since !== null && idTime(messageId) < since;
  }

  /** Reads as if people who opted out had written nothing: fetches more pages to fill the gaps. */
  async #readFresh(page: HistoryPage): Promise<Read> {
    const { discord, isLeftOut } = this.#deps;
    const { around, after } = page;
    if (around !== undefined && !this.#mayHandOut(around)) return NOTHING;
    const start = after === undefined ? page : { ...page, after: this.#liveStart(after) };
    const { messages, isFull } = await readWanted(start, {
      fetch: (next) => discord.history(this.#id, next, this.#signal),
      isWanted: ({ author }) => !isLeftOut(author.id),
    });
    const coverage = {
      scanned: messages.length,
      from: messages.at(-1)?.ts ?? null,
      to: messages[0]?.ts ?? null,
      complete: !isFull,
    };
    return { messages, coverage, has_more: isFull, cursor: null };
  }
}

/** Removes messages that may not be returned, without revealing their number or existence. */
function keepSome(read: Read, mayHandOut: (id: MessageId) => boolean): Read {
  const messages = read.messages.filter(({ message_id }) => mayHandOut(message_id)).map(withoutTarget);
  const [from, to] = [messages.at(-1)?.ts ?? null, messages[0]?.ts ?? null];
  return { ...NOTHING, messages, coverage: { scanned: messages.length, from, to, complete: false } };
}

function dropEchoes(read: Read, botId: UserId): Read {
  const echoes = Echoes.among(read.messages, botId);
  return keepSome(read, (id) => !echoes.has(BigInt(id)));
}

function alone(message: Message | undefined): Read {
  const messages = message ? [message] : [];
  const ts = message?.ts ?? null;
  return { ...NOTHING, messages, coverage: { scanned: messages.length, from: ts, to: ts, complete: false } };
}
