import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";
import { inPlaces } from "./grams.ts";
import { eraseIndexFile, takeDigest } from "./index-file.ts";
import { type Connect, createOwnFile, type FileLock, isEmptyDatabase, lockFile } from "./own-file.ts";

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Null in memory. */
  readonly lock: FileLock | null;
}

/** All ASCII characters except letters and digits, because they can be searched for, too. */
const SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** Numbers of places are never reused, so that messages of a forgotten place can be cleared later. */
const TABLES = `
  CREATE TABLE meta (version TEXT NOT NULL, heard INTEGER);
  CREATE TABLE place (n INTEGER PRIMARY KEY AUTOINCREMENT, channel INTEGER NOT NULL, guild INTEGER, thread INTEGER);
  CREATE UNIQUE INDEX place_name ON place (channel, ifnull(guild, ''), ifnull(thread, ''));
  CREATE TABLE stretch (channel INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, since INTEGER);
  CREATE INDEX stretch_channel ON stretch (channel);
`;
const MESSAGE_COLUMNS = `
  id INTEGER NOT NULL, place INTEGER NOT NULL, author INTEGER NOT NULL, name ANY NOT NULL, traits INTEGER NOT NULL,
  ts INTEGER NOT NULL, edited INTEGER, reply INTEGER, link ANY, content ANY NOT NULL, parts TEXT, attachments TEXT
`;
/**
 * Clustered by place: the oldest messages of a channel, which are evicted first, leave whole pages behind, which are
 * reused. Long messages would leave half of each small page empty.
 * @see ScanLookup
 */
const IN_MEMORY = `
  CREATE TABLE message (${MESSAGE_COLUMNS}, PRIMARY KEY (place, id)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX message_id ON message (id);
`;
const MEMORY_PAGE_BYTES = 16_384;
/**
 * `gram` stores no text: it maps parts to message ids, in ascending order. Each message is also indexed under its place.
 * With `secure-delete` and `detail = none` FTS5 loses entries when a message is replaced and a newer one added in the same transaction (SQLite 3.53).
 * @see GramLookup
 */
const IN_FILE = `
  CREATE TABLE message (${MESSAGE_COLUMNS}, PRIMARY KEY (id)) STRICT;
  CREATE VIRTUAL TABLE gram USING fts5 (
    grams, content = '', columnsize = 0, detail = column, tokenize = ${quoted(`ascii tokenchars ${quoted(SIGNS, "'")}`, '"')}
  );
`;
/**
 * A file of another version is not converted, because everything can be fetched again. Words are split by the rules of a Unicode version,
 * and entries made by other rules could not be removed. Version 1 could contain messages of one channel under another after a full disk;
 * version 2 had no time from which an interval is unconfirmed; version 3 did not index the last two letters of words.
 */
const VERSION = `4/${process.versions["unicode"] ?? ""}`;
/** Expected after an upgrade, so it is not a failure. */
class OtherVersion extends Error {}
/** "Earm": marks a file as Earshot's own, even when its content is damaged. */
const APPLICATION_ID = 0x4561726d;
const LOCK_TIMEOUT_MS = 1_000;
/** SQLite's result codes for problems that the operator must fix: PERM, BUSY, LOCKED, READONLY, CANTOPEN. */
const OPERATOR_RESULT_CODES: readonly number[] = [3, 5, 6, 8, 14];
const OPERATOR_FILE_ERRORS: readonly string[] = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "EEXIST"];

export function openMemoryDatabase(connect: Connect): OpenedDatabase {
  const database = connect(":memory:");
  database.exec(`PRAGMA page_size = ${MEMORY_PAGE_BYTES}`);
  createSchema(database, IN_MEMORY);
  return { database, lock: null };
}

/**
 * A file that only its owner may read, used by one process at a time. Throws `misconfigured` if the operator must act, and `unavailable` if
 * the file is damaged or cannot be written now: starting empty may help then. A file of another version is replaced by an empty one.
 */
export function openFileDatabase(
  file: string,
  { connect, startEmpty }: { connect: Connect; startEmpty: boolean },
): OpenedDatabase {
  let lock: FileLock | null = null;
  let database: DatabaseSync | null = null;
  try {
    lock = lockFile(file, LOCK_TIMEOUT_MS);
    if (startEmpty) eraseIndexFile(file);
    const state = takeDigest(file);
    if (state === "changed") throw new Damaged("the file has changed since it was closed");
    createOwnFile(file);
    database = connect(file);
    prepareFile(database, state === "unknown");
    return { database, lock };
  } catch (cause) {
    if (database?.isOpen) database.close();
    lock?.close();
    if (cause instanceof OtherVersion && !startEmpty) return openFileDatabase(file, { connect, startEmpty: true });
    throw translate(cause);
  }
}

function prepareFile(database: DatabaseSync, wasKilled: boolean): void {
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
  `);
  if (isEmptyDatabase(database)) {
    createSchema(database, IN_FILE);
    database.exec("INSERT INTO gram (gram, rank) VALUES ('secure-delete', 1)");
    return;
  }
  if (!isOurs(database))
    throw new EarshotError("misconfigured", "The message index on disk is a file of another program.");
  const version = versionOf(database);
  if (typeof version === "string" && version !== VERSION) throw new OtherVersion();
  if (version !== VERSION) throw new Damaged("the file does not say its version");
  checkContent(database, { isThorough: wasKilled });
  // Data deleted right before the process was killed may still be in the log beside the file.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

function createSchema(database: DatabaseSync, messages: string): void {
  database.exec(`BEGIN; PRAGMA application_id = ${APPLICATION_ID}; ${TABLES} ${messages}`);
  database.prepare("INSERT INTO meta (version) VALUES (?)").run(VERSION);
  database.exec("COMMIT");
}

/** Files of version 1 have no application id. */
function isOurs(database: DatabaseSync): boolean {
  const owner = database.prepare("PRAGMA application_id").get()?.["application_id"];
  return owner === APPLICATION_ID || hasTable(database, "gram");
}

function versionOf(database: DatabaseSync): unknown {
  return hasTable(database, "meta") ? database.prepare("SELECT version FROM meta").get()?.["version"] : undefined;
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}

function translate(cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  if (isForOperator(cause)) {
    const hint = "Check that the folder can be written to and that no other Earshot uses it.";
    return new EarshotError("misconfigured", `The message index on disk cannot be opened. ${hint}`, { cause });
  }
  return new EarshotError("unavailable", "The message index on disk cannot be used.", { cause });
}

function isForOperator(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ("errcode" in cause) return OPERATOR_RESULT_CODES.includes(Number(cause.errcode) & 0xff);
  return "code" in cause && OPERATOR_FILE_ERRORS.includes(String(cause.code));
}

function quoted(text: string, quote: "'" | '"'): string {
  return quote + text.replaceAll(quote, quote + quote) + quote;
}

/** The file's content is invalid: it must be rebuilt from nothing. */
export class Damaged extends Error {
  override readonly name = "Damaged";
}

/** Throws if messages could be served for the wrong channel, or be missing unnoticed. `isThorough` also reads every page of the file. */
function checkContent(database: DatabaseSync, { isThorough }: { isThorough: boolean }): void {
  const rows = (sql: string, ...parameters: (string | bigint)[]) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all(...parameters);
  };
  if (isThorough && rows("PRAGMA quick_check(1)")[0]?.["quick_check"] !== "ok")
    throw new Damaged("SQLite finds the file damaged");
  if (rows("SELECT 1 FROM place GROUP BY channel, guild, thread HAVING count(*) > 1 LIMIT 1").length > 0)
    throw new Damaged("a place has two numbers");
  const counts = new Map(
    rows("SELECT place, count(*) AS messages FROM message GROUP BY place").map((row) => [
      row["place"],
      row["messages"],
    ]),
  );
  for (const { n } of rows("SELECT n FROM place")) {
    const [entered] = rows(
      `SELECT count(*) AS entries, count(message.id) AS messages FROM gram
        LEFT JOIN message ON message.id = gram.rowid AND message.place = ? WHERE gram MATCH ?`,
      n as bigint,
      inPlaces([n as bigint]),
    );
    const messages = counts.get(n as bigint) ?? 0n;
    if (entered?.["entries"] !== messages || entered?.["messages"] !== messages)
      throw new Damaged("messages cannot be found by their place");
    counts.delete(n as bigint);
  }
  if (counts.size > 0) throw new Damaged("there are messages of an unknown place");
}
