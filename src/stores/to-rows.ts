import type { Row } from "./database.ts";

/** Objects with the same members as rows: `sentAt` goes into the column `sent_at`, and a boolean becomes 0 or 1. */
export function toRows(objects: readonly object[]): Row[] {
  const toColumn = (member: string) => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return translate(objects, toColumn, (value) => (typeof value === "boolean" ? Number(value) : value));
}

/** The reverse of `toRows`, for the rows of one query. Booleans are in columns named `is_…`. */
export function fromRows<Result extends object>(rows: readonly object[]): Result[] {
  const toMember = (column: string) => column.replaceAll(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase());
  return translate(rows, toMember, (value, column) => (column.startsWith("is_") ? value === 1 : value));
}

/** Translates the names once, because that takes longer than the rest. */
function translate<Result extends object>(
  given: readonly object[],
  toName: (name: string) => string,
  toValue: (value: unknown, name: string) => unknown,
): Result[] {
  const names = Object.keys(given[0] ?? {}).map((name) => [name, toName(name)] as const);
  return given.map((one) => {
    const values = one as Readonly<Record<string, unknown>>;
    const translated: Record<string, unknown> = {};
    for (const [name, other] of names) translated[other] = toValue(values[name], name);
    return translated as Result;
  });
}
