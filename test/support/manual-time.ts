import { setImmediate } from "node:timers/promises";

/** Time that passes only when the test lets it. */
export function createManualTime(start = 0) {
  let now = start;
  const waits: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    clock: { now: () => now },
    delay: (ms: number) => new Promise<void>((resolve) => void waits.push({ at: now + ms, resolve })),
    async pass(ms: number) {
      now += ms;
      for (const wait of waits.splice(0)) {
        if (wait.at <= now) wait.resolve();
        else waits.push(wait);
      }
      await setImmediate();
    },
  };
}
