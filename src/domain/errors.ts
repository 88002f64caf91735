/** One table for every way a request can fail: what a transport answers, and whether trying again can help. */
export const ERRORS = {
  /** The request itself is malformed. */
  invalid: { status: 400, retry: false },
  unauthenticated: { status: 401, retry: false },
  /** The client's grant, or Discord's permissions, do not allow an action on something that may be known. */
  forbidden: { status: 403, retry: false },
  /** A person has to confirm it first. Asking again with the same arguments tells what became of it. */
  confirmation_needed: { status: 409, retry: true },
  /** Somebody else has taken it on meanwhile. */
  conflict: { status: 409, retry: false },
  /** Absent, or not to be known: the two look alike. */
  not_found: { status: 404, retry: false },
  /** Too large, or of a kind that is not handed out. */
  unsupported: { status: 415, retry: false },
  rate_limited: { status: 429, retry: true },
  /** Something that is normally there cannot be reached now: neither a yes nor a no. */
  unavailable: { status: 503, retry: true },
  /** Took longer than it was given. What it was to do may still have happened. */
  timeout: { status: 504, retry: true },
  /** It left for Discord and no answer came. The same call in the same operation looks for it before it does it again. */
  outcome_unknown: { status: 502, retry: true },
  cancelled: { status: 499, retry: false },
  /** The operator has to change the configuration first. */
  misconfigured: { status: 500, retry: false },
  /** A fault of ours; the log has the details. */
  internal: { status: 500, retry: false },
} as const satisfies Record<string, { status: number; retry: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** Something that a name could mean, or that it may be a misspelling of. Names of people and channels were chosen by others. */
export interface ErrorCandidate {
  readonly name: string;
  /** Of a person, channel or message. */
  readonly id?: string | undefined;
}

/** Why a start is refused, where a supervisor needs to know: only a person can remove it. */
export type Obstacle = "token_refused" | "port_taken" | "folder_locked";

export interface ErrorDetails {
  readonly cause?: unknown;
  /** Seconds to wait before trying again, where that is known. */
  readonly retryAfter?: number | undefined;
  /** What a person has been asked to confirm. */
  readonly confirmationId?: string | undefined;
  readonly candidates?: readonly ErrorCandidate[] | undefined;
  /** The next step, where the message does not say it. */
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

  /** What an HTTP server answers. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Whether trying again can help. */
  get canRetry(): boolean {
    return ERRORS[this.code].retry;
  }
}

/** Throws `cancelled` once the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EarshotError("cancelled", "The call was cancelled.", { cause: signal.reason });
}
