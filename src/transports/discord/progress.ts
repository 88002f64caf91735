import { Serial } from "../../domain/serial.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PrivateAnswer } from "../../ports/discord.ts";
import type { Progress } from "../../ports/timelines.ts";

const EVERY_MS = 2_000;

/** Reports progress to a waiting person from time to time. */
export class ProgressNotes {
  readonly #answer: Pick<PrivateAnswer, "rewrite">;
  readonly #clock: Clock;
  #nextAt: number;
  readonly #writing = new Serial();

  constructor(answer: Pick<PrivateAnswer, "rewrite">, clock: Clock) {
    this.#answer = answer;
    this.#clock = clock;
    this.#nextAt = clock.now() + EVERY_MS;
  }

  readonly note = ({ scanned }: Progress): void => {
    if (this.#clock.now() < this.#nextAt) return;
    this.#nextAt = this.#clock.now() + EVERY_MS;
    const text = `Looked at ${scanned.toLocaleString("en")} messages…`;
    // If it fails, the answer itself reports the reason.
    this.#writing.run(() => this.#answer.rewrite({ text })).catch(() => {});
  };

  /** Resolves when no write is pending that could overwrite the answer. */
  async end(): Promise<void> {
    this.#nextAt = Number.POSITIVE_INFINITY;
    await this.#writing.settled();
  }
}
