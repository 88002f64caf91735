import type { DatabaseSync } from "node:sqlite";
import { inPlaces } from "./grams.ts";

/** The file does not hold what it should: it has to be built again from nothing. */
export class Damaged extends Error {
  override readonly name = "Damaged";
}

/**
 * Throws where messages could be served for a channel that they are not of, or be missing without a trace. `isThorough` also reads every
 * page of the file.
 */
export function checkContent(database: DatabaseSync, { isThorough }: { isThorough: boolean }): void {
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
