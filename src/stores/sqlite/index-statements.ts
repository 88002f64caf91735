import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The table of intervals of which everything is held. */
export const INTERVALS = "stretch";

/** Integers are read as BigInt. */
export function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    get: prepare("SELECT * FROM message WHERE id = ?"),
    put: prepare(`INSERT INTO message VALUES
      (:id, :place, :author, :name, :traits, :ts, :edited, :reply, :link, :content, :parts, :attachments)`),
    byAuthor: prepare("SELECT id, place FROM message WHERE author = ? ORDER BY id"),
    remove: prepare("DELETE FROM message WHERE id = ?"),
    enter: prepare("INSERT INTO gram (rowid, grams) VALUES (?, ?)"),
    any: prepare("SELECT 1 FROM message LIMIT 1"),
    leaveAll: prepare("INSERT INTO gram (gram) VALUES ('delete-all')"),
    leave: prepare("INSERT INTO gram (gram, rowid, grams) VALUES ('delete', ?, ?)"),
    some: prepare("SELECT message.* FROM gram JOIN message ON message.id = gram.rowid WHERE gram MATCH ? LIMIT 100"),
    keys: prepare("SELECT rowid AS id FROM gram WHERE gram MATCH ? ORDER BY rowid"),
    candidates: prepare(`SELECT gram.rowid AS id, message.place FROM gram LEFT JOIN message ON message.id = gram.rowid
      WHERE gram MATCH ? AND gram.rowid BETWEEN ? AND ? ORDER BY gram.rowid DESC LIMIT ?`),
    intervals: prepare(`SELECT first, last, since FROM ${INTERVALS} WHERE channel = ? ORDER BY first`),
    addInterval: prepare(`INSERT INTO ${INTERVALS} VALUES (?, ?, ?, ?)`),
    noteHeard: prepare("UPDATE meta SET heard = ?"),
    heard: prepare("SELECT heard FROM meta"),
    removeIntervals: prepare(`DELETE FROM ${INTERVALS} WHERE channel = ?`),
  };
}
