import { EarshotError, type ErrorCode, type ErrorDetails } from "../domain/errors.ts";

/** Why a model's server gave no answer. */
export type ModelFailureReason =
  | "unreachable"
  | "key_refused"
  | "no_such_model"
  | "too_many_requests"
  | "refused"
  | "server_failed"
  /** A web page, say: the address is not that of a model. */
  | "not_a_model"
  | "unreadable"
  /** The connection ended in the middle of an answer. */
  | "cut_off"
  /** Nothing came any more, in the middle of an answer. */
  | "stalled"
  /** Nothing came at all. */
  | "silent";

interface ModelFailureDetails extends Pick<ErrorDetails, "retryAfter"> {
  readonly reason: ModelFailureReason;
  /** What the server answered; null where it did not. */
  readonly httpStatus: number | null;
}

/** Carries nothing of what was asked, and no word of the server's. */
export class ModelFailure extends EarshotError {
  readonly reason: ModelFailureReason;
  readonly httpStatus: number | null;

  constructor(code: ErrorCode, message: string, { reason, httpStatus, ...details }: ModelFailureDetails) {
    super(code, message, details);
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}
