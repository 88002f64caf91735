import type { Query } from "../../domain/search/query.ts";
import type { Steps } from "../../domain/steps/pace.ts";
import type { Frame } from "../index/frame.ts";
import { type PlanDeps, toPlan } from "../rank/plan.ts";
import { MessageScorer } from "../rank/score.ts";

/** Seconds, as frames count them. */
const END_OF_TIME = 2 ** 32;

interface Choice {
  readonly query: Query;
  readonly frames: readonly Frame[];
  /** In all channels together. */
  readonly max: number;
}

/** Where a message stands. */
export interface Spot {
  readonly frame: Frame;
  readonly row: number;
}

/**
 * The newest messages that meet all conditions which the index can tell, each frame's oldest first. Those of one second are chosen together or
 * not at all.
 */
export function* newestAllowed({ query, frames, max }: Choice, deps: PlanDeps): Steps<Spot[]> {
  const allowed = yield* allowedRows({ query, frames }, deps);
  if (deps.pacer.spend(frames.length * SEARCH_COST)) yield;
  const countFrom = (time: number) =>
    allowed.reduce((sum, { times }) => sum + times.length - countBefore(times, time), 0);
  let [low, high] = [0, END_OF_TIME];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (countFrom(middle) <= max) high = middle;
    else low = middle + 1;
  }
  const spots: Spot[] = [];
  for (const { frame, times, rows } of allowed)
    for (let index = countBefore(times, low); index < times.length; index += 1)
      spots.push({ frame, row: rows?.[index] ?? index });
  return spots;
}

/** At most `max` of them, the newest; those of one second together or not at all. */
export function newestSpots(spots: readonly Spot[], max: number): readonly Spot[] {
  if (spots.length <= max) return spots;
  const timeOf = ({ frame, row }: Spot) => frame.times[row] ?? 0;
  const cut = Uint32Array.from(spots, timeOf).sort()[spots.length - max - 1] ?? END_OF_TIME;
  return spots.filter((spot) => timeOf(spot) > cut);
}

/** What it takes to find the moment from which on there are few enough, for each frame, in units of work. */
const SEARCH_COST = 1_500;

interface Allowed {
  readonly frame: Frame;
  readonly rows: readonly number[] | null;
  readonly times: Uint32Array;
}

/** With the time of each row. All rows where there are no conditions. */
function* allowedRows({ query, frames }: Pick<Choice, "query" | "frames">, deps: PlanDeps): Steps<Allowed[]> {
  const plan = { ...(yield* toPlan({ ...query, text: "" }, frames, deps)), words: [] };
  if (plan.needed.length + plan.unwanted.length === 0)
    return frames.map((frame) => ({ frame, rows: null, times: frame.times }));
  const scorer = new MessageScorer(plan, deps.pacer);
  const allowed: Allowed[] = [];
  let firstPart = 0;
  for (const frame of frames) {
    const rows: number[] = [];
    yield* scorer.visit({ frame, firstPart }, Number.NEGATIVE_INFINITY, (row) => rows.push(row));
    firstPart += frame.parts.length;
    allowed.push({ frame, rows, times: Uint32Array.from(rows, (row) => frame.times[row] ?? 0) });
  }
  return allowed;
}

function countBefore(times: Uint32Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
