import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import { type ChannelId, type GuildId, toChannelId, type UserId } from "../../domain/ids.ts";
import {
  createNameIndex,
  isWholeName,
  type Named,
  type NameIndex,
  type Resolution,
  resolveName,
} from "../../domain/names/resolve-name.ts";
import { quoteInput } from "../../domain/text/escape.ts";
import { type LinePiece, renderBlock } from "../../domain/text/untrusted-block.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory, Person } from "../../ports/directory.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ReadParts } from "../call/channel-reads.ts";
import { isUnknownThread, learnPrivateThreads, MAX_THREADS_LEARNED } from "./learn-private-threads.ts";

export interface NameFinderParts extends ReadParts {
  channels(): Channel[];
  guilds(): GuildId[];
}

export interface NameFinderDeps {
  readonly discord: Pick<Discord, "directory">;
  readonly people: People;
  readonly clock: Clock;
}

const SELF = /^(me|i|myself)$/i;

/** Resolves the name of a channel, server or person, among those that may be named here. */
export class NameFinder {
  readonly #operation: Operation;
  readonly #parts: NameFinderParts;
  readonly #deps: NameFinderDeps;

  constructor(operation: Operation, parts: NameFinderParts, deps: NameFinderDeps) {
    this.#operation = operation;
    this.#parts = parts;
    this.#deps = deps;
  }

  /**
   * A channel by name, mention or id, among those that may be read here. An id may be unknown yet, as that of an old thread. Effects
   * require the whole name: a similar channel may have other readers.
   */
  async channel(name: string): Promise<ChannelId> {
    const id = toChannelId(name);
    await this.#parts.access.learnGuilds();
    if (!id) return this.#only(await this.#channelsCalled(name), { name, kind: "channel", sign: "#" }).id as ChannelId;
    await this.#parts.access.learn(id);
    if (!this.#parts.access.mayRead(id)) throw this.#parts.access.absent();
    return id;
  }

  /**
   * The members of a private thread are known only after a request. If the actor alone reads the answer, the possible matches are looked
   * up. Otherwise earlier requests by others would change the meaning of a name.
   */
  async #channelsCalled(name: string): Promise<Resolution<Named>> {
    const { directory } = this.#deps.discord;
    const { actor } = this.#operation;
    const unknown = this.#parts.access.isPrivate
      ? this.#parts.guilds().flatMap((id) => directory.channels(id).filter((one) => isUnknownThread(one, directory)))
      : [];
    const left = new Map(unknown.map((thread) => [thread.id, thread]));
    const isMeant = ({ name: own }: Channel) => !this.#parts.access.hasEffect || isWholeName(name, own);
    for (let asked = 0; ; ) {
      const resolution = resolveChannel(name, [...this.#parts.channels(), ...left.values()].filter(isMeant));
      const meant = listMeant(resolution).flatMap(({ id }) => left.get(id as ChannelId) ?? []);
      if (meant.length === 0) return resolution;
      await learnPrivateThreads(meant, { actor, directory, maxLearned: MAX_THREADS_LEARNED - asked });
      asked += meant.length;
      for (const { id } of asked < MAX_THREADS_LEARNED ? meant : unknown) left.delete(id);
    }
  }

  /** A server by name or id, among those that may be named here. Without either, the one of the request, or the only one there is. */
  async guild(name: string | undefined): Promise<GuildId> {
    const { guildId } = this.#parts.access.here;
    if (name === undefined && guildId !== null) return guildId;
    await this.#parts.access.learnGuilds();
    const { directory } = this.#deps.discord;
    const all = this.#parts.guilds().map((id) => ({ id, names: [directory.guild(id)?.name ?? ""] }));
    const resolution = name === undefined ? toOnly(all) : resolveName(name, all);
    const { id, names } = this.#only(resolution, { name, kind: "server", sign: "" });
    this.#parts.record.namedGuild(id, names[0] ?? "");
    return id;
  }

  /** As `guild`; for a request from outside of servers without a name, all that may be named. */
  async guilds(name: string | undefined): Promise<GuildId[]> {
    if (name !== undefined || this.#parts.access.here.guildId !== null) return [await this.guild(name)];
    await this.#parts.access.learnGuilds();
    return this.#parts.guilds();
  }

  /** A person by name, mention or id; "me" is the actor. Throws as `channel` does. */
  async person(name: string): Promise<UserId> {
    await this.#parts.access.learnGuilds();
    return this.resolvePerson(name);
  }

  /** As `person`. Call `learnGuilds` before. */
  async resolvePerson(name: string): Promise<UserId> {
    if (SELF.test(name.trim())) return this.#operation.actor;
    const { access, record } = this.#parts;
    // Called only if the member list is incomplete: an error may then name people who were seen only in these channels.
    const channelIds = (id: GuildId) => {
      const readable = access.readable(id);
      record.searched(readable);
      return readable;
    };
    const resolution = await this.#deps.people.resolve(name, { guildIds: this.#parts.guilds(), channelIds });
    return this.#only(resolution, { name, kind: "user", sign: "" }).id as UserId;
  }

  /** An ambiguous name is an error, never a guess. */
  #only<Candidate extends Named>(
    resolution: Resolution<Candidate>,
    { name, kind, sign }: { name: string | undefined; kind: "channel" | "user" | "server"; sign: string },
  ): Candidate {
    if (resolution.kind === "one") return resolution.candidate;
    if (resolution.kind === "none") throw this.#unknown(kind, name);
    for (const { id } of resolution.candidates) if (kind === "channel") this.#parts.access.nameOf(id as ChannelId);
    // Members of a server are disclosed to its members only.
    const { directory } = this.#deps.discord;
    if (kind !== "channel")
      for (const id of this.#parts.guilds()) this.#parts.record.namedGuild(id, directory.guild(id)?.name ?? "");
    const { nonce } = this.#operation;
    throw severalMeant(resolution.candidates, { name, sign, nonce, now: this.#deps.clock.now() });
  }

  /** While the member list of a server is loading, absence from it cannot be claimed. */
  #unknown(kind: string, name: string | undefined): EarshotError {
    if (name === undefined) return this.#parts.access.absent(`There is no ${kind} that can be read here.`);
    const { directory } = this.#deps.discord;
    if (kind !== "user" || !this.#parts.guilds().some((id) => directory.isMeetingPeople(id)))
      return this.#parts.access.absent(`Could not find ${kind} ${quoteInput(name)}`);
    const problem = `Could not find user ${quoteInput(name)} yet: not all members of the server are known; try again in a minute.`;
    return new EarshotError("unavailable", problem, { retryAfter: 30 });
  }
}

/** Archived threads count only if no other channel has the name. */
function resolveChannel(name: string, all: readonly Channel[]): Resolution<Named> {
  const among = (channels: readonly Channel[]) =>
    resolveName(
      name,
      channels.map((channel) => ({ id: channel.id, names: [channel.name] })),
    );
  const active = among(all.filter(({ thread }) => !thread?.archived));
  return active.kind === "none" ? among(all) : active;
}

function listMeant(resolution: Resolution<Named>): readonly Named[] {
  if (resolution.kind === "none") return [];
  return resolution.kind === "one" ? [resolution.candidate] : resolution.candidates;
}

function toOnly<Candidate extends Named>(candidates: readonly Candidate[]): Resolution<Candidate> {
  const [only, ...others] = candidates;
  if (!only) return { kind: "none" };
  return others.length === 0 ? { kind: "one", candidate: only } : { kind: "several", candidates };
}

const CANDIDATE_TOKENS = 500;
/** Maximum in the data of an error. */
const MAX_CANDIDATES = 25;

/**
 * The error for an ambiguous name, or for a missing one if several would fit. People choose their own names, so these are quoted like all
 * text by people.
 */
function severalMeant(
  candidates: readonly Named[],
  { name, sign, nonce, now }: { name: string | undefined; sign: string; nonce: string; now: number },
): EarshotError {
  const { text } = renderBlock({
    nonce,
    label: { kind: "candidates", name: null, from: null, to: null, integrity: "untrusted" },
    lines: candidates.map(({ id, names }) => ({
      handle: null,
      ts: null,
      author: null,
      content: [
        ...names.flatMap((one, index): LinePiece[] => [index === 0 ? sign : " / ", { name: one }]),
        ` (id ${id})`,
      ],
    })),
    now,
    maxTokens: CANDIDATE_TOKENS,
    dropFrom: "end",
  });
  const problem = `Several could be meant${name === undefined ? "" : ` by ${quoteInput(name)}`}; ask which, or use an id:\n${text}`;
  const told = candidates.slice(0, MAX_CANDIDATES).map(({ id, names: [called = ""] }) => ({ name: called, id }));
  return new EarshotError("invalid", problem, { candidates: told });
}

/** The maximum delay until a new name is found. */
const CACHE_MS = 30_000;
/** Up to this many members are indexed on each request, which is fast and always current. */
const MAX_UNCACHED = 2_000;
const MAX_CACHED_GUILDS = 20;

export interface PeopleDeps {
  readonly directory: Pick<Directory, "people" | "speakers" | "findPeople" | "guild">;
  readonly clock: Clock;
  /** People who opted out are found as members, but not through their messages. */
  isLeftOut(userId: UserId): boolean;
}

/** The sources of names: members of these servers, and authors in these channels. */
export interface NameSources {
  readonly guildIds: readonly GuildId[];
  channelIds(guildId: GuildId): readonly ChannelId[];
}

/**
 * Resolves names of people. Names come from the members, whom everyone in a server can look up (from the member list, or from Discord's
 * member search if the list is incomplete), and from authors in channels that the operation may read. Authors seen only elsewhere are left
 * out.
 */
export class People {
  readonly #deps: PeopleDeps;
  readonly #cache: BoundedMap<GuildId, NameIndex<Person>>;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
    this.#cache = new BoundedMap({ maxEntries: MAX_CACHED_GUILDS, ttlMs: CACHE_MS, clock: deps.clock });
  }

  /** A person in several of the servers is one candidate. Throws if Discord must be asked and does not answer. */
  async resolve(name: string, sources: NameSources): Promise<Resolution<Person>> {
    const found = new Map<UserId, Person>();
    for (const id of sources.guildIds) {
      const resolution = (await this.#indexOf(id, name, sources)).resolve(name);
      if (resolution.kind === "one") found.set(resolution.candidate.id, resolution.candidate);
      if (resolution.kind === "several") for (const one of resolution.candidates) found.set(one.id, one);
    }
    const [only, ...others] = found.values();
    if (!only) return { kind: "none" };
    return others.length === 0 ? { kind: "one", candidate: only } : { kind: "several", candidates: [only, ...others] };
  }

  nameOf(userId: UserId, guildId: GuildId, sources: NameSources): string | undefined {
    const speakers = this.#speakers(guildId, sources);
    return speakers.get(userId)?.names[0];
  }

  /** For an incomplete member list: authors in these channels, and members whose names begin with a name. Throws as `resolve` does. */
  async known(guildId: GuildId, name: string, sources: NameSources): Promise<Person[]> {
    const people = this.#speakers(guildId, sources);
    const found = name === "" ? [] : await this.#deps.directory.findPeople(guildId, name);
    for (const person of found) people.set(person.id, person);
    return [...people.values()];
  }

  async #indexOf(id: GuildId, name: string, sources: NameSources): Promise<NameIndex<Person>> {
    const { directory } = this.#deps;
    if (!directory.guild(id)?.membersComplete) return createNameIndex(await this.known(id, name, sources));
    const known = this.#cache.get(id);
    if (known) return known;
    const people = [...directory.people(id)];
    const index = createNameIndex(people);
    if (people.length <= MAX_UNCACHED) return index;
    this.#cache.set(id, index);
    return index;
  }

  /** All names that people have used, ordered by channel id: the order of their messages must not matter. */
  #speakers(guildId: GuildId, { channelIds }: NameSources): Map<UserId, Person> {
    const { directory, isLeftOut } = this.#deps;
    const people = new Map<UserId, Person>();
    for (const channelId of channelIds(guildId))
      for (const person of directory.speakers(channelId)) {
        if (isLeftOut(person.id)) continue;
        const names = new Set([...(people.get(person.id)?.names ?? []), ...person.names]);
        people.set(person.id, { ...person, names: [...names] });
      }
    return people;
  }
}
