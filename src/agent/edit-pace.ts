import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";

export interface EditPaceDeps {
  readonly clock: Clock;
  /** By default uses a timer that does not keep the process alive. */
  readonly delay?: (ms: number) => Promise<void>;
}

interface Waiting {
  readonly isFinal: boolean;
  readonly begin: () => void;
}

interface ChannelTurns {
  nextAt: number;
  intervalMs: number;
  readonly waiting: Waiting[];
  isRunning: boolean;
}

const INTERVAL_MS = 1_500;
const MAX_INTERVAL_MS = 24_000;
const MAX_CHANNELS = 10_000;

/** Throttles edits of answers: one at a time per channel, shared by all answers there. */
export class EditPace {
  readonly #clock: Clock;
  readonly #delay: (ms: number) => Promise<void>;
  readonly #channels = new BoundedMap<ChannelId, ChannelTurns>({ maxEntries: MAX_CHANNELS });

  constructor({ clock, delay = (ms) => sleep(ms, undefined, { ref: false }) }: EditPaceDeps) {
    this.#clock = clock;
    this.#delay = delay;
  }

  /** Resolves when the caller may edit; the final edit of an answer comes first. Throws `cancelled` when the signal aborts. */
  async turn(
    channelId: ChannelId,
    { isFinal = false, signal }: { isFinal?: boolean; signal: AbortSignal },
  ): Promise<void> {
    const turns = this.#turnsOf(channelId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { isFinal, begin: resolve };
    const leave = () => {
      const index = turns.waiting.indexOf(waiting);
      if (index >= 0) turns.waiting.splice(index, 1);
      reject(new EarshotError("cancelled", "The answer is not written any further."));
    };
    if (signal.aborted) leave();
    else turns.waiting.push(waiting);
    signal.addEventListener("abort", leave);
    if (!turns.isRunning) void this.#run(turns);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Call after a rate limit: doubles the interval of the channel. */
  slowDown(channelId: ChannelId): void {
    const turns = this.#turnsOf(channelId);
    turns.intervalMs = Math.min(2 * turns.intervalMs, MAX_INTERVAL_MS);
    turns.nextAt = this.#clock.now() + turns.intervalMs;
  }

  /** Call after an accepted edit. */
  recover(channelId: ChannelId): void {
    this.#turnsOf(channelId).intervalMs = INTERVAL_MS;
  }

  async #run(turns: ChannelTurns): Promise<void> {
    turns.isRunning = true;
    while (turns.waiting.length > 0) {
      const waitMs = turns.nextAt - this.#clock.now();
      // A longer wait is impossible unless the clock was set back.
      if (waitMs > 0 && waitMs <= MAX_INTERVAL_MS) {
        await this.#delay(waitMs);
        continue;
      }
      const next = turns.waiting.find(({ isFinal }) => isFinal) ?? turns.waiting[0];
      if (!next) break;
      turns.waiting.splice(turns.waiting.indexOf(next), 1);
      turns.nextAt = this.#clock.now() + turns.intervalMs;
      next.begin();
    }
    turns.isRunning = false;
  }

  #turnsOf(channelId: ChannelId): ChannelTurns {
    const known = this.#channels.use(channelId);
    if (known) return known;
    const made = { nextAt: 0, intervalMs: INTERVAL_MS, waiting: [], isRunning: false };
    this.#channels.set(channelId, made);
    return made;
  }
}
