import { EarshotError } from "../domain/errors.ts";
import type { Answer, ProgressPayload } from "../domain/rpc/rpc-frames.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";

export interface CallOptions {
  /** The operation within which a tool is called: of the event that is being answered, or from `operation.open`. */
  readonly operationId?: string;
  readonly signal?: AbortSignal;
  /** How long to wait for the answer, lost connections included; a minute by default. */
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: ProgressPayload) => void;
}

interface Pending {
  readonly frame: object;
  /** Doing it twice is the same as doing it once. */
  readonly isRepeatable: () => boolean;
  readonly onProgress: CallOptions["onProgress"];
  isSent: boolean;
  settle(answer: Answer): void;
}

export interface Request {
  readonly method: string;
  readonly args: object;
  readonly isRepeatable: () => boolean;
  /** Whether the answer is also wanted as text for a model. */
  readonly wantsText: boolean;
}

/** A tool's answer: for programs, and for a model where that was asked for. */
export interface Returned {
  readonly value: unknown;
  readonly text: string;
}

const MINUTE_MS = 60_000;
const MAX_PENDING = 1_000;

/** Calls that wait for an answer, or for a connection on which to ask. Each ends: by answer, time, cancellation or loss. */
export class PendingCalls {
  readonly #send: (frame: object) => boolean;
  readonly #pending = new Map<string, Pending>();
  #count = 0;

  /** `send` says whether there is a connection. */
  constructor(send: (frame: object) => boolean) {
    this.#send = send;
  }

  begin({ method, args, isRepeatable, wantsText }: Request, options: CallOptions): Promise<Returned> {
    const { operationId, signal, timeoutMs = MINUTE_MS, onProgress } = options;
    if (signal?.aborted) return Promise.reject(cancelled());
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(
        new EarshotError("rate_limited", "Too many calls are waiting for an answer; wait for one first."),
      );
    }
    const id = this.#nextId();
    const within = operationId === undefined ? {} : { operation_id: operationId };
    const payload = { method, args, ...within, ...(wantsText && { text: true }) };
    return new Promise((resolve, reject) => {
      const stop = (error: EarshotError) => {
        if (this.#pending.get(id)?.isSent) this.#send({ id: this.#nextId(), op: "rpc/cancel", payload: { call: id } });
        settle({ ok: false, error });
      };
      const onAbort = () => stop(cancelled());
      const timer = setTimeout(() => stop(tooLate(method, timeoutMs)), timeoutMs);
      const settle = (answer: Extract<Answer, { ok: true }> | { ok: false; error: EarshotError }) => {
        this.#pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        if (answer.ok) resolve({ value: answer.value, text: answer.text ?? "" });
        else reject(answer.error);
      };
      signal?.addEventListener("abort", onAbort);
      const pending: Pending = {
        frame: { id, op: "rpc/call", payload },
        isRepeatable,
        onProgress,
        isSent: false,
        settle: (answer) => settle(answer.ok ? answer : { ok: false, error: toError(answer.error) }),
      };
      this.#pending.set(id, pending);
      pending.isSent = this.#send(pending.frame);
    });
  }

  answer(id: string, answer: Answer): void {
    this.#pending.get(id)?.settle(answer);
  }

  progress(id: string, progress: ProgressPayload): void {
    this.#pending.get(id)?.onProgress?.(progress);
  }

  /** There is a connection again: asks what has not been asked. */
  resume(): void {
    for (const pending of this.#pending.values()) if (!pending.isSent) pending.isSent = this.#send(pending.frame);
  }

  /** The connection is lost. Repeatable calls wait for the next one; it is unknown whether the others were executed. */
  interrupt(): void {
    for (const pending of this.#pending.values()) {
      if (!pending.isSent) continue;
      if (pending.isRepeatable()) pending.isSent = false;
      else
        pending.settle(
          failed(
            "unavailable",
            "The connection was lost. Whether this was done is not known; look before repeating it.",
          ),
        );
    }
  }

  close(code: "unavailable" | "cancelled", message: string): void {
    for (const pending of this.#pending.values()) pending.settle(failed(code, message));
  }

  #nextId(): string {
    this.#count += 1;
    return `c${this.#count}`;
  }
}

function failed(code: "unavailable" | "cancelled", message: string): Answer {
  return { ok: false, error: { code, message } };
}

function toError(error: Extract<Answer, { ok: false }>["error"]): EarshotError {
  const { code, message, retry_after: retryAfter, confirmation_id: confirmationId, hint, candidates } = error;
  return new EarshotError(code, message, { retryAfter, confirmationId, hint, candidates });
}

function cancelled(): EarshotError {
  return new EarshotError("cancelled", "The call was cancelled. What it was to do may already have happened.");
}

function tooLate(method: string, timeoutMs: number): EarshotError {
  return new EarshotError("timeout", `No answer to ${method} within ${formatSeconds(timeoutMs / 1000)}.`);
}
