import type { UserId } from "../domain/ids.ts";
import { audiencesOf, type Fact } from "../domain/memory/fact.ts";
import type { FactQuery, FactStore, StoredFact } from "../ports/fact-store.ts";
import { toBasis, toHome } from "./seal.ts";

/** Maximum earlier values per name and audience. Counted by audience, so that values hidden from a reader cannot displace those the
 * reader may know. */
const MAX_HISTORY = 20;

type Limited = Parameters<typeof audiencesOf>[0];

export function toLimited({ row, sources }: StoredFact): Limited {
  return { home: toHome(row), basis: sources.map(toBasis) };
}

/** Only people in all of these may know the fact. */
export function limitsOf(fact: Limited): ReadonlySet<string> {
  return new Set(audiencesOf(fact).map(({ kind, id }) => `${kind}:${id}`));
}

/** Adds the facts that these supersede: an old value must not come back. */
export async function withHistory(
  ids: readonly string[],
  facts: Pick<FactStore, "followedBy">,
): Promise<readonly string[]> {
  const all = new Set(ids);
  for (let next = ids; next.length > 0; ) {
    next = (await facts.followedBy(next)).filter((id) => !all.has(id));
    for (const id of next) all.add(id);
  }
  return [...all];
}

/**
 * Adds the later facts by which this person confirmed the same value again: for them, forgetting one forgets both. `by` is null for anyone
 * else, who may not know of later facts.
 */
export async function withConfirmedAgain(
  facts: readonly Fact[],
  by: UserId | null,
  openById: (id: string) => Promise<Fact | null>,
): Promise<readonly string[]> {
  const ids = new Set(facts.map(({ id }) => id));
  for (const { id, value } of by === null ? [] : facts)
    for (let next = (await openById(id))?.supersededBy; next && !ids.has(next); ) {
      const follower = await openById(next);
      if (follower?.createdBy !== by || JSON.stringify(follower.value) !== JSON.stringify(value)) break;
      ids.add(next);
      next = follower.supersededBy;
    }
  return [...ids];
}

/**
 * Ids of the facts that supersede each other from `first` on, as far as known. Each id once: `superseded_by` is not sealed, so an edited
 * earshot.db may contain a cycle.
 */
export function* listFollowers(
  first: string | null,
  byId: ReadonlyMap<string, StoredFact>,
): Generator<string, undefined> {
  const listed = new Set<string>();
  for (let id = first; id !== null && !listed.has(id); id = byId.get(id)?.row.superseded_by ?? null) {
    listed.add(id);
    yield id;
  }
}

export async function findDependents(
  ids: ReadonlySet<string>,
  facts: Pick<FactStore, "findByIds">,
  lookedUp: { readAll(query: FactQuery): Promise<readonly StoredFact[]> },
): Promise<readonly string[]> {
  const refs = (await facts.findByIds([...ids])).map(({ row }) => `${row.id}@${row.version}`);
  if (refs.length === 0) return [];
  const dependents = await lookedUp.readAll({ citing: { type: "memory_fact", refs }, withSuperseded: true });
  return dependents.map(({ row }) => row.id);
}

/** Whether everyone who may know `one` may know the later value. A private fact's later value is known only to the person who saved it. */
export function isForAll(later: Limited, one: Limited): boolean {
  return one.home.kind === "person" || limitsOf(later).isSubsetOf(limitsOf(one));
}

/** Earlier values beyond the maximum. Expects the newest first. */
export function findTooOld(history: readonly StoredFact[]): ReadonlySet<string> {
  const followed = history.filter(({ row }) => row.superseded_by !== null);
  const byAudience = Map.groupBy(followed, (one) => [...limitsOf(toLimited(one))].sort().join(" "));
  return new Set([...byAudience.values()].flatMap((facts) => facts.slice(MAX_HISTORY).map(({ row }) => row.id)));
}

/**
 * The lapsing facts, and the facts superseded by them that end with them: an older value must not come back for people who know the later
 * one, and people who may not know the later one must not notice it.
 */
export function findLapsing(history: readonly StoredFact[], lapsing: ReadonlySet<string>): ReadonlySet<string> {
  const byId = new Map(history.map((one) => [one.row.id, one]));
  const ends = (one: StoredFact) => {
    for (const id of listFollowers(one.row.superseded_by, byId)) {
      const next = byId.get(id);
      if (next && lapsing.has(id) && isForAll(toLimited(next), toLimited(one))) return true;
    }
    return false;
  };
  return lapsing.union(new Set(history.filter(ends).map(({ row }) => row.id)));
}

/** For the remaining facts whose superseding fact ends: the next one that supersedes them; null for none. */
export function findFollowers(
  history: readonly StoredFact[],
  ending: ReadonlySet<string>,
): ReadonlyMap<string, string | null> {
  const byId = new Map(history.map((one) => [one.row.id, one]));
  const followers = new Map<string, string | null>();
  for (const [id, { row }] of byId) {
    const by = row.superseded_by;
    if (ending.has(id) || by === null || !ending.has(by)) continue;
    followers.set(id, listFollowers(by, byId).find((follower) => !ending.has(follower) && follower !== id) ?? null);
  }
  return followers;
}
