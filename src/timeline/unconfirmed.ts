import { cutInterval, type Interval, type Intervals, joinInterval } from "../domain/intervals.ts";
import type { HeldInterval } from "../ports/message-index.ts";
import { DAY_MS } from "./options.ts";

/** An interval in which deletions and edits may have been missed. */
export interface UnconfirmedInterval extends Interval {
  /** Everything up to this time (ms since 1970) was received. */
  readonly since: number;
}

/** Maximum time on disk of a message that may have been deleted unnoticed, unless Discord confirms it. */
export const MAX_UNCONFIRMED_MS = DAY_MS;
/** For an unknown time: messages unconfirmed since then are due. */
const LONG_AGO = 0;

/** A time in the future is useless, because the clock was wrong then or is wrong now: it counts as due. */
export function isDue(since: number, now: number): boolean {
  return !(since <= now && now < since + MAX_UNCONFIRMED_MS);
}

export function cutUnconfirmed(
  intervals: readonly UnconfirmedInterval[],
  cut: Interval,
): readonly UnconfirmedInterval[] {
  return intervals.flatMap((each) => cutInterval([each], cut).map(({ from, to }) => ({ ...each, from, to })));
}

/** Adds intervals with this time, and lowers the times of all others to it. */
export function addUnconfirmed(
  intervals: readonly UnconfirmedInterval[],
  added: Intervals,
  time: number,
): readonly UnconfirmedInterval[] {
  const since = toSince(time);
  const earlier = intervals.map((each) => (each.since <= since ? each : { ...each, since }));
  return [...earlier, ...added.map(({ from, to }) => ({ from, to, since }))];
}

/** Merges adjacent intervals, whatever their times. */
export function toIntervals(intervals: readonly UnconfirmedInterval[]): Intervals {
  return intervals.reduce<Intervals>(joinInterval, []);
}

/** The intervals of an earlier process: none is confirmed, and intervals that events kept current are unconfirmed since the last event. */
export function toUnconfirmed(held: readonly HeldInterval[], heardAt: number | null): readonly UnconfirmedInterval[] {
  return held.map(({ from, to, unconfirmedSince }) => ({ from, to, since: toSince(unconfirmedSince ?? heardAt) }));
}

function toSince(time: number | null): number {
  return time === null || Number.isNaN(time) ? LONG_AGO : time;
}

export function toHeld(known: Intervals, unconfirmed: readonly UnconfirmedInterval[]): readonly HeldInterval[] {
  return [
    ...known.map(({ from, to }) => ({ from, to, unconfirmedSince: null })),
    ...unconfirmed.map(({ from, to, since }) => ({ from, to, unconfirmedSince: since })),
  ];
}
