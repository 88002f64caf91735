import { EarshotError } from "../../domain/errors.ts";

/** By SQLSTATE or its class: https://www.postgresql.org/docs/current/errcodes-appendix.html. The problem and the remedy. */
const PROBLEMS: Readonly<Record<string, string>> = {
  "08": "it cannot be reached. Check that PostgreSQL runs and can be reached from here; Earshot goes on by itself.",
  "25006": "it is read-only. Make it writable; Earshot goes on by itself.",
  "28": "it refuses the user or the password. Correct the address, then start Earshot again.",
  "3D": "there is no database of that name. Create it, or correct the address.",
  "3F": "there is no schema of that name. Create it, or correct the address.",
  "42P07": "it holds tables of another program under the same names. Name an empty database, or an empty schema.",
  "42501": "its user may not do that. Give the user all rights to Earshot's tables, and the right to create them.",
  "53": "it has no room or no connection left. Free some, then try again.",
  "53100": "the disk is full. Free some space, then try again.",
  "55P03": "it takes too long. Try again later.",
  "57014": "it takes too long. Try again later.",
  "57P": "it is being started or stopped. Try again later.",
  "58": "its disk reports an error. Check the disk.",
};

/** Turns an error of the driver into `unavailable`. `failed` names the failed action: "The database cannot be read". The driver's
 * message may contain values, and is left out. */
export function toUnavailable(failed: string, cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  const code = stateOf(cause);
  const problem = PROBLEMS[code] ?? PROBLEMS[code.slice(0, 3)] ?? PROBLEMS[code.slice(0, 2)];
  return new EarshotError("unavailable", `${failed}${problem ? `: ${problem}` : "; try again later."}`, { cause });
}

/** Whether the transaction was rolled back and a retry may succeed at once: a conflict with another transaction, or a lost connection. */
export function isUndone(cause: unknown): boolean {
  return /^(?:40001|40P01|57P0[12]|08...)$/.test(stateOf(cause));
}

/** Whether a statement affected no row although it had to: it divides by their number. */
export function isNone(cause: unknown): boolean {
  return stateOf(cause) === "22012";
}

/** Whether the server sent it and keeps the connection. */
export function isFromServer(cause: unknown): boolean {
  return cause instanceof Error && "severity" in cause && cause.severity !== "FATAL";
}

/** SQLSTATE; that of a connection failure if the server sent none. */
function stateOf(cause: unknown): string {
  if (cause instanceof EarshotError) return "";
  return cause instanceof Error && "severity" in cause && "code" in cause ? String(cause.code) : "08000";
}
