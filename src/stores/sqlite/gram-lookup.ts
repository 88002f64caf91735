import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Damaged } from "./check-content.ts";
import { inPlaces, placeTerm, quoteTerm, toGrams, toLookUps } from "./grams.ts";
import { prepareBigInts } from "./index-statements.ts";
import type { MessageLookup } from "./message-lookup.ts";
import { fromText, type MessageRow, toKey } from "./message-row.ts";

/** By an FTS5 table of three-character parts, for files: what it takes is cheap on disk, and a file may hold any number of messages. */
export class GramLookup implements MessageLookup {
  readonly #enter: StatementSync;
  readonly #leave: StatementSync;
  readonly #some: StatementSync;
  readonly #keys: StatementSync;
  readonly #candidates: StatementSync;
  readonly #clear: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = prepareBigInts(database);
    this.#enter = prepare("INSERT INTO gram (rowid, grams) VALUES (?, ?)");
    this.#leave = prepare("INSERT INTO gram (gram, rowid, grams) VALUES ('delete', ?, ?)");
    this.#some = prepare(
      "SELECT message.* FROM gram JOIN message ON message.id = gram.rowid WHERE gram MATCH ? LIMIT 100",
    );
    this.#keys = prepare("SELECT rowid AS id FROM gram WHERE gram MATCH ? ORDER BY rowid");
    this.#candidates = prepare(`SELECT gram.rowid AS id, message.place FROM gram
      LEFT JOIN message ON message.id = gram.rowid
      WHERE gram MATCH ? AND gram.rowid BETWEEN ? AND ? ORDER BY gram.rowid DESC LIMIT ?`);
    this.#clear = prepare("INSERT INTO gram (gram) VALUES ('delete-all')");
  }

  enter(row: MessageRow): void {
    this.#enter.run(row.id, termsOf(row));
  }

  leave(row: MessageRow): void {
    this.#leave.run(row.id, termsOf(row));
  }

  some(place: bigint): MessageRow[] {
    return this.#some.all(quoteTerm(placeTerm(place))) as unknown as MessageRow[];
  }

  keys(places: readonly bigint[]): bigint[] {
    return this.#keys.all(inPlaces(places)).map((row) => row["id"] as bigint);
  }

  candidates(...[places, keywords, { from, to, limit }]: Parameters<MessageLookup["candidates"]>): bigint[] {
    const match = [inPlaces(places), ...toLookUps(keywords)].join(" AND ");
    const rows = this.#candidates.all(match, toKey(from), toKey(to), BigInt(limit));
    const isOfChannel = (row: (typeof rows)[number]) => places.includes(row["place"] as bigint);
    if (!rows.every(isOfChannel)) throw new Damaged("a message is entered under another place");
    return rows.map((row) => row["id"] as bigint);
  }

  /** Entries that were taken out take room until others are merged with them. */
  clear(): void {
    this.#clear.run();
  }
}

function termsOf({ place, content }: MessageRow): string {
  return `${placeTerm(place)} ${[...toGrams(fromText(content))].join(" ")}`;
}
