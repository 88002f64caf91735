import type { UserId } from "../domain/ids.ts";
import { audiencesOf, type Fact } from "../domain/memory/fact.ts";
import type { FactQuery, FactStore, StoredFact } from "../ports/fact-store.ts";
import { toBasis, toHome } from "./seal.ts";

/** How many earlier values of one name are kept, for each audience: values that somebody does not hear must not make those vanish that they do. */
const MAX_HISTORY = 20;

type Limited = Parameters<typeof audiencesOf>[0];

export function toLimited({ row, sources }: StoredFact): Limited {
  return { home: toHome(row), basis: sources.map(toBasis) };
}

/** Only who is in all of these may hear it. */
export function limitsOf(fact: Limited): ReadonlySet<string> {
  return new Set(audiencesOf(fact).map(({ kind, id }) => `${kind}:${id}`));
}

/** What facts follow goes with them: an old value must not come back. */
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
 * With those by which a person has confirmed facts again, which follow them with the same value: for that person, to forget one is to forget both. Null for
 * anybody else, who may not know of what follows.
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
 * Ids of a fact that follows another and of those that follow it, the next first, as far as they are known. Each once: nothing seals what follows a fact, and
 * somebody may have changed earshot.db by hand so that facts follow each other in a circle.
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

/** Ids of all facts that rest on these. */
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

/** Whether all who may hear a value could hear a later one of the same home. What is private, only the person hears who had the later one remembered. */
export function isForAll(later: Limited, one: Limited): boolean {
  return one.home.kind === "person" || limitsOf(later).isSubsetOf(limitsOf(one));
}

/** Earlier values beyond those that are kept. The history comes with the newest first. */
export function findTooOld(history: readonly StoredFact[]): ReadonlySet<string> {
  const followed = history.filter(({ row }) => row.superseded_by !== null);
  const byAudience = Map.groupBy(followed, (one) => [...limitsOf(toLimited(one))].sort().join(" "));
  return new Set([...byAudience.values()].flatMap((facts) => facts.slice(MAX_HISTORY).map(({ row }) => row.id)));
}

/**
 * Of facts that lapse and those that they follow: which end with them. An older value must not come back for those who have heard a later one; who could not hear
 * that one must not notice that it was there.
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

/** Which facts follow those that stay where the one that followed them ends; null for none. */
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
