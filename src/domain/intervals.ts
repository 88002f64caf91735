import { idTime, type MessageId } from "./ids.ts";

/** A range of ids, both ends included. Snowflakes need 64 bits, hence bigint. */
export interface Interval {
  readonly from: bigint;
  readonly to: bigint;
}

/** In ascending order; between any two there is at least one id outside of both. */
export type Intervals = readonly Interval[];

export const OLDEST = 0n;
/** No id is newer. An interval that ends here also covers future messages, as long as events are received. */
export const NEWEST = (1n << 64n) - 1n;

const EPOCH = idTime("0" as MessageId);

/** The smallest id that can have been minted at the time (milliseconds) or later. */
export function firstIdAt(time: number): bigint {
  const elapsed = Math.ceil(time - EPOCH);
  if (!(elapsed > 0)) return OLDEST;
  if (elapsed >= 2 ** 42) return NEWEST;
  return BigInt(elapsed) << 22n;
}

export function joinInterval(intervals: Intervals, { from, to }: Interval): Intervals {
  if (from > to) return intervals;
  const before = intervals.filter((each) => each.to < from - 1n);
  const after = intervals.filter((each) => each.from > to + 1n);
  const touched = intervals.slice(before.length, intervals.length - after.length);
  const first = touched[0];
  const last = touched.at(-1);
  const joined = {
    from: first && first.from < from ? first.from : from,
    to: last && last.to > to ? last.to : to,
  };
  return [...before, joined, ...after];
}

export function cutInterval(intervals: Intervals, { from, to }: Interval): Intervals {
  if (from > to) return intervals;
  return intervals.flatMap((each) => {
    if (each.to < from || each.from > to) return [each];
    const left = { from: each.from, to: from - 1n };
    const right = { from: to + 1n, to: each.to };
    return [left, right].filter((part) => part.from <= part.to);
  });
}

export function intervalAt(intervals: Intervals, id: bigint): Interval | undefined {
  return intervals.find((each) => each.from <= id && id <= each.to);
}
