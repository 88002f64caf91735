import { EarshotError } from "../../domain/errors.ts";

export const DAMAGED =
  "the file is damaged. Stop Earshot, put the file back from where it was saved, then start again.";
/** By SQLite's primary result code: https://sqlite.org/rescode.html. The problem and the remedy. */
const PROBLEMS: Readonly<Record<number, string>> = {
  3: "Earshot may not use the file. Give its account access to the file and the folder, then try again.",
  5: "another program has locked the file. End that program, or wait until it is done, then try again.",
  8: "the file or its folder is read-only. Make both writable for Earshot, then try again.",
  10: "the disk reports an error. Check the disk, then start Earshot again.",
  11: DAMAGED,
  13: "the disk is full. Free some space, then try again.",
  26: DAMAGED,
};

/** Turns an error of the database into `unavailable`. `failed` names the failed action: "The file keys.db cannot be read". */
export function toUnavailable(failed: string, cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  return new EarshotError("unavailable", `${failed}${describeProblem(cause) ?? "; try again later."}`, { cause });
}

/** To append to the failed action. Null for an error that is neither the file's nor the disk's. */
export function describeProblem(cause: unknown): string | null {
  const code = codeOf(cause);
  // The last byte of an extended code is the primary one.
  const problem = code === null ? undefined : PROBLEMS[code & 0xff];
  return problem === undefined ? null : `: ${problem}`;
}

/** Null unless SQLite threw it. */
function codeOf(cause: unknown): number | null {
  return cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : null;
}
