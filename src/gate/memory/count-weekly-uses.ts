import type { ChannelId, UserId } from "../../domain/ids.ts";
import { type Fact, toFactRef } from "../../domain/memory/fact.ts";
import type { Directory } from "../../ports/directory.ts";
import type { CountDeps } from "./count-uses.ts";
import { areFew, isHeardByFew } from "./few-others.ts";
import type { UsedPlace, WeeklyUses } from "./own-facts.ts";

interface WeeklyDeps extends CountDeps {
  readonly directory: Pick<Directory, "channel" | "people" | "canRead" | "member">;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** From the Monday before 1970 began, a Thursday. */
const FIRST_MONDAY_MS = 3 * DAY_MS;
const MAX_WEEKS = 8;

/**
 * How often a fact was used in each week that is over, in UTC, for the person whom it is about; null where that is not known for a whole week. Who asked
 * must not follow from it: uses in a channel that few others read count as private ones, and how often a fact was used privately is not said where few others hear it.
 * Channels that this person cannot read now are left out.
 */
export async function countWeeklyUses(
  actor: UserId,
  fact: Fact,
  { uses, retentionDays, clock, directory }: WeeklyDeps,
): Promise<WeeklyUses | null> {
  const now = clock.now();
  const until = Math.floor((now + FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS - FIRST_MONDAY_MS;
  const daysOfThisWeek = Math.floor((now - until) / DAY_MS);
  // The first day of the retention has begun to be erased.
  const weeks = Math.min(MAX_WEEKS, Math.floor((Math.floor(retentionDays) - 1 - daysOfThisWeek) / 7));
  if (weeks < 1) return null;
  const ref = toFactRef(fact);
  const isPrivateTold = !isHeardByFew(fact, directory);
  const places = new Map<ChannelId | null, UsedPlace["weeks"][number][]>();
  let isAnyMinimum = false;
  for (let startsAt = until - WEEK_MS; startsAt >= until - weeks * WEEK_MS; startsAt -= WEEK_MS) {
    const { times, isMinimum } = await uses.count([ref], { from: startsAt, until: startsAt + WEEK_MS });
    isAnyMinimum ||= isMinimum;
    const told = new Map<ChannelId | null, number>();
    for (const [id, count] of times.get(ref.ref) ?? []) {
      const place = id === null ? null : toToldPlace(id, actor, directory);
      if (place !== undefined && (place !== null || isPrivateTold)) told.set(place, (told.get(place) ?? 0) + count);
    }
    for (const [place, count] of told) places.set(place, [...(places.get(place) ?? []), { startsAt, times: count }]);
  }
  return {
    weeks,
    places: [...places].map(([channelId, used]) => ({ channelId, weeks: used })).sort(byPlace),
    isMinimum: isAnyMinimum,
    isPrivateTold,
  };
}

/** Null where so few read it that it counts as private; undefined for what is not told. */
function toToldPlace(id: ChannelId, actor: UserId, directory: WeeklyDeps["directory"]): ChannelId | null | undefined {
  const guildId = directory.channel(id)?.guildId;
  if (!guildId || !directory.canRead(actor, id)) return undefined;
  const isAmong = (person: UserId) => directory.canRead(person, id);
  return areFew({ guildId, besides: actor, isAmong }, directory) ? null : id;
}

/** What was used privately comes last. */
function byPlace({ channelId: one }: UsedPlace, { channelId: other }: UsedPlace): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  return one < other ? -1 : 1;
}
