import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FactUses } from "../../ports/fact-uses.ts";
import type { FactUse } from "./own-facts.ts";

export interface CountDeps {
  readonly uses: FactUses;
  /** For how long it is known what was read. */
  readonly retentionDays: number;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 30;

/**
 * How often each fact was used, by its id; null where that is not known for a whole day. Counts whole days up to yesterday, in UTC: who looks at their
 * list again and again must not learn when somebody asked, from which it follows who did.
 */
export async function countUses(
  facts: readonly Fact[],
  { uses, retentionDays, clock }: CountDeps,
): Promise<ReadonlyMap<string, FactUse> | null> {
  const until = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  // The first day of the retention has begun to be erased.
  const days = Math.min(MAX_DAYS, Math.floor(retentionDays) - 1);
  if (days < 1) return null;
  const { times, isMinimum } = await uses.count(facts.map(toFactRef), { from: until - days * DAY_MS, until });
  return new Map(facts.map((fact) => [fact.id, { times: times.get(toFactRef(fact).ref) ?? 0, days, isMinimum }]));
}
