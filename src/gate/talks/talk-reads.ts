import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Episodes } from "../../memory/episodes.ts";
import type { Discord } from "../../ports/discord.ts";
import type { BotRecall, KnownBot, RecallRequest } from "../../tools/bot-recall.ts";
import type { TalksView } from "../../tools/view.ts";
import { KnownBots } from "./known-bots.ts";
import type { TalkCall } from "./talk-call.ts";
import { type Exchange, findInTalks, TalkSearch, type TalkSearchDeps } from "./talk-search.ts";

export interface TalkReadsDeps extends Omit<TalkSearchDeps, "botId"> {
  readonly discord: Pick<Discord, "directory" | "botId">;
  /** Null if talks are not kept. */
  readonly episodes: Pick<Episodes, "channelsWith" | "lines"> | null;
  /** Bots in the operator's setting `agent.bots`. */
  readonly bots: readonly KnownBot[];
}

/** Maximum recorded lines examined, the newest first. */
const MAX_LINES = 1_000;
/** Maximum messages searched to find bots that have left. */
const MAX_HITS = 100;
const ANY = /^(any|all|any bots?|all bots|other bots|bots)$/i;

/**
 * The agent's recall of talks, within one call. Only talks in channels that this call may read are looked up, and their text is read like
 * any other: a hidden talk leaves no trace in the answer.
 */
export class TalkReads implements TalksView {
  readonly #call: TalkCall;
  readonly #deps: TalkReadsDeps;

  constructor(call: TalkCall, deps: TalkReadsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async recall({ bot: name, topic, limit }: RecallRequest): Promise<BotRecall> {
    if (!this.#deps.episodes) return { kind: "off" };
    const { directory, botId } = this.#deps.discord;
    const { access } = this.#call;
    await access.learnGuilds();
    const bots = new KnownBots(this.#call, { ...this.#deps, directory, botId });
    const there = await bots.list();
    const named = await bots.resolve(name, there);
    // A bot that has left is recognised by its messages to the agent.
    const left = named.kind === "none" ? await this.#botsThatLeft(there) : [];
    const known = [...there, ...left];
    const found = left.length === 0 ? named : await bots.resolve(name, known);
    const isAny = found.kind === "none" && ANY.test(name.trim());
    if (found.kind === "several") return { kind: "several_bots", candidates: found.candidates };
    if (found.kind === "none" && !isAny) {
      // The bot may be in a server that cannot be reached, so it is not unknown.
      if (access.isCutOff) throw access.absent();
      return known.length === 0 ? { kind: "no_bots" } : { kind: "unknown_bot", known, isPerson: found.isPerson };
    }
    if (isAny && known.length === 0 && !access.isCutOff) return { kind: "no_bots" };
    const wanted = found.kind === "one" ? [found.bot] : known;
    const recalled = await this.#recall(wanted, { topic, limit });
    return { kind: "recalled", bot: found.kind === "one" ? found.bot : null, ...recalled };
  }

  async own(words: string, limit: number): Promise<readonly Message[]> {
    const { actor, origin } = this.#call.operation;
    const { botId } = this.#deps.discord;
    const { channelIds } = await this.#placesWith([actor]);
    const elsewhere = channelIds.filter((id) => id !== origin.channelId);
    const lines = (await this.#deps.episodes?.lines({ partnerIds: [actor], channelIds: elsewhere }, MAX_LINES)) ?? [];
    if (lines.length === 0) return [];
    const ids = new Set(lines.map(({ messageId }) => messageId));
    const times = lines.map(({ sentAt }) => sentAt);
    const { hits } = await findInTalks(
      {
        channelIds: [...new Set(lines.map(({ channelId }) => channelId))],
        ...{ words, limit, from: [actor, botId], since: Math.min(...times), until: Math.max(...times) },
        isWanted: ({ message_id }) => ids.has(message_id),
      },
      this.#call,
      this.#deps,
    );
    return hits.flatMap(({ message }) => (this.#tell(message) ? [message] : []));
  }

  /** Bots outside the readers' servers that wrote to the agent in channels that the readers can read. */
  async #botsThatLeft(known: readonly KnownBot[]): Promise<KnownBot[]> {
    const { access } = this.#call;
    const { botId } = this.#deps.discord;
    const others = new Set([botId, ...known.map(({ id }) => id)]);
    const channelIds = (await this.#call.channels()).map(({ id }) => id).filter((id) => access.mayUseOthers(id, true));
    if (channelIds.length === 0) return [];
    const isWanted = ({ author }: Message) => author.bot && !others.has(author.id);
    const request = { channelIds, words: "", limit: MAX_HITS, mentions: [botId], isWanted };
    const { hits } = await findInTalks(request, this.#call, this.#deps);
    const names = Map.groupBy(hits, ({ message }) => message.author.id);
    return [...names].map(([id, said]) => ({
      id,
      names: [...new Set(said.map(({ message }) => message.author.name))],
    }));
  }

  async #recall(
    bots: readonly KnownBot[],
    { topic, limit }: Pick<RecallRequest, "topic" | "limit">,
  ): Promise<Pick<Extract<BotRecall, { kind: "recalled" }>, "exchanges" | "toOthers" | "isPartial">> {
    const { access } = this.#call;
    const { botId } = this.#deps.discord;
    const byId = new Map(bots.map((bot) => [bot.id, bot]));
    const partnerIds = [...byId.keys()];
    const placed = await this.#placesWith(partnerIds);
    const readable = (await this.#call.channels()).map(({ id }) => id);
    const channelIds = [...new Set([...readable, ...placed.channelIds])];
    const lines = (await this.#deps.episodes?.lines({ partnerIds, channelIds }, MAX_LINES)) ?? [];
    const partners = new Set(partnerIds);
    const search = new TalkSearch({ partners, channelIds, lines, topic, limit }, this.#call, { ...this.#deps, botId });
    if (channelIds.length > 0) await search.run();
    const exchanges = search.exchanges.slice(0, limit).flatMap((exchange) => this.#toExchange(exchange, byId));
    const toOthers = exchanges.length > 0 || topic === "" ? [] : this.#toOthers(search.toOthers, byId).slice(0, limit);
    const isEmpty = exchanges.length + toOthers.length === 0;
    if (isEmpty && access.isCutOff) throw access.absent();
    if (isEmpty && (search.isUnsure || placed.isUnsure)) throw unread();
    return { exchanges, toOthers, isPartial: search.isPartial };
  }

  /**
   * The channels of recorded talks with these bots, as far as they may be read here. An old thread must be looked up first. A failure of
   * that is reported only to the actor alone, and only for a thread in which they talked with the agent themselves: otherwise it would
   * disclose the thread.
   */
  async #placesWith(partnerIds: readonly UserId[]): Promise<{ channelIds: ChannelId[]; isUnsure: boolean }> {
    const { access, operation } = this.#call;
    const { episodes, discord } = this.#deps;
    const { actor } = operation;
    const channelIds: ChannelId[] = [];
    const unknown: ChannelId[] = [];
    for (const id of (await episodes?.channelsWith(partnerIds)) ?? []) {
      const isKnown = await discord.directory.learn(actor, id).then(
        () => discord.directory.channel(id) !== undefined,
        () => false,
      );
      if (access.mayReadBack(id)) channelIds.push(id);
      else if (!isKnown) unknown.push(id);
    }
    if (unknown.length === 0 || !access.isPrivate) return { channelIds, isUnsure: false };
    const own = new Set(await episodes?.channelsWith([actor]));
    return { channelIds, isUnsure: unknown.some((id) => own.has(id)) };
  }

  #toExchange({ partnerId, said, replied }: Exchange, bots: ReadonlyMap<UserId, KnownBot>) {
    const bot = bots.get(partnerId);
    const [told, answered] = [said && this.#tell(said), replied && this.#tell(replied)];
    return bot && (told || answered) ? [{ bot, said: told, replied: answered }] : [];
  }

  /** Naming an author needs a scope of its own. */
  #toOthers(messages: readonly Message[], bots: ReadonlyMap<UserId, KnownBot>) {
    return messages.flatMap((message) => {
      const bot = bots.get(message.author.id);
      if (!bot || !this.#call.access.mayUseOthers(message.channel_id, true)) return [];
      const said = this.#tell(message);
      return said ? [{ bot, said }] : [];
    });
  }

  /** Records the message as read; null if it may no longer be read. */
  #tell(message: Message): Message | null {
    const { access, record } = this.#call;
    if (!access.mayReadBack(message.channel_id)) return null;
    const { channel, decisionId } = access.mustRead(message.channel_id);
    record.read(channel, [message], decisionId);
    return message;
  }
}

function unread(): EarshotError {
  return new EarshotError("unavailable", "Not everything could be read on Discord just now; try again later.", {
    retryAfter: 30,
  });
}
