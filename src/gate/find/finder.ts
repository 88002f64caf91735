import { EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import { type Channel, hasArchive, isPostList } from "../../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, type UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { lineageOf } from "../../domain/permissions.ts";
import { type ParsedQuery, parseQuery, type Query, toQuery } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import type { OpenPace } from "../../domain/steps/pace.ts";
import type { TimeSpan } from "../../domain/time/time-span.ts";
import { OTHERS_SCOPE } from "../../policy/grant.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Here, Search } from "../../ports/search.ts";
import type { Progress, Timelines } from "../../ports/timelines.ts";
import type { TypedSearch, ViewSearchResult } from "../../tools/view.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { findHistory } from "./find-history.ts";
import { learnPrivateThreads, MAX_THREADS_LEARNED, threadsIn } from "./learn-private-threads.ts";
import { NameFinder, type NameFinderDeps } from "./name-finder.ts";
import { TypedTimes, type TypedTimesDeps } from "./typed-times.ts";

export interface FinderDeps extends NameFinderDeps, TypedTimesDeps {
  readonly discord: Discord;
  readonly search: Search;
  readonly timelines: Pick<Timelines, "listArchives">;
  readonly openPace: OpenPace;
  isLeftOut(authorId: UserId): boolean;
}

/** Finds channels, people, times and messages within the operation's access only. */
export class Finder {
  readonly #call: ToolCall;
  readonly #operation: Operation;
  readonly #parts: ReadParts;
  readonly #deps: FinderDeps;
  #typedTimes: TypedTimes | null = null;

  constructor(call: ToolCall, parts: ReadParts, deps: FinderDeps) {
    this.#call = call;
    this.#operation = call.operation;
    this.#parts = parts;
    this.#deps = deps;
  }

  get names(): NameFinder {
    const among = { channels: () => this.channels(), guilds: () => this.guilds() };
    return new NameFinder(this.#operation, { ...this.#parts, ...among }, this.#deps);
  }

  /** Throws `invalid` for anything else than a time. */
  async time(words: string): Promise<TimeSpan> {
    const { guildId } = this.#parts.access.here;
    this.#typedTimes ??= new TypedTimes({ locale: this.#operation.locale, guildId }, this.#deps);
    return this.#typedTimes.read(words);
  }

  /** Notes for the actor on how this call's times were understood. */
  get timeNotes(): readonly string[] {
    return this.#typedTimes?.notes ?? [];
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

  #here(): Here {
    const { channelId } = this.#parts.access.here;
    const { directory } = this.#deps.discord;
    const lineage = (id: ChannelId) => {
      const channel = directory.channel(id);
      return channel ? lineageOf(channel, (one) => directory.channel(one)) : [];
    };
    const around = new Set(lineage(channelId));
    const { actor } = this.#operation;
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
    const during = parsed.during === null ? null : await this.time(parsed.during);
    const after = since ?? parsed.after;
    const before = until ?? parsed.before;
    return {
      since: after === null ? (during?.from ?? null) : (await this.time(after)).from,
      until: before === null ? (during?.to ?? null) : toEnd(await this.time(before), until !== undefined),
    };
  }

  /** The channels to search, whether these are all of the requested ones, and whether all of their archived threads are known. */
  async #places(
    parsed: ParsedQuery,
    { channel, heldOnly = false }: TypedSearch,
  ): Promise<{ places: ChannelId[]; isEverywhere: boolean; isListed: boolean }> {
    const { access } = this.#parts;
    const { directory } = this.#deps.discord;
    const named: ChannelId[] = [];
    for (const name of [...(channel === undefined ? [] : [channel]), ...parsed.in])
      named.push(await this.names.channel(name));
    const without: ChannelId[] = [];
    for (const name of parsed.not.in) without.push(await this.names.channel(name));
    // `channels` has just checked the channels that it lists; access to named ones may have been lost since.
    const isNamed = named.length > 0;
    const mayReadBack = (id: ChannelId) => (!isNamed || access.mayRead(id)) && access.liveSince(id) === null;
    const parents: ChannelId[] = [];
    for (const channel of isNamed ? named.flatMap((id) => directory.channel(id) ?? []) : this.channels())
      if (hasArchive(channel) && !without.includes(channel.id) && mayReadBack(channel.id)) parents.push(channel.id);
    const isListed = heldOnly ? parents.length === 0 : await this.#learnThreads(parents);
    const ids = new Set(named.flatMap((id) => this.#withPosts(id)));
    if (!isNamed) for (const { id } of this.channels()) ids.add(id);
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
    const posts = this.channels().filter(({ parentId }) => parentId === id);
    return [id, ...posts.map((post) => post.id)];
  }

  /** Everything that may be read here (in public without private threads), in search order. Call `learnGuilds` before. */
  channels(): Channel[] {
    const { directory } = this.#deps.discord;
    const { access } = this.#parts;
    const here = access.here.channelId;
    const origin = directory.channel(here);
    const known = origin?.guildId === null ? [origin] : [];
    for (const id of this.guilds()) known.push(...directory.channels(id));
    const { readers } = access;
    // The members of a private thread are known only after a private request: finding it in public would reveal that request.
    const isPassedOver = ({ id, kind }: Channel) =>
      kind === "category" || (kind === "private_thread" && !access.isPrivate && id !== here);
    const readable = known.filter((channel) => !isPassedOver(channel) && access.mayRead(channel.id, readers));
    // The order of the search must not depend on hidden channels.
    return readable.sort((a, b) => Number(b.id === here) - Number(a.id === here) || compareChannels(a, b));
  }

  /** Like `channels`, without channels that give access to live messages only. */
  async listToSearch(): Promise<Channel[]> {
    const { access } = this.#parts;
    await access.learnGuilds();
    const parents = this.channels().filter((channel) => hasArchive(channel) && access.liveSince(channel.id) === null);
    await this.#learnThreads(parents.map(({ id }) => id));
    return this.channels().filter(({ id }) => access.liveSince(id) === null);
  }

  /**
   * Loads the archived threads of these channels and the members of private ones: earlier requests must not decide what is known. Members
   * only if the readers are named people: see `channels`. False if some are left.
   */
  async #learnThreads(parents: readonly ChannelId[]): Promise<boolean> {
    const { actor } = this.#operation;
    const { directory } = this.#deps.discord;
    const listed = await this.#deps.timelines.listArchives(parents, this.#call.signal);
    const isListed = new Set(parents).isSubsetOf(listed);
    if (!this.#parts.access.isPrivate) return isListed;
    const threads = threadsIn(parents, directory);
    const isLearned = await learnPrivateThreads(threads, { actor, directory, maxLearned: MAX_THREADS_LEARNED });
    return isLearned && isListed;
  }

  guilds(): GuildId[] {
    const { directory } = this.#deps.discord;
    return directory.guilds().flatMap(({ id }) => (this.#parts.access.mayNameGuild(id) ? [id] : []));
  }

  /**
   * Channels in which messages of these people may be searched. One's own messages need fewer permissions than those of others, and each
   * server has its own rules.
   */
  #withAuthors(from: readonly UserId[], channelIds: readonly ChannelId[]): ChannelId[] {
    if (from.every((id) => id === this.#operation.actor)) return [...channelIds];
    const open = channelIds.filter((id) => this.#parts.access.mayUseOthers(id, true));
    const isGranted = this.#operation.client.grant.scopes.includes(OTHERS_SCOPE);
    if (isGranted && (open.length > 0 || channelIds.length === 0)) return open;
    throw new EarshotError("forbidden", "Only the messages of the person asking may be looked for here.");
  }

  async #people(names: readonly string[]): Promise<UserId[]> {
    const people: UserId[] = [];
    for (const name of names) people.push(await this.names.resolvePerson(name));
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

/** The search order of channels: by server, as Discord shows them, the newest threads first. */
function compareChannels(a: Channel, b: Channel): number {
  return (
    compareIds(a.guildId ?? a.id, b.guildId ?? b.id) ||
    remoteness(a) - remoteness(b) ||
    a.position - b.position ||
    (a.thread ? compareIds(b.id, a.id) : compareIds(a.id, b.id))
  );
}

/** Channels come before threads, of which there may be thousands, and active threads before archived ones. */
function remoteness({ thread }: Channel): number {
  return thread === null ? 0 : thread.archived ? 2 : 1;
}

const MAX_TITLED = 5;

/** The first posts whose title or tags have a word of the query. */
function pickTitledPosts(posts: readonly Channel[], query: string): ChannelId[] {
  const words = new Set(toQueryTerms(query));
  const isTitled = ({ name, tags }: Channel) => toQueryTerms([name, ...tags].join(" ")).some((word) => words.has(word));
  const titled = posts.filter(isTitled).slice(0, MAX_TITLED);
  return titled.map(({ id }) => id);
}
