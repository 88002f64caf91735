/** Reading what a server sent: nothing is believed to have a shape before it was looked at, and what is missing reads as nothing. */

export type Raw = Readonly<Record<string, unknown>>;

const EMPTY: Raw = Object.freeze({});

export function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Raw {
  return isRecord(value) ? value : EMPTY;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Far above what Discord allows in one message; a server that sends more is cut here. */
const MOST_CHARACTERS = 20_000;
/** Discord allows 32 in a person's name, 80 in a webhook's, 100 in a channel's. */
const LONGEST_NAME = 100;

/** Well-formed Unicode of bounded length: a lone surrogate would be lost or doubled on its way through UTF-8. */
export function text(value: unknown, most = MOST_CHARACTERS): string {
  if (typeof value !== "string") return "";
  return value.length <= most ? value.toWellFormed() : `${value.slice(0, most).toWellFormed()}…`;
}

export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

export function name(value: unknown): string | null {
  return text(value, LONGEST_NAME) || null;
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** ISO time in UTC with milliseconds, or null for what is no time. */
export function isoTime(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 40) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) || time < 0 || time > 253_402_300_799_999 ? null : new Date(time).toISOString();
}
