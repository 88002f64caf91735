import type { Clock } from "../world/world.ts";

/** Things that may be done only once in a while. */
export interface Pauses {
  /** Zero when it may be done now, which begins the pause; otherwise the milliseconds left. */
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
