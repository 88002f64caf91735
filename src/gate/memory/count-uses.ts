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
 * How often each fact was used in the last whole month, in UTC, by its id, for the person whom they are about; without those that are newer, and null where nothing is known of that month. A
 * month says little about when somebody asked, from which it would follow who did. Nor do uses count in channels that this person cannot read now: the
 * number would tell what is talked about there.
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
