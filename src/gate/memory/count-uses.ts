import type { UserId } from "../../domain/ids.ts";
import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { Directory } from "../../ports/directory.ts";
import type { FactUseRow } from "../../ports/fact-store.ts";
import type { FactUse } from "./own-facts.ts";

/**
 * The uses of each fact in the last whole month (UTC), by its id, for the subject of the facts; without newer facts. A whole month says
 * little about the time of a request, from which its author could be inferred. Uses in channels that this person cannot read now do not
 * count: the number would reveal topics there.
 */
export function countUses(
  actor: UserId,
  facts: readonly Fact[],
  { uses, now, directory }: CountDeps,
): ReadonlyMap<string, FactUse> {
  const date = new Date(now);
  const until = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const month = toMonth(until - 1);
  const ofFact = Map.groupBy(
    uses.filter((use) => use.month === month && (use.place === null || directory.canRead(actor, use.place))),
    ({ fact_id: id, version }) => toFactRef({ id, version }),
  );
  const toUse = ({ id, version }: Fact): FactUse => {
    const places = (ofFact.get(toFactRef({ id, version })) ?? []).map(({ place, times }) => ({
      channelId: place,
      times,
    }));
    return { month, places };
  };
  return new Map(facts.flatMap((fact) => (fact.createdAt < until ? [[fact.id, toUse(fact)]] : [])));
}

interface CountDeps {
  readonly uses: readonly FactUseRow[];
  readonly now: number;
  readonly directory: Pick<Directory, "canRead">;
}

/** In UTC, such as "2026-10". */
function toMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
