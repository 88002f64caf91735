import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Fact } from "../../domain/memory/fact.ts";
import { isForAll, listFollowers } from "../../memory/fact-history.ts";
import { toBasis, toHome } from "../../memory/to-fact.ts";
import type { StoredFact } from "../../ports/fact-store.ts";

/** What of a fact decides who may hear it. */
export type LimitedFact = Pick<Fact, "subjectId" | "guildId" | "home" | "basis">;

/** What can be said of facts that were looked up, for everybody who asks for them. */
export interface CurrentFacts {
  /** Those that have not ended with what follows them. */
  readonly current: readonly StoredFact[];
  /** Whom facts are about that are shared in a server. */
  readonly people: ReadonlyMap<GuildId, ReadonlySet<UserId>>;
  /** It comes back for nobody who may know what follows it, whether or not that can be heard at the moment. `known`: ids of what they may know. */
  isReplaced(fact: Pick<Fact, "supersededBy">, known: ReadonlySet<string>): boolean;
}

const limited = new WeakMap<StoredFact, LimitedFact>();

/** What decides who may hear a fact, without opening it. */
export function toLimited(stored: StoredFact): LimitedFact {
  const before = limited.get(stored);
  if (before) return before;
  const { row, sources } = stored;
  const made = { subjectId: row.subject_id, guildId: row.guild_id, home: toHome(row), basis: sources.map(toBasis) };
  limited.set(stored, made);
  return made;
}

export function toCurrentFacts(stored: readonly StoredFact[], now: number): CurrentFacts {
  const byId = new Map(stored.map((one) => [one.row.id, one]));
  const expired = new Set<string>();
  const people = new Map<GuildId, Set<UserId>>();
  for (const { row } of stored) {
    const { expires_at, guild_id, subject_id } = row;
    if (expires_at !== null && expires_at <= now) expired.add(row.id);
    if (guild_id === null) continue;
    const there = people.get(guild_id) ?? new Set();
    people.set(guild_id, subject_id === null ? there : there.add(subject_id));
  }
  // A fact that was followed is heard only by those who may not hear the ones that follow it. It ends with one that all who hear it could hear.
  const isCurrent = (one: StoredFact) => {
    for (const id of listFollowers(one.row.superseded_by, byId)) {
      const follower = byId.get(id);
      if (!follower || (expired.has(id) && isForAll(toLimited(follower), toLimited(one)))) return false;
    }
    return true;
  };
  const isReplaced: CurrentFacts["isReplaced"] = ({ supersededBy }, known) =>
    supersededBy !== null && listFollowers(supersededBy, byId).some((id) => known.has(id));
  const current = stored.filter((one) => one.row.superseded_by === null || isCurrent(one));
  return { current, people, isReplaced };
}
