import { EarshotError, type ErrorCode } from "../../domain/errors.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import type { Log } from "../../ports/log.ts";

export interface FailureContext {
  readonly log: Log;
  /** Such as "a call failed unexpectedly". */
  readonly what: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

const INTERNAL: WireError = {
  code: "internal",
  message: "Something went wrong inside Earshot; its log has the details.",
};

/** Turns a failure into a wire error. An unexpected error is logged, and becomes a neutral sentence. */
export function explain(error: unknown, context: FailureContext): WireError {
  if (error instanceof EarshotError) return toWireError(error);
  logUnforeseen(error, context);
  return INTERNAL;
}

export function toWireError(error: EarshotError): WireError {
  const { code, message, canRetry, retryAfter, confirmationId, hint, candidates } = error;
  return {
    code,
    message,
    ...(canRetry && { retry: true }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(confirmationId !== undefined && { confirmation_id: confirmationId }),
    ...(hint !== undefined && { hint }),
    ...(candidates && { candidates: [...candidates] }),
  };
}

export function codeOf(error: unknown): ErrorCode {
  return error instanceof EarshotError ? error.code : "internal";
}

/** Omits the error message, which may contain user text. */
function logUnforeseen(error: unknown, { log, what, fields }: FailureContext): void {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: "" };
  const trace = stack?.split("\n").filter((line) => /^\s+at /.test(line));
  log.error({ ...fields, error: name, trace }, what);
}
