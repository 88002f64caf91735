import type { EarshotError, Obstacle } from "./domain/errors.ts";

/** Codes from 64 on stand for what only a person can mend: a supervisor need not start the program again. See docs/reference/exit-codes.md. */
export const EXIT_CODES: Readonly<Record<Obstacle | "failed" | "misconfigured" | "stopped", number>> = {
  failed: 1,
  misconfigured: 64,
  token_refused: 65,
  port_taken: 66,
  folder_locked: 67,
  /** By Ctrl-C, as shells have it. */
  stopped: 130,
};

export function toExitCode({ code, obstacle }: EarshotError): number {
  if (obstacle) return EXIT_CODES[obstacle];
  if (code === "misconfigured") return EXIT_CODES.misconfigured;
  return code === "cancelled" ? EXIT_CODES.stopped : EXIT_CODES.failed;
}
