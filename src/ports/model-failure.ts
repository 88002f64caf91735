import { EarshotError, type ErrorCode, type ErrorDetails } from "../domain/errors.ts";

export type ModelFailureReason =
  | "unreachable"
  | "key_refused"
  | "no_such_model"
  | "too_many_requests"
  | "refused"
  | "server_failed"
  /** A web page, for example: the address is not that of a model. */
  | "not_a_model"
  | "unreadable"
  /** The connection ended in the middle of an answer. */
  | "cut_off"
  /** No more data came in the middle of an answer. */
  | "stalled"
  | "silent";

interface ModelFailureDetails extends Pick<ErrorDetails, "retryAfter"> {
  readonly reason: ModelFailureReason;
  /** Null without an HTTP answer. */
  readonly httpStatus: number | null;
}

/** Contains no text of the request or of the server's answer. */
export class ModelFailure extends EarshotError {
  readonly reason: ModelFailureReason;
  readonly httpStatus: number | null;

  constructor(code: ErrorCode, message: string, { reason, httpStatus, ...details }: ModelFailureDetails) {
    super(code, message, details);
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}
