import type { EarshotError } from "../../domain/errors.ts";
import type { CallFrame } from "../../domain/rpc/rpc-frames.ts";
import type { Client } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { MethodCall } from "./methods.ts";
import type { Outbox } from "./outbox.ts";
import { writeError } from "./write-return.ts";

export interface Caller {
  readonly client: Client;
  readonly outbox: Outbox;
}

/** One call from its beginning to its answer. Most are answered at once, so what only a long one needs is made when it is asked for. */
export class RunningCall implements MethodCall {
  readonly id: string;
  readonly args: unknown;
  readonly operationId: string | null;
  readonly wantsText: boolean;
  readonly client: Client;
  readonly #outbox: Outbox;
  #stopping: AbortController | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #progress: Progress | null = null;
  #isAnswered = false;
  #stoppedBy: EarshotError | null = null;

  constructor({ id, payload }: CallFrame, { client, outbox }: Caller) {
    this.id = id;
    this.args = payload.args;
    this.operationId = payload.operation_id ?? null;
    this.wantsText = payload.text;
    this.client = client;
    this.#outbox = outbox;
  }

  get signal(): AbortSignal {
    this.#stopping ??= new AbortController();
    return this.#stopping.signal;
  }

  /** What is answered in the same breath needs no progress; of several at once the last counts. */
  get onProgress(): (progress: Progress) => void {
    return (progress) => {
      if (this.#isAnswered || this.#stoppedBy) return;
      this.#deadline?.refresh();
      if (this.#progress === null) setImmediate(() => this.#tellProgress());
      this.#progress = progress;
    };
  }

  /** Calls `onLate` when there has been no answer and no progress for so long. */
  limit(milliseconds: number, onLate: () => void): void {
    this.#deadline = setTimeout(onLate, milliseconds);
  }

  /** The first answer counts. */
  answer(frame: string): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    clearTimeout(this.#deadline);
    this.#outbox.send(frame);
  }

  /** Why it was stopped; null while nobody has. */
  get stoppedBy(): EarshotError | null {
    return this.#stoppedBy;
  }

  /** Tells the tool to stop, and answers with the error: at once, or within this time if the tool's own end says no more. */
  stop(error: EarshotError, graceMs: number): void {
    this.#stoppedBy = error;
    clearTimeout(this.#deadline);
    if (graceMs === 0) this.answer(writeError(this.id, error));
    else this.#deadline = setTimeout(() => this.answer(writeError(this.id, error)), graceMs);
    this.#stopping ??= new AbortController();
    this.#stopping.abort(error);
  }

  #tellProgress(): void {
    if (this.#isAnswered || this.#progress === null) return;
    const { scanned, scan, found } = this.#progress;
    this.#progress = null;
    const payload = JSON.stringify({ scanned, scan, found });
    const frame = `"op":"event/progress","reply_to":${JSON.stringify(this.id)},"payload":${payload}}`;
    if (this.#outbox.hasRoom()) this.#outbox.send(frame);
  }
}
