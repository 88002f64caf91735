import type { Clock } from "../world/world.ts";

/** Enforces minimum intervals. */
export interface Pauses {
  /** Zero if it is allowed now, which starts the interval; otherwise the milliseconds left. */
  begin(what: string, pauseMs: number): number;
}

export function createPauses(clock: Clock): Pauses {
  const until = new Map<string, number>();
  return {
    begin(what, pauseMs) {
      const now = clock.now();
      const left = (until.get(what) ?? 0) - now;
      if (left > 0) return left;
      until.set(what, now + pauseMs);
      return 0;
    },
  };
}

export const noPauses: Pauses = { begin: () => 0 };
