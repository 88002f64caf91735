import type { Row } from "./database.ts";

/** An object as a row: `sentAt` goes into the column `sent_at`, and a boolean becomes 0 or 1. */
export function toRow(object: object): Row {
  const columns = Object.entries(object).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof value === "boolean" ? Number(value) : value,
  ]);
  return Object.fromEntries(columns);
}

/** The reverse of `toRow`. Booleans are in columns named `is_…`. */
export function fromRow<Result extends object>(row: object): Result {
  const members = Object.entries(row).map(([column, value]) => [
    column.replaceAll(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase()),
    column.startsWith("is_") ? value === 1 : value,
  ]);
  return Object.fromEntries(members) as Result;
}
