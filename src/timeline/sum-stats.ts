import type { TimelineStats } from "../ports/timelines.ts";
import type { Timeline } from "./timeline.ts";
import { MAX_UNCONFIRMED_MS } from "./unconfirmed.ts";

export type HeldStats = Pick<
  TimelineStats,
  "timelines" | "messages" | "bytes" | "unconfirmed" | "unconfirmedSince" | "eraseAt"
>;

export function sumStats(timelines: readonly Timeline[]): HeldStats {
  const sum = (of: (timeline: Timeline) => number) => timelines.reduce((total, timeline) => total + of(timeline), 0);
  const times = timelines.map(({ unconfirmedSince }) => unconfirmedSince).filter((time) => time !== null);
  const unconfirmedSince = times.length === 0 ? null : Math.min(...times);
  return {
    timelines: timelines.length,
    messages: sum(({ size }) => size),
    bytes: sum(({ bytes }) => bytes),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
    unconfirmedSince,
    eraseAt: unconfirmedSince === null ? null : unconfirmedSince + MAX_UNCONFIRMED_MS,
  };
}
