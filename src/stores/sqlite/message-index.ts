import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Keyword } from "../../domain/search/keywords.ts";
import type { Stretch, Stretches } from "../../domain/stretches.ts";
import type { HeldChannel, IndexChange, MessageIndex } from "../../ports/message-index.ts";
import { DecodedMessages } from "./decoded-messages.ts";
import { toGrams, toLookUps } from "./grams.ts";
import { fromText, type MessageRow, toIdOf, toKey, toMessage, toRow } from "./message-row.ts";
import { openDatabase } from "./open-database.ts";
import { Places } from "./places.ts";

/** @see MessageIndex */
export function openMessageIndex(file: string | null): MessageIndex {
  return new SqliteMessageIndex(openDatabase(file), file !== null);
}

class SqliteMessageIndex implements MessageIndex {
  readonly #database: DatabaseSync;
  readonly #isOnDisk: boolean;
  readonly #places: Places;
  readonly #statements: ReturnType<typeof prepareAll>;
  readonly #decoded = new DecodedMessages();

  constructor(database: DatabaseSync, isOnDisk: boolean) {
    this.#database = database;
    this.#isOnDisk = isOnDisk;
    this.#places = new Places(database);
    this.#statements = prepareAll(database);
  }

  write(channelId: ChannelId, { put = [], remove = [], complete }: IndexChange): void {
    const hasErased = this.#atomically(() => {
      const removed = remove.filter((id) => this.#erase(channelId, toKey(id)));
      const replaced = put.filter((message) => this.#put(channelId, message));
      if (complete) this.#setComplete(channelId, complete);
      return removed.length + replaced.length > 0;
    });
    if (hasErased) this.#scrub();
  }

  get(channelId: ChannelId, messageIds: readonly MessageId[]): Message[] {
    const messages: Message[] = [];
    for (const id of messageIds) {
      const message = this.#decoded.get(id) ?? this.#decode(id);
      if (message?.channel_id === channelId) messages.push(message);
    }
    return messages;
  }

  candidates(
    channelId: ChannelId,
    keywords: readonly Keyword[],
    { from, to, limit }: Stretch & { readonly limit: number },
  ): MessageId[] {
    const places = this.#places.numbersOf(channelId);
    if (places.length === 0 || from > to) return [];
    const match = [inPlaces(places), ...toLookUps(keywords).map(quoted)].join(" AND ");
    const rows = this.#statements.candidates.all(match, toKey(from), toKey(to), BigInt(limit));
    return rows.map((row) => toIdOf<MessageId>(row["id"] as bigint));
  }

  forget(channelId: ChannelId): void {
    this.#decoded.clear();
    this.#atomically(() => {
      this.#setComplete(channelId, []);
      this.#places.doom(channelId);
      while (this.#isOnDisk && this.#clear());
    });
    this.#scrub();
  }

  tidy(): boolean {
    return this.#atomically(() => this.#clear());
  }

  held(): HeldChannel[] {
    return this.#places.channels().map(({ channelId, guildId }) => ({
      channelId,
      guildId,
      messageIds: this.#keys(channelId).map((key) => toIdOf<MessageId>(key)),
      complete: this.#complete(channelId),
    }));
  }

  bytes(): number {
    const read = (pragma: string) => Number(Object.values(this.#database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    return (read("page_count") - read("freelist_count")) * read("page_size");
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #decode(id: MessageId): Message | undefined {
    const row = this.#statements.get.get(toKey(id)) as MessageRow | undefined;
    const place = row && this.#places.get(row.place);
    const message = row && place && toMessage(row, place);
    if (message) this.#decoded.set(id, message);
    return message;
  }

  /** Whether something stood there before. */
  #put(channelId: ChannelId, message: Message): boolean {
    const hadOne = this.#erase(channelId, toKey(message.message_id));
    const row = toRow(message, this.#places.of(message));
    this.#statements.put.run(row as unknown as Record<string, SQLInputValue>);
    this.#statements.enter.run(row.id, termsOf(row));
    return hadOne;
  }

  #erase(channelId: ChannelId, key: bigint): boolean {
    const row = this.#statements.get.get(key) as MessageRow | undefined;
    if (!row) return false;
    if (this.#places.get(row.place)?.channelId !== channelId && !this.#places.isDoomed(row.place))
      throw new EarshotError("invalid", "A message of this id is held for another channel.");
    this.#eraseRow(row);
    return true;
  }

  #eraseRow(row: MessageRow): void {
    this.#decoded.delete(toIdOf<MessageId>(row.id));
    this.#statements.leave.run(row.id, termsOf(row));
    this.#statements.remove.run(row.id);
  }

  /** Clears away some of what was forgotten; false when there was nothing. */
  #clear(): boolean {
    const place = this.#places.nextDoomed;
    if (place === undefined) return false;
    const rows = this.#statements.some.all(quoted(placeTerm(place))) as unknown as MessageRow[];
    for (const row of rows) this.#eraseRow(row);
    if (rows.length === 0) this.#places.remove(place);
    // Entries that were taken out still take room until others are merged with them.
    if (rows.length === 0 && this.#statements.any.get() === undefined) this.#statements.leaveAll.run();
    return true;
  }

  #keys(channelId: ChannelId): bigint[] {
    const places = this.#places.numbersOf(channelId);
    return this.#statements.keys.all(inPlaces(places)).map((row) => row["id"] as bigint);
  }

  #complete(channelId: ChannelId): Stretches {
    const rows = this.#statements.stretches.all(toKey(channelId));
    return rows.map((row) => ({
      from: BigInt(toIdOf(row["first"] as bigint)),
      to: BigInt(toIdOf(row["last"] as bigint)),
    }));
  }

  #setComplete(channelId: ChannelId, stretches: Stretches): void {
    this.#statements.cutStretches.run(toKey(channelId));
    for (const { from, to } of stretches) this.#statements.addStretch.run(toKey(channelId), toKey(from), toKey(to));
  }

  #atomically<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      this.#decoded.clear();
      this.#places.reload();
      if (error instanceof EarshotError) throw error;
      throw new EarshotError("unavailable", "The message index cannot be written; is the disk full?", { cause: error });
    }
  }

  /** The log beside the file still holds the pages as they were before. */
  #scrub(): void {
    if (this.#isOnDisk) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
}

function prepareAll(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    get: prepare("SELECT * FROM message WHERE id = ?"),
    put: prepare(`INSERT INTO message VALUES
      (:id, :place, :author, :name, :traits, :ts, :edited, :reply, :link, :content, :attachments)`),
    remove: prepare("DELETE FROM message WHERE id = ?"),
    enter: prepare("INSERT INTO gram (rowid, grams) VALUES (?, ?)"),
    any: prepare("SELECT 1 FROM message LIMIT 1"),
    leaveAll: prepare("INSERT INTO gram (gram) VALUES ('delete-all')"),
    leave: prepare("INSERT INTO gram (gram, rowid, grams) VALUES ('delete', ?, ?)"),
    some: prepare("SELECT message.* FROM gram JOIN message ON message.id = gram.rowid WHERE gram MATCH ? LIMIT 100"),
    keys: prepare("SELECT rowid AS id FROM gram WHERE gram MATCH ? ORDER BY rowid"),
    candidates: prepare(`SELECT rowid AS id FROM gram
      WHERE gram MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`),
    stretches: prepare("SELECT first, last FROM stretch WHERE channel = ? ORDER BY first"),
    addStretch: prepare("INSERT INTO stretch VALUES (?, ?, ?)"),
    cutStretches: prepare("DELETE FROM stretch WHERE channel = ?"),
  };
}

function termsOf({ place, content }: MessageRow): string {
  return `${placeTerm(place)} ${[...toGrams(fromText(content))].join(" ")}`;
}

/** Longer than any gram, so that it cannot be mistaken for one. */
function placeTerm(place: bigint): string {
  return `place${place}`;
}

function inPlaces(places: readonly bigint[]): string {
  return `(${places.map((place) => quoted(placeTerm(place))).join(" OR ")})`;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
