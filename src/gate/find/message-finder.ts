import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import { type Channel, hasArchive, isPostList } from "../../domain/guild.ts";
import { type ChannelId, type MessageId, toId, type UserId } from "../../domain/ids.ts";
import type { Message, MessageRef } from "../../domain/message.ts";
import { lineageOf } from "../../domain/permissions.ts";
import { type ParsedQuery, parseQuery, type Query, toQuery } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import type { OpenPace } from "../../domain/steps/pace.ts";
import type { TimeSpan } from "../../domain/time/time-span.ts";
import { OTHERS_SCOPE } from "../../policy/grant.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Here, Search } from "../../ports/search.ts";
import type { Progress, Timelines } from "../../ports/timelines.ts";
import type { AttachmentRequest, ChannelsView, MessagesView, TypedSearch, ViewSearchResult } from "../../tools/view.ts";
import type { OperationIds } from "../call/audit-rows.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import { fetchAttachment } from "../call/fresh-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { findHistory } from "./find-history.ts";
import { findMessagePlace } from "./find-message-place.ts";
import type { Finder } from "./finder.ts";
import type { TypedTimes } from "./typed-times.ts";

interface MessageFinderParts extends ReadParts {
  ids(): OperationIds;
  finder(): Finder;
  times(): TypedTimes;
  channels(): Pick<ChannelsView, "open" | "idOf">;
}

export interface MessageFinderDeps {
  readonly discord: Discord;
  readonly search: Search;
  readonly timelines: Pick<Timelines, "holds">;
  readonly clock: Clock;
  readonly openPace: OpenPace;
  isLeftOut(authorId: UserId): boolean;
}

/** Finds messages within the operation's access only: by a search, or by an id, a handle or a link. */
export class MessageFinder implements MessagesView {
  readonly #call: ToolCall;
  readonly #parts: MessageFinderParts;
  readonly #deps: MessageFinderDeps;

  constructor(call: ToolCall, parts: MessageFinderParts, deps: MessageFinderDeps) {
    this.#call = call;
    this.#parts = parts;
    this.#deps = deps;
  }

  async addressOf(reference: string, place?: string): Promise<MessageRef> {
    const link = toAddress(reference);
    const messageId = link?.messageId ?? this.#parts.ids().messageOf(reference) ?? toId<MessageId>(reference);
    if (!messageId) throw this.#parts.access.absent("Message not found");
    if (place !== undefined) return { messageId, channelId: await this.#parts.channels().idOf(place) };
    return link ?? { messageId, channelId: await this.#placeOf(messageId) };
  }

  async locate(reference: string): ReturnType<MessagesView["locate"]> {
    const { messageId, channelId } = await this.addressOf(reference);
    try {
      return { messageId, channel: await this.#parts.channels().open(channelId) };
    } catch (error) {
      const isAbsent = error instanceof EarshotError && error.code === "not_found";
      throw isAbsent ? this.#parts.access.absent("Message not found") : error;
    }
  }

  attachment(request: AttachmentRequest): ReturnType<MessagesView["attachment"]> {
    const { signal } = this.#call;
    const open = (id: ChannelId) => this.#parts.channels().open(id);
    return fetchAttachment(request, { open, discord: this.#deps.discord, ...(signal && { signal }) });
  }

  async search(typed: TypedSearch): Promise<ViewSearchResult> {
    const { access, record } = this.#parts;
    await access.learnGuilds();
    const parsed = parseQuery(typed.query);
    const from = await this.#people([...(typed.from === undefined ? [] : [typed.from]), ...parsed.from]);
    const query = toQuery(parsed, {
      ...(await this.#times(parsed, typed)),
      from,
      notFrom: await this.#people(parsed.not.from),
      mentions: await this.#people(parsed.mentions),
      notMentions: await this.#people(parsed.not.mentions),
    });
    const { botId } = this.#deps.discord;
    const isAboutAgent = query.from.includes(botId) || query.mentions.includes(botId);
    const { places, isEverywhere, isListed } = await this.#places(parsed, typed);
    const channelIds = this.#titledFirst(this.#withAuthors(from, places), query.text);
    record.searched(channelIds);
    const { signal, onProgress, operation } = this.#call;
    const { messageId } = operation.origin;
    // Progress counts the messages of all searched channels together: reporting stops once one of them may no longer be read.
    const tell = (progress: Progress) => {
      const { readers } = access;
      if (channelIds.every((id) => access.mayReadBack(id, readers))) onProgress?.(progress);
    };
    const request = {
      channelIds,
      query,
      limit: typed.limit,
      ...(typed.everything && { everything: true }),
      scan: typed.heldOnly ? 0 : typed.scan,
      heldOnly: typed.heldOnly ?? false,
      withEchoes: typed.includeOwn === true || isAboutAgent,
      isWanted: ({ author, channel_id }: Message) =>
        !this.#deps.isLeftOut(author.id) &&
        (typed.includeBots || !author.bot) &&
        (author.id === operation.actor || access.mayUseOthers(channel_id, false)),
      onlyBy: (id: ChannelId) => (access.mayUseOthers(id, false) ? null : operation.actor),
      ...(access.hasHere && { here: this.#here() }),
      ...(messageId && { except: [messageId] }),
      ...(typed.cursor === undefined ? {} : { cursor: typed.cursor }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress: tell }),
    };
    const { search, clock, openPace } = this.#deps;
    const pace = openPace(() => throwIfCancelled(signal));
    const { hits, counted, ...result } = isPeriod(query, typed)
      ? await findHistory(request, { search, now: clock.now(), pace })
      : await search.find(request);
    record.scanned += counted;
    const told = hits.map((hit) => {
      const { channel, decisionId } = access.mustRead(hit.message.channel_id);
      record.read(channel, [hit.message, ...hit.around, ...(hit.question ? [hit.question] : [])], decisionId);
      return { ...hit, channel };
    });
    const isAllKnown = result.coverage.complete && isEverywhere;
    return {
      ...result,
      coverage: { ...result.coverage, complete: isAllKnown && isListed },
      // An archive that was not listed may contain newer messages.
      everything_since: isEverywhere && isListed ? result.everything_since : null,
      older: isAllKnown && !isListed ? "not_listed" : result.older,
      hits: told,
    };
  }

  /** The channel of a message known only by id; the channel of the request if it is not found. */
  async #placeOf(messageId: MessageId): Promise<ChannelId> {
    const { access, record, ids, finder, channels } = this.#parts;
    const { timelines } = this.#deps;
    const here = access.here.channelId;
    const known = ids().channelOf(messageId) ?? (timelines.holds(here, messageId) ? here : undefined);
    if (known !== undefined) return known;
    const listed = await finder().listToSearch();
    record.searched(listed.map(({ id }) => id));
    const found = await findMessagePlace(messageId, listed, { ...this.#deps, signal: this.#call.signal });
    if (found === undefined && !(await (await channels().open(here)).message(messageId)))
      throw new EarshotError(
        "unavailable",
        "The message is not among those that are held, and Discord's search does not answer; give a link to it, or try again later.",
      );
    return found ?? here;
  }

  #here(): Here {
    const { channelId } = this.#parts.access.here;
    const { directory } = this.#deps.discord;
    const lineage = (id: ChannelId) => {
      const channel = directory.channel(id);
      return channel ? lineageOf(channel, (one) => directory.channel(one)) : [];
    };
    const around = new Set(lineage(channelId));
    const { actor } = this.#call.operation;
    return {
      channelId,
      isNear: (id) => lineage(id).some((one) => around.has(one)),
      actor: this.#deps.isLeftOut(actor) ? null : actor,
    };
  }

  async #times(
    parsed: ParsedQuery,
    { since, until }: TypedSearch,
  ): Promise<{ since: number | null; until: number | null }> {
    const during = parsed.during === null ? null : await this.#parts.times().read(parsed.during);
    const after = since ?? parsed.after;
    const before = until ?? parsed.before;
    return {
      since: after === null ? (during?.from ?? null) : (await this.#parts.times().read(after)).from,
      until:
        before === null ? (during?.to ?? null) : toEnd(await this.#parts.times().read(before), until !== undefined),
    };
  }

  /** The channels to search, whether these are all of the requested ones, and whether all of their archived threads are known. */
  async #places(
    parsed: ParsedQuery,
    { channel, heldOnly = false }: TypedSearch,
  ): Promise<{ places: ChannelId[]; isEverywhere: boolean; isListed: boolean }> {
    const { access } = this.#parts;
    const finder = this.#parts.finder();
    const { directory } = this.#deps.discord;
    const named: ChannelId[] = [];
    for (const name of [...(channel === undefined ? [] : [channel]), ...parsed.in])
      named.push(await finder.names.channel(name));
    const without: ChannelId[] = [];
    for (const name of parsed.not.in) without.push(await finder.names.channel(name));
    // `channels` has just checked the channels that it lists; access to named ones may have been lost since.
    const isNamed = named.length > 0;
    const mayReadBack = (id: ChannelId) => (!isNamed || access.mayRead(id)) && access.liveSince(id) === null;
    const parents: ChannelId[] = [];
    for (const channel of isNamed ? named.flatMap((id) => directory.channel(id) ?? []) : finder.channels())
      if (hasArchive(channel) && !without.includes(channel.id) && mayReadBack(channel.id)) parents.push(channel.id);
    const isListed = heldOnly ? parents.length === 0 : await finder.learnThreads(parents);
    const ids = new Set(named.flatMap((id) => this.#withPosts(id)));
    if (!isNamed) for (const { id } of finder.channels()) ids.add(id);
    for (const id of without.flatMap((one) => this.#withPosts(one))) ids.delete(id);
    // Ranking and paging depend on the whole history, so a channel with access to live messages only is not searched.
    let isEverywhere = true;
    const places: ChannelId[] = [];
    for (const id of ids) {
      if (!mayReadBack(id)) isEverywhere = false;
      else if (heldOnly && isLearned(directory.channel(id))) isEverywhere = false;
      else if (!isPostList(directory.channel(id))) places.push(id);
    }
    return { places, isEverywhere, isListed };
  }

  /** Posts whose title or tags match the query come before other threads, so that enough of the scan is left for them. */
  #titledFirst(ids: readonly ChannelId[], text: string): ChannelId[] {
    const { directory } = this.#deps.discord;
    const posts: Channel[] = [];
    for (const id of ids.slice(1)) {
      const channel = directory.channel(id);
      if (channel?.thread && channel.parentId && isPostList(directory.channel(channel.parentId))) posts.push(channel);
    }
    if (posts.length === 0) return [...ids];
    return [...new Set([...ids.slice(0, 1), ...pickTitledPosts(posts, text), ...ids])];
  }

  /** A forum stands for its posts. */
  #withPosts(id: ChannelId): ChannelId[] {
    if (!isPostList(this.#deps.discord.directory.channel(id))) return [id];
    const posts = this.#parts
      .finder()
      .channels()
      .filter(({ parentId }) => parentId === id);
    return [id, ...posts.map((post) => post.id)];
  }

  /**
   * Channels in which messages of these people may be searched. One's own messages need fewer permissions than those of others, and each
   * server has its own rules.
   */
  #withAuthors(from: readonly UserId[], channelIds: readonly ChannelId[]): ChannelId[] {
    if (from.every((id) => id === this.#call.operation.actor)) return [...channelIds];
    const open = channelIds.filter((id) => this.#parts.access.mayUseOthers(id, true));
    const isGranted = this.#call.operation.client.grant.scopes.includes(OTHERS_SCOPE);
    if (isGranted && (open.length > 0 || channelIds.length === 0)) return open;
    throw new EarshotError("forbidden", "Only the messages of the person asking may be looked for here.");
  }

  async #people(names: readonly string[]): Promise<UserId[]> {
    const people: UserId[] = [];
    for (const name of names) people.push(await this.#parts.finder().names.resolvePerson(name));
    return people;
  }
}

/** The query is only a time. */
function isPeriod(
  { since, until, text, phrases, from, mentions, has }: Query,
  { cursor, byDay }: TypedSearch,
): boolean {
  const isNarrowed = [text, phrases, from, mentions, has].some(({ length }) => length > 0);
  return byDay === true && cursor === undefined && !isNarrowed && (since !== null || until !== null);
}

/** "until yesterday" includes it; Discord's `before:` does not. */
function toEnd({ from, to }: TimeSpan, isIncluded: boolean): number {
  return isIncluded ? to : from - 1;
}

/** Known only because of an earlier request. */
function isLearned(channel: Channel | undefined): boolean {
  return channel?.thread?.archived === true || channel?.kind === "private_thread";
}

const MAX_TITLED = 5;

/** The first posts whose title or tags have a word of the query. */
function pickTitledPosts(posts: readonly Channel[], query: string): ChannelId[] {
  const words = new Set(toQueryTerms(query));
  const isTitled = ({ name, tags }: Channel) => toQueryTerms([name, ...tags].join(" ")).some((word) => words.has(word));
  const titled = posts.filter(isTitled).slice(0, MAX_TITLED);
  return titled.map(({ id }) => id);
}

/** …/channels/{server}/{channel}/{message}, anywhere in the text. */
function toAddress(link: string): MessageRef | null {
  const [, channel, message] = /\/channels\/(?:@me|\d+)\/(\d+)\/(\d+)/.exec(link) ?? [];
  const [channelId, messageId] = [toId<ChannelId>(channel), toId<MessageId>(message)];
  return channelId && messageId ? { channelId, messageId } : null;
}
