import { BoundedMap } from "../../domain/bounded-map.ts";
import type { ChannelId, GuildId, UserId } from "../../domain/ids.ts";
import { createNameIndex, type NameIndex, type Resolution } from "../../domain/names/resolve-name.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory, Person } from "../../ports/directory.ts";

/** A new name may take this long to be found. */
const CACHE_MS = 30_000;
/** The names of this many members are indexed each time: that is fast, and always current. */
const MAX_UNCACHED = 2_000;
const MAX_CACHED_GUILDS = 20;

export interface PeopleDeps {
  readonly directory: Pick<Directory, "people" | "speakers" | "findPeople" | "guild">;
  readonly clock: Clock;
  /** Who is left out is found among the members, but not by having spoken. */
  isLeftOut(userId: UserId): boolean;
}

/** Where names may come from: these servers, and of what is said there these channels. */
export interface NameSources {
  readonly guildIds: readonly GuildId[];
  channelIds(guildId: GuildId): readonly ChannelId[];
}

/**
 * Resolves names of people. Names come from the members, whom everybody in a server can look up (from the member list, or from Discord's member search
 * where the list is not complete), and from authors in channels that the operation may read. Authors seen only elsewhere are left out.
 */
export class People {
  readonly #deps: PeopleDeps;
  readonly #cache: BoundedMap<GuildId, NameIndex<Person>>;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
    this.#cache = new BoundedMap({ maxEntries: MAX_CACHED_GUILDS, ttlMs: CACHE_MS, clock: deps.clock });
  }

  /** Somebody who is in several of the servers is one candidate. Throws where Discord has to be asked and does not answer. */
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

  /** What somebody is called in a server. */
  nameOf(userId: UserId, guildId: GuildId, sources: NameSources): string | undefined {
    const speakers = this.#speakers(guildId, sources);
    return speakers.get(userId)?.names[0];
  }

  /** While the member list is not complete: who spoke in these channels, and members whose names begin with a name. Throws as `resolve` does. */
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

  /** All names that people have used, in the order of the channels' ids: who spoke where first must not matter. */
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
