import type { DatabaseSync, StatementSync } from "node:sqlite";
import { foldBare } from "../../domain/search/keywords.ts";
import { prepareBigInts } from "./index-statements.ts";
import type { MessageLookup } from "./message-lookup.ts";
import { FOLDS_BEYOND_ASCII, type MessageRow, toKey } from "./message-row.ts";

/** SQLite refuses patterns of more than 50,000 bytes. */
const MAX_PATTERN_LENGTH = 1_000;

/**
 * By reading every text of a channel, for memory: a part index takes more than twice what the messages take, and most of the time that it
 * takes to add one. Callers bound how many messages are between two ids.
 */
export class ScanLookup implements MessageLookup {
  readonly #some: StatementSync;
  readonly #keys: StatementSync;
  readonly #candidates: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = prepareBigInts(database);
    this.#some = prepare("SELECT * FROM message WHERE place = ? LIMIT 100");
    this.#keys = prepare("SELECT id FROM message WHERE place = ? ORDER BY id");
    // LIKE folds the case of ASCII letters and nothing else.
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
    // The longest is mostly the rarest, and one is enough: the caller compares the others.
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
