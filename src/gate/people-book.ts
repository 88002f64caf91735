import type { GuildId, UserId } from "../domain/ids.ts";
import { createNameIndex, type NameIndex, type Resolution } from "../domain/names/names.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory, Person } from "../ports/directory.ts";

/** A new name may take so long to be found. */
const KEPT_MS = 30_000;
/** The names of so few are prepared in no time, and then they are always right. */
const FEW = 2_000;
const MOST_KEPT = 20;

/** Whom a name means, in some servers. Preparing the names of a large server takes a while, so that is kept for a little. */
export class PeopleBook {
  readonly #directory: Pick<Directory, "people">;
  readonly #clock: Clock;
  readonly #pages = new Map<GuildId, { madeAt: number; index: NameIndex<Person> }>();

  constructor(directory: Pick<Directory, "people">, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Somebody who is in several of the servers is one candidate. */
  resolve(name: string, guildIds: readonly GuildId[]): Resolution<Person> {
    const found = new Map<UserId, Person>();
    for (const id of guildIds) {
      const resolution = this.#page(id).resolve(name);
      if (resolution.kind === "one") found.set(resolution.candidate.id, resolution.candidate);
      if (resolution.kind === "several") for (const one of resolution.candidates) found.set(one.id, one);
    }
    const [only, ...others] = found.values();
    if (!only) return { kind: "none" };
    return others.length === 0 ? { kind: "one", candidate: only } : { kind: "several", candidates: [only, ...others] };
  }

  #page(id: GuildId): NameIndex<Person> {
    const known = this.#pages.get(id);
    const now = this.#clock.now();
    if (known && now - known.madeAt < KEPT_MS) return known.index;
    const people = [...this.#directory.people(id)];
    const index = createNameIndex(people);
    if (people.length <= FEW) return index;
    this.#pages.delete(id);
    this.#pages.set(id, { madeAt: now, index });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MOST_KEPT && oldest !== undefined) this.#pages.delete(oldest);
    return index;
  }
}
