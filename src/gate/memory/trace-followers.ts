import type { Fact } from "../../domain/memory/fact.ts";
import type { StoredFact } from "../../ports/fact-store.ts";

export interface Followers {
  /** Whether all facts that follow it are still there. It is heard only by those who may not hear the ones that follow it. */
  isCurrent(fact: StoredFact): boolean;
  /** It comes back for nobody who may know what follows it, whether or not that can be heard at the moment. `known`: ids of what they may know. */
  isReplaced(fact: Pick<Fact, "supersededBy">, known: ReadonlySet<string>): boolean;
}

/** Which facts follow which, among all that were found, superseded ones included. */
export function traceFollowers(stored: readonly StoredFact[], now: number): Followers {
  const live = new Map<string, string | null>();
  for (const { row } of stored)
    if (row.expires_at === null || row.expires_at > now) live.set(row.id, row.superseded_by);
  return {
    isCurrent({ row }) {
      let next: string | null | undefined = row.superseded_by;
      while (next) next = live.get(next);
      return next === null;
    },
    isReplaced({ supersededBy }, known) {
      for (let next = supersededBy; next; next = live.get(next) ?? null) if (known.has(next)) return true;
      return false;
    },
  };
}
