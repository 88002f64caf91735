import { idTime, type MessageId } from "./ids.ts";

/** Neighbouring ids, both ends included, as numbers: snowflakes need all 64 bits. */
export interface Interval {
  readonly from: bigint;
  readonly to: bigint;
}

/** In rising order, apart from each other: between any two there is at least one id that belongs to neither. */
export type Intervals = readonly Interval[];

export const OLDEST = 0n;
/** No id is newer. A stretch that ends here goes on for as long as events are heard. */
export const NEWEST = (1n << 64n) - 1n;

const EPOCH = idTime("0" as MessageId);

/** The smallest id that can have been minted at the time (milliseconds) or later. */
export function firstIdAt(time: number): bigint {
  const elapsed = Math.ceil(time - EPOCH);
  if (!(elapsed > 0)) return OLDEST;
  if (elapsed >= 2 ** 42) return NEWEST;
  return BigInt(elapsed) << 22n;
}

export function joinInterval(stretches: Intervals, { from, to }: Interval): Intervals {
  if (from > to) return stretches;
  const before = stretches.filter((each) => each.to < from - 1n);
  const after = stretches.filter((each) => each.from > to + 1n);
  const touched = stretches.slice(before.length, stretches.length - after.length);
  const first = touched[0];
  const last = touched.at(-1);
  const joined = {
    from: first && first.from < from ? first.from : from,
    to: last && last.to > to ? last.to : to,
  };
  return [...before, joined, ...after];
}

export function cutInterval(stretches: Intervals, { from, to }: Interval): Intervals {
  if (from > to) return stretches;
  return stretches.flatMap((each) => {
    if (each.to < from || each.from > to) return [each];
    const left = { from: each.from, to: from - 1n };
    const right = { from: to + 1n, to: each.to };
    return [left, right].filter((part) => part.from <= part.to);
  });
}

export function intervalAt(stretches: Intervals, id: bigint): Interval | undefined {
  return stretches.find((each) => each.from <= id && id <= each.to);
}
