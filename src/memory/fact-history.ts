import { audiencesOf } from "../domain/memory/fact.ts";
import type { StoredFact } from "../ports/fact-store.ts";
import { toBasis, toHome } from "./to-fact.ts";

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

export function findTooOld(history: readonly StoredFact[]): ReadonlySet<string> {
  const followed = history.filter(({ row }) => row.superseded_by !== null);
  const byAudience = Map.groupBy(followed, (one) => [...limitsOf(toLimited(one))].sort().join(" "));
  return new Set([...byAudience.values()].flatMap((facts) => facts.slice(MAX_HISTORY).map(({ row }) => row.id)));
}

/** Which facts follow those that stay where the one that followed them ends. */
export function findFollowers(
  history: readonly StoredFact[],
  ending: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const next = new Map(history.map(({ row }) => [row.id, row.superseded_by]));
  const followers = new Map<string, string>();
  for (const [id, by] of next) {
    if (ending.has(id) || by === null || !ending.has(by)) continue;
    let follower: string | null = by;
    while (follower !== null && ending.has(follower)) follower = next.get(follower) ?? null;
    if (follower !== null) followers.set(id, follower);
  }
  return followers;
}
