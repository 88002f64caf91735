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
const MAX_DAYS = 30;

/**
 * How often each fact was used, by its id, for the person whom they are about; null where that is not known for a whole day. Counts whole days up to yesterday,
 * in UTC: who looks at their list again and again must not learn when somebody asked, from which it follows who did. Nor do uses count in channels that
 * this person cannot read now: the number would tell what is talked about there.
 */
export async function countUses(
  actor: UserId,
  facts: readonly Fact[],
  { uses, retentionDays, clock, directory }: CountDeps & { readonly directory: Pick<Directory, "canRead"> },
): Promise<ReadonlyMap<string, FactUse> | null> {
  const until = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  // The first day of the retention has begun to be erased.
  const days = Math.min(MAX_DAYS, Math.floor(retentionDays) - 1);
  if (days < 1) return null;
  const { times, isMinimum } = await uses.count(facts.map(toFactRef), { from: until - days * DAY_MS, until });
  const countTold = (fact: Fact) => {
    let told = 0;
    for (const [place, count] of times.get(toFactRef(fact).ref) ?? [])
      if (place === null || directory.canRead(actor, place)) told += count;
    return told;
  };
  return new Map(facts.map((fact) => [fact.id, { times: countTold(fact), days, isMinimum }]));
}
