import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The table of complete intervals. */
export const INTERVALS = "stretch";

/** Prepares statements that read integers as BigInt. */
export function prepareBigInts(database: DatabaseSync): (sql: string) => StatementSync {
  return (sql) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
}

export function prepareStatements(database: DatabaseSync) {
  const prepare = prepareBigInts(database);
  return {
    get: prepare("SELECT * FROM message WHERE id = ?"),
    put: prepare(`INSERT INTO message VALUES
      (:id, :place, :author, :name, :traits, :ts, :edited, :reply, :link, :content, :parts, :attachments)`),
    byAuthor: prepare("SELECT id, place FROM message WHERE author = ? ORDER BY id"),
    remove: prepare("DELETE FROM message WHERE id = ?"),
    any: prepare("SELECT 1 FROM message LIMIT 1"),
    intervals: prepare(`SELECT first, last, since FROM ${INTERVALS} WHERE channel = ? ORDER BY first`),
    addInterval: prepare(`INSERT INTO ${INTERVALS} VALUES (?, ?, ?, ?)`),
    noteHeard: prepare("UPDATE meta SET heard = ?"),
    heard: prepare("SELECT heard FROM meta"),
    removeIntervals: prepare(`DELETE FROM ${INTERVALS} WHERE channel = ?`),
  };
}
