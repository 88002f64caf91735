import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Interval } from "../../domain/intervals.ts";
import { foldBare, type Keyword } from "../../domain/search/keywords.ts";
import { inPlaces, placeTerm, quoteTerm, toGrams, toLookUps } from "./grams.ts";
import { prepareBigInts } from "./index-statements.ts";
import { FOLDS_BEYOND_ASCII, fromText, type MessageRow, toKey } from "./message-row.ts";
import { Damaged } from "./open-database.ts";

/** Finds rows of the `message` table by place and text. */
export interface MessageLookup {
  /** Call with each row that is added to the table. */
  enter(row: MessageRow): void;
  /** Call with each row that is removed, as it was added. */
  leave(row: MessageRow): void;
  /** Some rows of a place, if there are any. */
  some(place: bigint): MessageRow[];
  /** The keys of all rows of these places, ascending. */
  keys(places: readonly bigint[]): bigint[];
  /** @see MessageIndex.candidates. Keys of rows, newest first. */
  candidates(
    places: readonly bigint[],
    keywords: readonly Keyword[],
    within: Interval & { readonly limit: number },
  ): bigint[];
  /** Call when the table is empty: frees the space of removed rows' entries. */
  clear(): void;
}

/** SQLite refuses patterns of more than 50,000 bytes. */
const MAX_PATTERN_LENGTH = 1_000;

/**
 * For memory: reads every text of a channel, because an index of parts would take more than twice the size of the messages, and most of the
 * time of adding one. Callers limit the number of messages between two ids.
 */
export class ScanLookup implements MessageLookup {
  readonly #some: StatementSync;
  readonly #keys: StatementSync;
  readonly #candidates: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = prepareBigInts(database);
    this.#some = prepare("SELECT * FROM message WHERE place = ? LIMIT 100");
    this.#keys = prepare("SELECT id FROM message WHERE place = ? ORDER BY id");
    // LIKE folds the case of ASCII letters only.
    this.#candidates = prepare(`SELECT id FROM message WHERE place = ? AND id BETWEEN ? AND ?
      AND (traits & ${FOLDS_BEYOND_ASCII} OR content LIKE ? ESCAPE '\\') ORDER BY id DESC LIMIT ?`);
  }

  enter(): void {}

  leave(): void {}

  some(place: bigint): MessageRow[] {
    return this.#some.all(place) as unknown as MessageRow[];
  }

  keys(places: readonly bigint[]): bigint[] {
    const rows = places.flatMap((place) => this.#keys.all(place));
    return rows.map((row) => row["id"] as bigint).sort((a, b) => (a < b ? -1 : 1));
  }

  candidates(...[places, keywords, { from, to, limit }]: Parameters<MessageLookup["candidates"]>): bigint[] {
    const words = keywords.map(({ folded }) => foldBare(folded));
    // The longest is usually the rarest, and one is enough: the caller compares the others.
    const longest = words.reduce((one, other) => (other.length > one.length ? other : one), "");
    const pattern = `%${[...longest]
      .slice(0, MAX_PATTERN_LENGTH)
      .join("")
      .replaceAll(/[\\%_]/g, "\\$&")}%`;
    return places
      .flatMap((place) => this.#candidates.all(place, toKey(from), toKey(to), pattern, BigInt(limit)))
      .map((row) => row["id"] as bigint)
      .sort((a, b) => (a > b ? -1 : 1))
      .slice(0, limit);
  }

  clear(): void {}
}

/** For files, with an FTS5 table of three-character parts: disk space is cheap, and a file may contain any number of messages. */
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

  /** Removed entries take space until they are merged with others. */
  clear(): void {
    this.#clear.run();
  }
}

function termsOf({ place, content }: MessageRow): string {
  return `${placeTerm(place)} ${[...toGrams(fromText(content))].join(" ")}`;
}
