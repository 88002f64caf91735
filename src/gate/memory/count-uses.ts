import type { UserId } from "../../domain/ids.ts";
import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";
import type { FactUses } from "../../ports/fact-uses.ts";
import type { FactUse } from "./own-facts.ts";

export interface CountDeps {
  readonly uses: FactUses;
  /** For how long it is known what was read. */
  readonly retentionDays: number;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/**
 * The uses of each fact in the last whole month (UTC), by its id, for the subject of the facts; without newer facts, and null if the audit no longer covers
 * that month. A whole month says little about the time of a request, from which its author could be inferred. Uses in channels that this person cannot read now
 * do not count: the number would reveal topics there.
 */
export async function countUses(
  actor: UserId,
  facts: readonly Fact[],
  { uses, retentionDays, clock, directory }: CountDeps & { readonly directory: Pick<Directory, "canRead"> },
): Promise<ReadonlyMap<string, FactUse> | null> {
  const now = clock.now();
  const until = startOfMonth(now);
  const month = startOfMonth(until - 1);
  // The first day of the retention has begun to be erased.
  const knownFrom = now - Math.floor(retentionDays - 1) * DAY_MS;
  if (knownFrom >= until) return null;
  const { times, isMinimum } = await uses.count(facts.map(toFactRef), { from: Math.max(month, knownFrom), until });
  const toUse = (fact: Fact): FactUse => {
    const places = [...(times.get(toFactRef(fact).ref) ?? [])].flatMap(([channelId, count]) =>
      channelId === null || directory.canRead(actor, channelId) ? [{ channelId, times: count }] : [],
    );
    return { month, places, isMinimum: isMinimum || knownFrom > month };
  };
  return new Map(facts.flatMap((fact) => (fact.createdAt < until ? [[fact.id, toUse(fact)]] : [])));
}

function startOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
