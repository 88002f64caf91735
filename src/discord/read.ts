/** Parsers for data from a server: every shape is checked, and a missing or invalid value reads as empty. */

export type Raw = Readonly<Record<string, unknown>>;

const EMPTY: Raw = Object.freeze({});
const NOTHING: readonly unknown[] = Object.freeze([]);

export function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Raw {
  return isRecord(value) ? value : EMPTY;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING;
}

/** Far above Discord's limit for one message; longer text is cut. */
const MAX_CHARACTERS = 20_000;
/** Discord allows 32 in a person's name, 80 in a webhook's, 100 in a channel's. */
const MAX_NAME_LENGTH = 100;

/** Well-formed Unicode of bounded length: a lone surrogate would be lost or duplicated in UTF-8. */
export function text(value: unknown, most = MAX_CHARACTERS): string {
  if (typeof value !== "string") return "";
  return value.length <= most ? value.toWellFormed() : `${value.slice(0, most).toWellFormed()}…`;
}

export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

export function name(value: unknown): string | null {
  return text(value, MAX_NAME_LENGTH) || null;
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** ISO time in UTC with milliseconds, or null for an invalid time. */
export function isoTime(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 40) return null;
  if (isDiscordTime(value)) return `${value.slice(0, ISO_MILLISECONDS)}Z`;
  const time = Date.parse(value);
  return Number.isNaN(time) || time < 0 || time > 253_402_300_799_999 ? null : new Date(time).toISOString();
}

/** The length of 2026-11-15T05:00:00.000, without the time zone. */
const ISO_MILLISECONDS = 23;
/** Positions and codes of its non-digit characters. */
const ISO_MARKS = [
  [4, 45],
  [7, 45],
  [10, 84],
  [13, 58],
  [16, 58],
  [19, 46],
] as const;

/**
 * Whether it is a time in Discord's format, 2026-11-15T05:00:00.000000+00:00, from 1970 on. Then the result is part of it: parsing and
 * formatting would be the most expensive part of reading a message. The last days of months are left to the parser.
 */
function isDiscordTime(value: string): boolean {
  if (value.length !== 32 || !value.endsWith("+00:00")) return false;
  for (const [index, code] of ISO_MARKS) if (value.charCodeAt(index) !== code) return false;
  const isDate =
    isWithin(value, 0, 19, 99) &&
    (isWithin(value, 0, 20, 99) || isWithin(value, 2, 70, 99)) &&
    isWithin(value, 2, 0, 99) &&
    isWithin(value, 5, 1, 12) &&
    isWithin(value, 8, 1, 28);
  const isClock = isWithin(value, 11, 0, 23) && isWithin(value, 14, 0, 59) && isWithin(value, 17, 0, 59);
  return isDate && isClock && isWithin(value, 20, 0, 99) && isWithin(value, 22, 0, 99) && isWithin(value, 24, 0, 99);
}

/** Whether these two characters are digits, with their number in the range. */
function isWithin(value: string, index: number, least: number, most: number): boolean {
  const tens = value.charCodeAt(index) - 48;
  const ones = value.charCodeAt(index + 1) - 48;
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return false;
  const number = tens * 10 + ones;
  return number >= least && number <= most;
}
