import { EarshotError } from "../domain/errors.ts";
import type { Stretch } from "../domain/stretches.ts";
import type { Log } from "../ports/log.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import type { Timeline } from "./timeline.ts";

export interface DiskRecheckDeps {
  /** Timelines on disk that the bot may read now and that hold something unconfirmed. */
  unconfirmed(): readonly Timeline[];
  /** Lets go of what a timeline holds in an interval. */
  erase(timeline: Timeline, interval: Stretch): void;
  readonly fetcher: Pick<PageFetcher, "fetch" | "isBusy">;
  /** Between two pages, so that callers come first. */
  readonly intervalMs: number;
  readonly log: Log;
}

const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 300_000;
/** It lets callers go first so many times in a row. */
const MAX_POSTPONED = 10;

/**
 * Reads again, in the background, what is on disk and was not confirmed since a gap or a restart: the text of a message that was deleted
 * meanwhile must not stay there. One page at a time, newest first.
 */
export class DiskRecheck {
  readonly #deps: DiskRecheckDeps;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  #failures = 0;
  #postponed = 0;
  /** Those that could not be read last time; the others come first. */
  readonly #failed = new Set<Timeline>();

  constructor(deps: DiskRecheckDeps) {
    this.#deps = deps;
  }

  /** Call it whenever something may have become unconfirmed. Cheap; safe to repeat. */
  wake(): void {
    if (this.#timer || this.#isReading || this.#closing.signal.aborted || !this.#newest()) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#readPage();
    }, this.#delayMs);
    this.#timer.unref();
  }

  close(): void {
    this.#closing.abort();
    if (this.#timer) clearTimeout(this.#timer);
  }

  get #delayMs(): number {
    const { intervalMs } = this.#deps;
    if (this.#failures === 0) return intervalMs;
    return Math.min(MAX_BACK_OFF_MS, Math.max(intervalMs, MIN_BACK_OFF_MS) * 2 ** (this.#failures - 1));
  }

  async #readPage(): Promise<void> {
    const next = this.#newest();
    if (!next) return;
    if (this.#deps.fetcher.isBusy && this.#postponed < MAX_POSTPONED) {
      this.#postponed += 1;
      this.wake();
      return;
    }
    this.#postponed = 0;
    this.#isReading = true;
    try {
      await this.#confirm(next.timeline, next.interval);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#failed.add(next.timeline);
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.debug({ code, failures: this.#failures }, "messages on disk could not be read again yet");
    } finally {
      this.#isReading = false;
    }
    this.wake();
  }

  async #confirm(timeline: Timeline, { to }: Stretch): Promise<void> {
    const { fetcher, erase } = this.#deps;
    const page = await fetcher.fetch(timeline, { direction: "before", id: to + 1n }, this.#closing.signal);
    // Still unconfirmed although it was read: it has become too old to be held.
    if (page && timeline.doubtfulAt(to)) erase(timeline, { from: page.from, to });
  }

  #newest(): { timeline: Timeline; interval: Stretch } | null {
    const unconfirmed = this.#deps.unconfirmed();
    if (unconfirmed.every((timeline) => this.#failed.has(timeline))) this.#failed.clear();
    const all = unconfirmed.flatMap((timeline) => {
      const interval = timeline.doubtful.at(-1);
      return interval && !this.#failed.has(timeline) ? [{ timeline, interval }] : [];
    });
    return all.reduce<(typeof all)[number] | null>(
      (newest, each) => (newest && newest.interval.to >= each.interval.to ? newest : each),
      null,
    );
  }
}
