import type { Interval } from "../../domain/intervals.ts";
import type { Keyword } from "../../domain/search/keywords.ts";
import type { MessageRow } from "./message-row.ts";

/** Finds the rows of the `message` table by place and by text. */
export interface MessageLookup {
  /** To be called with each row that is added to the table. */
  enter(row: MessageRow): void;
  /** To be called with each row that is removed, as it was entered. */
  leave(row: MessageRow): void;
  /** Some rows of a place; none when there are none. */
  some(place: bigint): MessageRow[];
  /** The keys of all rows of these places, rising. */
  keys(places: readonly bigint[]): bigint[];
  /** @see MessageIndex.candidates. Keys of rows, newest first. */
  candidates(
    places: readonly bigint[],
    keywords: readonly Keyword[],
    within: Interval & { readonly limit: number },
  ): bigint[];
  /** The table is empty: gives back what the entries of removed rows still take. */
  clear(): void;
}
