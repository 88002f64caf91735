import { Pace } from "../../domain/steps/pace.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { ChannelIndexes } from "./channel-indexes.ts";

/** Between two steps, so that everybody who waits for something comes first. */
const PAUSE_MS = 2;

/** Indexes messages as they are taken in, while others are served: the first search need not wait for it. */
export class BackgroundIndexer {
  readonly #indexes: Pick<ChannelIndexes, "build">;
  readonly #pending = new Set<Timeline>();
  #isWorking = false;
  #isClosed = false;

  constructor(indexes: Pick<ChannelIndexes, "build">) {
    this.#indexes = indexes;
  }

  /** Something was taken in. */
  note(timeline: Timeline): void {
    if (this.#isClosed) return;
    this.#pending.add(timeline);
    if (!this.#isWorking) void this.#work();
  }

  close(): void {
    this.#isClosed = true;
    this.#pending.clear();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const pace = new Pace({ pause, check: () => {} });
    // Not at once: what comes in together is indexed together.
    await pause();
    for (const timeline of this.#pending) {
      this.#pending.delete(timeline);
      // A failure here repeats, and is reported, at the next search.
      await pace.run(this.#indexes.build(timeline, pace)).catch(() => {});
      if (this.#isClosed) break;
      await pause();
    }
    this.#isWorking = false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS).unref();
  });
}
