import type { Delay } from "../../src/discord/delay.ts";

/** A clock that moves only when somebody waits, and every wait that was asked for. */
export function createFakeTime(start = Date.now()) {
  let now = start;
  const waits: number[] = [];
  const delay: Delay = async (ms, signal) => {
    signal?.throwIfAborted();
    waits.push(Math.round(ms));
    now += ms;
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return {
    clock: { now: () => now },
    delay,
    waits,
    advance(ms: number) {
      now += ms;
    },
  };
}
