import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";

/** All ASCII signs that are neither letters nor digits: they too are part of what can be searched for. */
const SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/**
 * `gram` keeps no text of its own: it says which messages hold which parts, in the order of their ids. Each message is also entered
 * under its place.
 */
const SCHEMA = `
  CREATE TABLE meta (version TEXT NOT NULL);
  CREATE TABLE place (n INTEGER PRIMARY KEY AUTOINCREMENT, channel INTEGER NOT NULL, guild INTEGER, thread INTEGER);
  CREATE INDEX place_channel ON place (channel);
  CREATE TABLE stretch (channel INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
  CREATE INDEX stretch_channel ON stretch (channel);
  CREATE TABLE message (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, author INTEGER NOT NULL, name ANY NOT NULL, traits INTEGER NOT NULL,
    ts INTEGER NOT NULL, edited INTEGER, reply INTEGER, link ANY, content ANY NOT NULL, parts TEXT, attachments TEXT
  ) STRICT;
  CREATE VIRTUAL TABLE gram USING fts5 (
    grams, content = '', columnsize = 0, detail = none, tokenize = ${quoted(`ascii tokenchars ${quoted(SIGNS, "'")}`, '"')}
  );
`;
/** Words are parted by the rules of a Unicode version: entries made by other rules could not be taken out again. */
const VERSION = `2-parts/${process.versions["unicode"] ?? ""}`;

/** In memory, or in a file that only its owner may read. One process at a time. */
export function openDatabase(file: string | null): DatabaseSync {
  if (file === null) return prepared(new DatabaseSync(":memory:"));
  let database: DatabaseSync | null = null;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = new DatabaseSync(file);
    chmodSync(file, 0o600);
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
    `);
    prepared(database).exec("INSERT INTO gram (gram, rank) VALUES ('secure-delete', 1)");
    return database;
  } catch (cause) {
    if (database?.isOpen) database.close();
    const hint = "Check that the folder can be written to and that no other Earshot uses it.";
    throw new EarshotError("misconfigured", `The message index on disk cannot be opened. ${hint}`, { cause });
  }
}

function prepared(database: DatabaseSync): DatabaseSync {
  if (isCurrent(database)) return database;
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'gram_%' AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  const isOurs = tables.length === 0 || tables.some(({ name }) => name === "gram");
  if (!isOurs) throw new Error("the file holds something else");
  // What cannot be read any more can be fetched again.
  for (const { name } of tables) database.exec(`DROP TABLE "${String(name)}"`);
  database.exec(SCHEMA);
  database.prepare("INSERT INTO meta VALUES (?)").run(VERSION);
  return database;
}

function isCurrent(database: DatabaseSync): boolean {
  const hasMeta = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  return hasMeta && database.prepare("SELECT version FROM meta").get()?.["version"] === VERSION;
}

function quoted(text: string, quote: "'" | '"'): string {
  return quote + text.replaceAll(quote, quote + quote) + quote;
}
