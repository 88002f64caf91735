/** One table for every kind of failure: its HTTP status, and whether a retry can help. */
export const ERRORS = {
  /** The request itself is malformed. */
  invalid: { status: 400, retry: false },
  unauthenticated: { status: 401, retry: false },
  /** The client's grant, or Discord's permissions, forbid an action on something that the caller may know. */
  forbidden: { status: 403, retry: false },
  /** A person must confirm it first. Repeating the call with the same arguments returns the outcome. */
  confirmation_needed: { status: 409, retry: true },
  /** Another caller has taken it on meanwhile. */
  conflict: { status: 409, retry: false },
  /** Absent or hidden from the caller: the two look alike. */
  not_found: { status: 404, retry: false },
  /** Too large, or of an unsupported kind. */
  unsupported: { status: 415, retry: false },
  rate_limited: { status: 429, retry: true },
  /** Something is temporarily unreachable, so there is no answer. */
  unavailable: { status: 503, retry: true },
  /** The deadline passed. The action may still have happened. */
  timeout: { status: 504, retry: true },
  /** The request was sent to Discord and no answer came. The same call in the same operation checks the outcome before it sends again. */
  outcome_unknown: { status: 502, retry: true },
  cancelled: { status: 499, retry: false },
  /** The operator must change the configuration first. */
  misconfigured: { status: 500, retry: false },
  /** A fault of Earshot; the log has the details. */
  internal: { status: 500, retry: false },
} as const satisfies Record<string, { status: number; retry: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** A possible meaning of a name, or of its misspelling. Names of people and channels are untrusted. */
export interface ErrorCandidate {
  readonly name: string;
  /** Id of a person, channel or message. */
  readonly id?: string | undefined;
}

/** An obstacle to the start that only a person can remove; a supervisor needs to know it. */
export type Obstacle = "token_refused" | "port_taken" | "folder_locked";

export interface ErrorDetails {
  readonly cause?: unknown;
  /** Seconds to wait before a retry, if known. */
  readonly retryAfter?: number | undefined;
  readonly confirmationId?: string | undefined;
  readonly candidates?: readonly ErrorCandidate[] | undefined;
  /** The next step, if the message does not contain it. */
  readonly hint?: string | undefined;
  readonly obstacle?: Obstacle | undefined;
}

/**
 * The message says what happened and what to do next, in words fit for a person and a model. Programs decide by the other fields.
 *
 * @example
 * import { createEarshot, EarshotError } from "earshot";
 *
 * const earshot = await createEarshot();
 * try {
 *   await earshot.as("sarah", "private").call("get_recent_messages", { channel: "no-such-channel" });
 * } catch (error) {
 *   if (error instanceof EarshotError) console.log(error.code); // not_found
 * }
 * await earshot.close();
 */
export class EarshotError extends Error implements ErrorDetails {
  override readonly name = "EarshotError";
  readonly code: ErrorCode;
  readonly retryAfter: number | undefined;
  readonly confirmationId: string | undefined;
  readonly candidates: readonly ErrorCandidate[] | undefined;
  readonly hint: string | undefined;
  readonly obstacle: Obstacle | undefined;

  constructor(code: ErrorCode, message: string, { cause, ...details }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = details.retryAfter;
    this.confirmationId = details.confirmationId;
    this.candidates = details.candidates;
    this.hint = details.hint;
    this.obstacle = details.obstacle;
  }

  /** The HTTP status. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  get canRetry(): boolean {
    return ERRORS[this.code].retry;
  }
}

/** Throws `cancelled` once the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EarshotError("cancelled", "The call was cancelled.", { cause: signal.reason });
}
