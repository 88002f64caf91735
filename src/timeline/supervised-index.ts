import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { MessageIndex, OpenMessageIndex } from "../ports/message-index.ts";

export interface SupervisedIndexDeps {
  readonly openIndex: OpenMessageIndex;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when nothing of this index may be served any more. */
  readonly onFailure: (index: MessageIndex) => void;
}

/** The first retry is immediate; later ones wait, each twice as long as the one before. */
const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 300_000;

/**
 * Replaces an index that fails by an empty one. It is only a cache of Discord's messages, so nothing is lost but time. Owners call
 * `refresh` before they rely on it.
 */
export class SupervisedIndex {
  readonly #file: string | null;
  readonly #deps: SupervisedIndexDeps;
  /** Null while there is no usable index. */
  #index: MessageIndex | null = null;
  #openedAt = 0;
  #failures = 0;
  #retryAt = 0;

  /** Throws `misconfigured` if the operator must act. */
  constructor(file: string | null, deps: SupervisedIndexDeps) {
    this.#file = file;
    this.#deps = deps;
    try {
      this.#open(false);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#noteFailure(reasonOf(error));
      this.refresh();
    }
  }

  get isUsable(): boolean {
    return this.#index?.failure === null;
  }

  /** Throws `unavailable` while there is no usable index. */
  get index(): MessageIndex {
    if (this.#index?.failure === null) return this.#index;
    const seconds = Math.max(1, Math.ceil((this.#retryAt - this.#deps.clock.now()) / 1_000));
    throw new EarshotError("unavailable", `Stored messages are being rebuilt; retry in ${seconds} s.`, {
      retryAfter: seconds,
    });
  }

  /** Notices a failure, and replaces the index once the pause is over. Never throws. */
  refresh(): void {
    if (this.#index && this.#index.failure !== null) this.#drop(this.#index.failure);
    if (this.#index || this.#deps.clock.now() < this.#retryAt) return;
    try {
      this.#open(true);
      this.#deps.log.info({ store: this.#store }, "the message index was rebuilt: it starts empty");
    } catch (error) {
      this.#noteFailure(reasonOf(error));
    }
  }

  /** Call when the index's content is wrong although it has not failed. Does nothing if it was replaced already. */
  fail(index: MessageIndex, reason: string): void {
    if (this.#index === index) this.#drop(index.failure ?? reason);
  }

  /** A failed index is deleted first, because it may contain messages that were deleted since. */
  close(): void {
    if (!this.isUsable) {
      this.refresh();
      this.#retryAt = 0;
      this.refresh();
    }
    this.#index?.close();
  }

  #open(startEmpty: boolean): void {
    this.#index = this.#deps.openIndex(this.#file, { startEmpty });
    this.#openedAt = this.#deps.clock.now();
  }

  #drop(reason: string): void {
    const failed = this.#index;
    if (!failed) return;
    this.#index = null;
    failed.close();
    if (this.#deps.clock.now() - this.#openedAt >= MAX_BACK_OFF_MS) this.#failures = 0;
    this.#noteFailure(reason);
    this.#deps.onFailure(failed);
  }

  #noteFailure(reason: string): void {
    this.#failures += 1;
    const delay = this.#failures === 1 ? 0 : Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** (this.#failures - 2));
    this.#retryAt = this.#deps.clock.now() + delay;
    const retryInSeconds = Math.ceil(delay / 1_000);
    const fields = { store: this.#store, reason, retryInSeconds };
    this.#deps.log.error(fields, "the message index failed and will be rebuilt");
  }

  get #store(): "memory" | "disk" {
    return this.#file === null ? "memory" : "disk";
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "unavailable";
}

/** SQLite's own messages contain no text of messages; other causes may. */
function reasonOf(error: unknown): string {
  const cause = error instanceof EarshotError ? error.cause : undefined;
  if (cause instanceof Error && "errstr" in cause) return String(cause.errstr);
  return error instanceof EarshotError ? error.message : "unknown";
}
