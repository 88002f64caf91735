import { signal } from "@preact/signals";
import type { LiveHistory, LiveLine, LiveSample } from "../../src/transports/console/live-samples.ts";
import { api, RequestError } from "../kit/api.ts";
import { readLines } from "../kit/read-lines.ts";
import { lose } from "../kit/session.ts";

export type LiveStatus = NonNullable<LiveLine["status"]>;

export const liveHistory = signal<LiveHistory>({ hour: [], day: [] });
export const liveStatus = signal<LiveStatus | null>(null);
/** The stream has ended, and is opened again. */
export const isStale = signal(false);

const RETRY_MS = 3_000;
/** A stream that is silent for this long is dead: a sample comes every five seconds. */
const MAX_QUIET_MS = 20_000;
const MAX_SAMPLES = 720;
const DAY_STEP_MS = 120_000;

/** Follows the live stream until the signal is aborted; opens it again when it ends. */
export async function followLive(abort: AbortSignal): Promise<void> {
  while (!abort.aborted) {
    const quiet = new AbortController();
    let timer = setTimeout(() => quiet.abort(), MAX_QUIET_MS);
    try {
      const response = await api.operator.live.$post({}, { init: { signal: AbortSignal.any([abort, quiet.signal]) } });
      for await (const line of readLines<LiveLine>(response.body as ReadableStream<Uint8Array<ArrayBuffer>>)) {
        take(line);
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), MAX_QUIET_MS);
      }
    } catch (error) {
      if (abort.aborted) return;
      if (error instanceof RequestError && !["disconnected", "unavailable"].includes(error.code)) return lose(error);
    }
    clearTimeout(timer);
    if (abort.aborted) return;
    isStale.value = true;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function take(line: LiveLine): void {
  isStale.value = false;
  if (line.status) liveStatus.value = line.status;
  if (line.kind === "history") liveHistory.value = line.history;
  else liveHistory.value = append(liveHistory.value, line.sample);
}

function append({ hour, day }: LiveHistory, sample: LiveSample): LiveHistory {
  const isDue = sample.at - (day.at(-1)?.at ?? 0) >= DAY_STEP_MS;
  return {
    hour: [...hour, sample].slice(-MAX_SAMPLES),
    day: isDue ? [...day, sample].slice(-MAX_SAMPLES) : day,
  };
}

type Counter = "events" | "requests" | "waited" | "calls" | "callMs" | "tokens";

/** How fast a growing count grew between each two samples, per this many milliseconds. A restart begins at zero again. */
export function toRates(samples: readonly LiveSample[], name: Counter, perMs: number): (number | null)[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (!before || sample[name] < before[name]) return null;
    return ((sample[name] - before[name]) / (sample.at - before.at)) * perMs;
  });
}

/** Milliseconds per call between each two samples; null where there was none. */
export function toLatencies(samples: readonly LiveSample[]): (number | null)[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    const calls = before ? sample.calls - before.calls : 0;
    return before && calls > 0 ? (sample.callMs - before.callMs) / calls : null;
  });
}
