import { setTimeout as sleep } from "node:timers/promises";

/** Rejects as soon as the signal aborts. */
export type Delay = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Does not keep the process alive. */
export const realDelay: Delay = async (ms, signal) => {
  await sleep(ms, undefined, { ref: false, ...(signal && { signal }) });
};
