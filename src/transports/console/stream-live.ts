import type { Repeat } from "../kit/repeat.ts";
import type { LiveLine, LiveSamples } from "./live-samples.ts";
import { streamLines } from "./stream-lines.ts";

const AUDIT_INTERVAL_MS = 60_000;

export interface StreamDeps {
  readonly samples: LiveSamples;
  readonly repeat: Repeat;
  /** Notes in the audit that the page was opened, and each minute that it still is. */
  noteUse(): void;
}

/** Samples that a slow reader misses make no rate wrong: rates are differences over time. */
export function streamLive(signal: AbortSignal, { samples, repeat, noteUse }: StreamDeps): Response {
  return streamLines<LiveLine>(signal, (write) => {
    noteUse();
    return [samples.listen(write), repeat(noteUse, AUDIT_INTERVAL_MS)];
  });
}
