import { EarshotError } from "../domain/errors.ts";
import { type Channel, hasArchive, isPostList } from "../domain/guild.ts";
import { type ChannelId, compareIds, type GuildId, toChannelId, type UserId } from "../domain/ids.ts";
import { type Named, type Resolution, resolveName } from "../domain/names/resolve-name.ts";
import { type ParsedQuery, parseQuery, toQuery } from "../domain/search/query.ts";
import { toQueryTerms } from "../domain/search/terms.ts";
import { quoteInput } from "../domain/text/escape.ts";
import type { TimeSpan } from "../domain/time/time-span.ts";
import { OTHERS_SCOPE } from "../policy/grant.ts";
import type { Operation } from "../policy/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Search } from "../ports/search.ts";
import type { Progress, Timelines } from "../ports/timelines.ts";
import type { TypedSearch, ViewSearchResult } from "../tools/view.ts";
import type { Access } from "./access.ts";
import type { CallRecord } from "./call-record.ts";
import type { ToolCall } from "./gate.ts";
import type { People } from "./people.ts";
import { severalMeant } from "./present.ts";
import { TypedTimes } from "./typed-times.ts";

export interface FinderDeps {
  readonly discord: Discord;
  readonly search: Search;
  readonly timelines: Pick<Timelines, "listArchives" | "holds">;
  isLeftOut(authorId: UserId): boolean;
  readonly clock: Clock;
  readonly people: People;
  /** IANA name of the time zone in which people's words for times are read. */
  readonly timeZone: string;
}

export interface FinderParts {
  readonly access: Access;
  readonly record: CallRecord;
}

const MAX_TITLED = 5;
/** Private threads about which one search asks who is in them. */
const MAX_LEARNED = 50;
const SELF = /^(me|i|myself)$/i;

/** Finds channels, people, times and messages among what the operation may draw on, and nothing else. */
export class Finder {
  readonly #call: ToolCall;
  readonly #operation: Operation;
  readonly #parts: FinderParts;
  readonly #deps: FinderDeps;
  /** Null until a time is read. */
  #typedTimes: TypedTimes | null = null;

  constructor(call: ToolCall, parts: FinderParts, deps: FinderDeps) {
    this.#call = call;
    this.#operation = call.operation;
    this.#parts = parts;
    this.#deps = deps;
  }

  /** A channel by name, mention or id, among those that may be read here. An id need not be known yet: an old thread's is not. */
  async channel(name: string): Promise<ChannelId> {
    const id = toChannelId(name);
    await this.#parts.access.learnGuilds();
    if (!id) return this.#channelCalled(name);
    await this.#parts.access.learn(id);
    if (!this.#parts.access.mayRead(id)) throw this.#parts.access.absent();
    return id;
  }

  /** What is in the archive counts only where nothing else is called that. */
  #channelCalled(name: string): ChannelId {
    const all = this.channels();
    const among = (channels: readonly Channel[]) =>
      resolveName(
        name,
        channels.map((channel) => ({ id: channel.id, names: [channel.name] })),
      );
    const active = among(all.filter(({ thread }) => !thread?.archived));
    const resolution = active.kind === "none" ? among(all) : active;
    return this.#only(resolution, { name, kind: "channel", sign: "#" }).id as ChannelId;
  }

  /** A server by name or id, among those that may be named here. Without either, the one of the request, or the only one there is. */
  async guild(name: string | undefined): Promise<GuildId> {
    const { guildId } = this.#parts.access.here;
    if (name === undefined && guildId !== null) return guildId;
    await this.#parts.access.learnGuilds();
    const { directory } = this.#deps.discord;
    const all = this.#guilds().map((id) => ({ id, names: [directory.guild(id)?.name ?? ""] }));
    const resolution = name === undefined ? toOnly(all) : resolveName(name, all);
    const { id, names } = this.#only(resolution, { name, kind: "server", sign: "" });
    this.#parts.record.namedGuild(id, names[0] ?? "");
    return id;
  }

  /** As `guild`; all that may be named where none is named and the request was made in none. */
  async guildsNamed(name: string | undefined): Promise<GuildId[]> {
    if (name !== undefined || this.#parts.access.here.guildId !== null) return [await this.guild(name)];
    await this.#parts.access.learnGuilds();
    return this.#guilds();
  }

  /** Throws `invalid` for what is no time. */
  async time(words: string): Promise<TimeSpan> {
    const { guildId } = this.#parts.access.here;
    this.#typedTimes ??= new TypedTimes({ locale: this.#operation.locale, guildId }, this.#deps);
    return this.#typedTimes.read(words);
  }

  /** For the person asking: how the times of this call were understood. */
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
    const { places, isListed } = await this.#places(parsed, typed);
    // Ranking and paging depend on the whole history, so a channel of which only live messages may be handed out is not searched.
    let isEverywhere = true;
    const withMessages: ChannelId[] = [];
    for (const id of places) {
      if (!access.mayReadBack(id)) isEverywhere = false;
      else if (!isPostList(this.#deps.discord.directory.channel(id))) withMessages.push(id);
    }
    const channelIds = this.#titledFirst(this.#withAuthors(from, withMessages), query.text);
    record.searched(channelIds);
    const { signal, onProgress, operation } = this.#call;
    const { messageId } = operation.origin;
    // Progress counts the messages of all searched channels together: it is no longer reported once one of them may no longer be read.
    const tell = (progress: Progress) => {
      if (channelIds.every((id) => access.mayReadBack(id))) onProgress?.(progress);
    };
    const { hits, counted, ...result } = await this.#deps.search.find({
      channelIds,
      query,
      limit: typed.limit,
      ...(typed.everything && { everything: true }),
      scan: typed.scan,
      isWanted: ({ author, channel_id }) =>
        !this.#deps.isLeftOut(author.id) &&
        (typed.includeBots || !author.bot) &&
        (author.id === operation.actor || access.mayUseOthers(channel_id, false)),
      onlyBy: (id) => (access.mayUseOthers(id, false) ? null : operation.actor),
      ...(messageId && { except: [messageId] }),
      ...(typed.cursor === undefined ? {} : { cursor: typed.cursor }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress: tell }),
    });
    record.scanned += counted;
    const told = hits.map((hit) => {
      const { channel, decisionId } = access.mustRead(hit.message.channel_id);
      record.read(channel, [hit.message, ...hit.around], decisionId);
      return { ...hit, channel };
    });
    const isAllKnown = result.coverage.complete && isEverywhere;
    return {
      ...result,
      coverage: { ...result.coverage, complete: isAllKnown && isListed },
      // What is in an archive that was not listed may be newer.
      everything_since: isEverywhere && isListed ? result.everything_since : null,
      older: isAllKnown && !isListed ? "not_listed" : result.older,
      hits: told,
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
      until: before === null ? (during?.to ?? null) : await this.#end(before, until !== undefined),
    };
  }

  /** "until yesterday" includes it; Discord's `before:` does not. */
  async #end(words: string, isIncluded: boolean): Promise<number> {
    const { from, to } = await this.time(words);
    return isIncluded ? to : from - 1;
  }

  /** Where to look, and whether all archived threads are known that belong there. */
  async #places(parsed: ParsedQuery, { channel }: TypedSearch): Promise<{ places: ChannelId[]; isListed: boolean }> {
    const named: ChannelId[] = [];
    for (const name of [...(channel === undefined ? [] : [channel]), ...parsed.in])
      named.push(await this.channel(name));
    const without: ChannelId[] = [];
    for (const name of parsed.not.in) without.push(await this.channel(name));
    const parents: ChannelId[] = [];
    for (const channel of named.length > 0 ? this.#channelsOf(named) : this.channels())
      if (hasArchive(channel) && !without.includes(channel.id) && this.#parts.access.mayReadBack(channel.id))
        parents.push(channel.id);
    const listed = await this.#deps.timelines.listArchives(parents, this.#call.signal);
    const isLearned = await this.#learnPrivateThreads(parents);
    const ids = new Set(named.flatMap((id) => this.#withPosts(id)));
    if (named.length === 0) for (const { id } of this.channels()) ids.add(id);
    for (const id of without.flatMap((one) => this.#withPosts(one))) ids.delete(id);
    return { places: [...ids], isListed: isLearned && new Set(parents).isSubsetOf(listed) };
  }

  /**
   * Discord says only when asked who is in a private thread. It is asked where people are named as the readers: everybody who can view a channel is rarely in
   * one. False when some are left for the next time.
   */
  async #learnPrivateThreads(parents: readonly ChannelId[]): Promise<boolean> {
    const { directory } = this.#deps.discord;
    if (!this.#parts.access.isPrivate) return true;
    const guildIds = new Set(this.#channelsOf(parents).flatMap(({ guildId }) => guildId ?? []));
    const isUnknown = ({ id, kind, parentId }: Channel) =>
      kind === "private_thread" && parentId !== null && parents.includes(parentId) && !this.#knowsMembers(id);
    const unknown = [...guildIds].flatMap((id) => directory.channels(id)).filter(isUnknown);
    // One that cannot be asked about may be hidden from the person asking: it must not make a difference.
    const learning = unknown.slice(0, MAX_LEARNED).map(({ id }) => directory.learn(this.#operation.actor, id));
    await Promise.allSettled(learning);
    return unknown.length <= MAX_LEARNED;
  }

  /** False too where it is too long ago that Discord was asked: then the directory does not count on the list. */
  #knowsMembers(threadId: ChannelId): boolean {
    const audience = this.#deps.discord.directory.audience(threadId);
    return audience.kind !== "guild" || Boolean(audience.place.thread?.thread?.members);
  }

  #channelsOf(ids: readonly ChannelId[]): Channel[] {
    return ids.flatMap((id) => this.#deps.discord.directory.channel(id) ?? []);
  }

  /** Posts whose title or tags have a word of the query come before other threads, so that there is enough scan left for them. */
  #titledFirst(ids: readonly ChannelId[], text: string): ChannelId[] {
    const { directory } = this.#deps.discord;
    const posts: Channel[] = [];
    for (const id of ids.slice(1)) {
      const channel = directory.channel(id);
      if (channel?.thread && channel.parentId && isPostList(directory.channel(channel.parentId))) posts.push(channel);
    }
    if (posts.length === 0) return [...ids];
    const words = new Set(toQueryTerms(text));
    const isTitled = ({ name, tags }: Channel) =>
      toQueryTerms([name, ...tags].join(" ")).some((word) => words.has(word));
    const titled = posts.filter(isTitled).slice(0, MAX_TITLED);
    return [...new Set([...ids.slice(0, 1), ...titled.map(({ id }) => id), ...ids])];
  }

  /** By a forum people mean what stands in it. */
  #withPosts(id: ChannelId): ChannelId[] {
    if (!isPostList(this.#deps.discord.directory.channel(id))) return [id];
    const posts = this.channels().filter(({ parentId }) => parentId === id);
    return [id, ...posts.map((post) => post.id)];
  }

  /** Everything that may be read here, with the place where a call looks first. Call `learnGuilds` before. */
  channels(): Channel[] {
    const { directory } = this.#deps.discord;
    const { access } = this.#parts;
    const here = access.here.channelId;
    const origin = directory.channel(here);
    const known = origin?.guildId === null ? [origin] : [];
    for (const id of this.#guilds()) known.push(...directory.channels(id));
    const readable: Channel[] = [];
    for (const channel of known) if (channel.kind !== "category" && access.mayRead(channel.id)) readable.push(channel);
    // What is looked into first must not depend on what is not shown.
    return readable.sort(
      (a, b) =>
        Number(b.id === here) - Number(a.id === here) ||
        compareIds(a.guildId ?? a.id, b.guildId ?? b.id) ||
        remoteness(a) - remoteness(b) ||
        a.position - b.position ||
        (a.thread ? compareIds(b.id, a.id) : compareIds(a.id, b.id)),
    );
  }

  async listToSearch(): Promise<Channel[]> {
    await this.#parts.access.learnGuilds();
    return this.channelsToSearch();
  }

  /** As `channels`, without one of which only what is being said now may be handed out. */
  channelsToSearch(): Channel[] {
    return this.channels().filter(({ id }) => this.#parts.access.mayReadBack(id));
  }

  #guilds(): GuildId[] {
    const { directory } = this.#deps.discord;
    return directory.guilds().flatMap(({ id }) => (this.#parts.access.mayNameGuild(id) ? [id] : []));
  }

  /** Where messages of these people may be looked for. One's own need less than anybody's, and each server has its own rules. */
  #withAuthors(from: readonly UserId[], channelIds: readonly ChannelId[]): ChannelId[] {
    if (from.every((id) => id === this.#operation.actor)) return [...channelIds];
    const open = channelIds.filter((id) => this.#parts.access.mayUseOthers(id, true));
    const isGranted = this.#operation.client.grant.scopes.includes(OTHERS_SCOPE);
    if (isGranted && (open.length > 0 || channelIds.length === 0)) return open;
    throw new EarshotError("forbidden", "Only the messages of the person asking may be looked for here.");
  }

  async #people(names: readonly string[]): Promise<UserId[]> {
    const people: UserId[] = [];
    for (const name of names) people.push(await this.#resolve(name));
    return people;
  }

  /** The person who is meant by a name, a mention or an id; "me" is the actor. Throws as `channelNamed` does. */
  async person(name: string): Promise<UserId> {
    await this.#parts.access.learnGuilds();
    return this.#resolve(name);
  }

  async #resolve(name: string): Promise<UserId> {
    if (SELF.test(name.trim())) return this.#operation.actor;
    const { access, record } = this.#parts;
    // Asked for only where the member list is not complete: then whom an error names may have been heard there and nowhere else.
    const channelIds = (id: GuildId) => {
      const readable = access.readable(id);
      record.searched(readable);
      return readable;
    };
    const resolution = await this.#deps.people.resolve(name, { guildIds: this.#guilds(), channelIds });
    return this.#only(resolution, { name, kind: "user", sign: "" }).id as UserId;
  }

  /** An ambiguous name is never guessed at. */
  #only<Candidate extends Named>(
    resolution: Resolution<Candidate>,
    { name, kind, sign }: { name: string | undefined; kind: "channel" | "user" | "server"; sign: string },
  ): Candidate {
    if (resolution.kind === "one") return resolution.candidate;
    if (resolution.kind === "none") throw this.#unknown(kind, name);
    for (const { id } of resolution.candidates) if (kind === "channel") this.#parts.access.nameOf(id as ChannelId);
    // Who is in a server is for those to know who are.
    const { directory } = this.#deps.discord;
    if (kind !== "channel")
      for (const id of this.#guilds()) this.#parts.record.namedGuild(id, directory.guild(id)?.name ?? "");
    const { nonce } = this.#operation;
    throw severalMeant(resolution.candidates, { name, sign, nonce, now: this.#deps.clock.now() });
  }

  /** While the member list of a server is still loading, nobody can say that somebody is not in it. */
  #unknown(kind: string, name: string | undefined): EarshotError {
    if (name === undefined) return this.#parts.access.absent(`There is no ${kind} that can be read here.`);
    const { directory } = this.#deps.discord;
    if (kind !== "user" || !this.#guilds().some((id) => directory.isMeetingPeople(id)))
      return this.#parts.access.absent(`Could not find ${kind} ${quoteInput(name)}`);
    const problem = `Could not find user ${quoteInput(name)} yet: not all members of the server are known; try again in a minute.`;
    return new EarshotError("unavailable", problem, { retryAfter: 30 });
  }
}

function toOnly<Candidate extends Named>(candidates: readonly Candidate[]): Resolution<Candidate> {
  const [only, ...others] = candidates;
  if (!only) return { kind: "none" };
  return others.length === 0 ? { kind: "one", candidate: only } : { kind: "several", candidates };
}

/** Channels come before threads, of which there may be thousands, and those before what is in the archives. */
function remoteness({ thread }: Channel): number {
  return thread === null ? 0 : thread.archived ? 2 : 1;
}
