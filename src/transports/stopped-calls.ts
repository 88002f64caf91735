import { EarshotError } from "../domain/errors.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";

/** A call with an effect that is stopped gets this long to find out whether anything left. */
export const STOP_GRACE_MS = 1_000;

/** What a stopped call is answered with: why it was stopped, unless something left and no answer came. */
export function answerOfStopped(stoppedBy: EarshotError, end: unknown): EarshotError {
  return end instanceof EarshotError && end.code === "outcome_unknown" ? end : stoppedBy;
}

export function tooLong(callMs: number): EarshotError {
  const problem = `The call made no progress for ${formatSeconds(callMs / 1_000)} and was given up; nothing further is sent. Ask for less.`;
  return new EarshotError("timeout", problem);
}
