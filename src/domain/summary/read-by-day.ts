import type { TimeSpan } from "../time/time-span.ts";

export const DAY_MS = 86_400_000;
/** A longer period is divided into parts longer than a day. */
const MAX_PARTS = 31;

/** A part of a period, and how many of its messages are read at most. */
interface Share {
  readonly span: TimeSpan;
  readonly limit: number;
}

/**
 * Reads a period day by day, so that each gets its share of `max`; what a quiet day leaves goes to those after it, which matter more. Returns the
 * parts from the newest on.
 */
export async function readByDay<Part>(
  { from, to }: TimeSpan,
  max: number,
  read: (share: Share) => Promise<{ readonly count: number; readonly part: Part }>,
): Promise<Part[]> {
  const parts = Math.max(1, Math.min(MAX_PARTS, max, Math.ceil((to - from) / DAY_MS)));
  const length = (to - from) / parts;
  const done: Part[] = [];
  let left = max;
  for (let at = 0; at < parts && left > 0; at += 1) {
    const start = Math.round(from + at * length);
    const end = at === parts - 1 ? to : Math.round(from + (at + 1) * length) - 1;
    const { count, part } = await read({ span: { from: start, to: end }, limit: Math.ceil(left / (parts - at)) });
    left -= count;
    done.unshift(part);
  }
  return done;
}
