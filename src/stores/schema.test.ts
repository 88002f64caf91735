import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SCHEMA } from "./schema.ts";

/** Columns that may be NULL in one of the tables. */
const NULLABLE = new Set(
  [...SCHEMA.matchAll(/(\w+) (?:TEXT|INTEGER|REAL|BLOB)(?! (?:NOT NULL|PRIMARY KEY))/g)].map(([, name]) => name),
);
const STORES = readdirSync(import.meta.dirname).filter((name) => /(?<!\.test|\.suite)\.ts$/.test(name));

it("no store orders rows by a column that may be NULL, which SQLite puts first and PostgreSQL last", () => {
  const ordered = STORES.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    return [...text.matchAll(/ORDER BY ([\w., ]+)/g)].flatMap(([, columns = ""]) =>
      columns.split(",").map((column) => `${name}: ${/^(?:\w+\.)?(\w+)/.exec(column.trim())?.[1]}`),
    );
  });
  expect(NULLABLE).toContain("audience_ref");
  expect(ordered).toContain("fact-store.ts: created_at");
  const mayBeNull = ordered.filter((each) => NULLABLE.has(each.replace(/.*: /, "")));
  expect(mayBeNull.sort()).toEqual([
    // Never NULL in the table of lines. A talk without lines has one row, so nothing is ordered by it.
    "episode-store.ts: message_id",
    "episode-store.ts: message_id",
    // Only facts with such a time are read.
    "fact-store.ts: expires_at",
  ]);
});
