import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, compareIds, type MessageId, type UserId } from "../../domain/ids.ts";
import type { Interval } from "../../domain/intervals.ts";
import type { Message } from "../../domain/message.ts";
import type { Keyword } from "../../domain/search/keywords.ts";
import type {
  HeldChannel,
  HeldInterval,
  IndexChange,
  MessageIndex,
  OpenMessageIndex,
} from "../../ports/message-index.ts";
import { writeDigest } from "./index-file.ts";
import { prepareStatements } from "./index-statements.ts";
import { GramLookup, type MessageLookup, ScanLookup } from "./message-lookup.ts";
import { type MessageRow, toIdOf, toKey, toMessage, toRow } from "./message-row.ts";
import { Damaged, type OpenedDatabase, openFileDatabase, openMemoryDatabase } from "./open-database.ts";
import type { Connect, FileLock } from "./own-file.ts";
import { Places } from "./places.ts";

/** Enough for the latest messages of the busiest channels, and small compared to the index. */
const MAX_CACHED_MESSAGES = 2_000;

/** @see OpenMessageIndex */
export const openMessageIndex: OpenMessageIndex = createIndexOpener((file) => new DatabaseSync(file));

export function createIndexOpener(connect: Connect): OpenMessageIndex {
  return (file, { startEmpty = false } = {}) => {
    const opened = file === null ? openMemoryDatabase(connect) : openFileDatabase(file, { connect, startEmpty });
    try {
      return new SqliteMessageIndex(opened, file);
    } catch (cause) {
      opened.database.close();
      opened.lock?.close();
      throw new EarshotError("unavailable", "The message index cannot be read; try again in a moment.", { cause });
    }
  };
}

class SqliteMessageIndex implements MessageIndex {
  readonly #database: DatabaseSync;
  readonly #lock: FileLock | null;
  /** Null in memory. */
  readonly #file: string | null;
  readonly #places: Places;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #lookup: MessageLookup;
  /** Caches decoded rows, because decoding is the most expensive part of a read. Every change evicts here first. */
  readonly #cache = new BoundedMap<MessageId, Message>({ maxEntries: MAX_CACHED_MESSAGES });
  failure: string | null = null;

  constructor({ database, lock }: OpenedDatabase, file: string | null) {
    this.#database = database;
    this.#lock = lock;
    this.#file = file;
    this.#places = new Places(database);
    this.#statements = prepareStatements(database);
    this.#lookup = file === null ? new ScanLookup(database) : new GramLookup(database);
  }

  write(channelId: ChannelId, { put = [], remove = [], complete }: IndexChange): void {
    this.#atomically(() => {
      const removed = remove.filter((id) => this.#erase(channelId, toKey(id)));
      // The oldest first: SQLite leaves pages half empty if rows arrive in descending order.
      const rising = put.toSorted((a, b) => compareIds(a.message_id, b.message_id));
      const replaced = rising.filter((message) => this.#put(channelId, message));
      if (complete) this.#setComplete(channelId, complete);
      return removed.length + replaced.length > 0;
    });
  }

  get(channelId: ChannelId, messageIds: readonly MessageId[]): Message[] {
    return this.#use(() => {
      const messages: Message[] = [];
      for (const id of messageIds) {
        const message = this.#cache.get(id) ?? this.#decode(id);
        if (message?.channel_id === channelId) messages.push(message);
      }
      return messages;
    });
  }

  writtenBy(authorId: UserId): ReadonlyMap<ChannelId, readonly MessageId[]> {
    return this.#use(() => {
      const written = new Map<ChannelId, MessageId[]>();
      for (const row of this.#statements.byAuthor.all(toKey(authorId))) {
        const place = this.#places.get(row["place"] as bigint);
        // The place was forgotten, so its messages are gone.
        if (!place) continue;
        const ids = written.get(place.channelId) ?? [];
        ids.push(toIdOf<MessageId>(row["id"] as bigint));
        written.set(place.channelId, ids);
      }
      return written;
    });
  }

  candidates(
    channelId: ChannelId,
    keywords: readonly Keyword[],
    { from, to, limit }: Interval & { readonly limit: number },
  ): MessageId[] {
    return this.#use(() => {
      const places = this.#places.numbersOf(channelId);
      if (places.length === 0 || from > to) return [];
      return this.#lookup.candidates(places, keywords, { from, to, limit }).map((key) => toIdOf<MessageId>(key));
    });
  }

  forget(channelId: ChannelId): void {
    this.#cache.clear();
    this.#atomically(() => {
      this.#setComplete(channelId, []);
      this.#places.doom(channelId);
      while (this.#file !== null && this.#clear());
      return true;
    });
  }

  tidy(): boolean {
    return this.#atomically(() => this.#clear());
  }

  held(): HeldChannel[] {
    return this.#use(() =>
      this.#places.channels().map(({ channelId, guildId, isThread }) => ({
        channelId,
        guildId,
        isThread,
        messageIds: this.#lookup.keys(this.#places.numbersOf(channelId)).map((key) => toIdOf<MessageId>(key)),
        complete: this.#complete(channelId),
      })),
    );
  }

  noteHeard(at: number): void {
    this.#atomically(() => {
      this.#statements.noteHeard.run(BigInt(Math.floor(at)));
      return false;
    });
  }

  heardAt(): number | null {
    return this.#use(() => toTime(this.#statements.heard.get()?.["heard"]));
  }

  bytes(): number {
    const read = (pragma: string) => Number(Object.values(this.#database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    return this.#use(() => (read("page_count") - read("freelist_count")) * read("page_size"));
  }

  close(): void {
    if (!this.#database.isOpen) return;
    try {
      this.#database.close();
      if (this.#file !== null && this.failure === null) writeDigest(this.#file);
    } catch {
      // Without a digest the file is checked thoroughly on the next start.
    } finally {
      this.#lock?.close();
    }
  }

  #decode(id: MessageId): Message | undefined {
    const row = this.#statements.get.get(toKey(id)) as MessageRow | undefined;
    const message = row && this.#toMessage(row);
    if (message) this.#cache.set(id, message);
    return message;
  }

  /** Undefined for a message of a forgotten place that is not cleared yet. */
  #toMessage(row: MessageRow): Message | undefined {
    if (this.#places.isDoomed(row.place)) return undefined;
    const place = this.#places.get(row.place);
    if (!place) throw new Damaged("a message is of an unknown place");
    return toMessage(row, place);
  }

  /** Returns whether it replaced a message. */
  #put(channelId: ChannelId, message: Message): boolean {
    const hadOne = this.#erase(channelId, toKey(message.message_id));
    const row = toRow(message, this.#places.of(message));
    this.#statements.put.run(row as unknown as Record<string, SQLInputValue>);
    this.#lookup.enter(row);
    return hadOne;
  }

  #erase(channelId: ChannelId, key: bigint): boolean {
    const row = this.#statements.get.get(key) as MessageRow | undefined;
    if (!row) return false;
    const message = this.#toMessage(row);
    if (message && message.channel_id !== channelId)
      throw new EarshotError("invalid", "A message of this id is held for another channel.");
    this.#eraseRow(row);
    return true;
  }

  #eraseRow(row: MessageRow): void {
    this.#cache.delete(toIdOf<MessageId>(row.id));
    this.#lookup.leave(row);
    this.#statements.remove.run(row.id);
  }

  /** Clears some rows of forgotten places; false if there are none. */
  #clear(): boolean {
    const place = this.#places.nextDoomed;
    if (place === undefined) return false;
    const rows = this.#lookup.some(place);
    for (const row of rows) this.#eraseRow(row);
    if (rows.length === 0) this.#places.finish(place);
    if (rows.length === 0 && this.#statements.any.get() === undefined) this.#lookup.clear();
    return true;
  }

  #complete(channelId: ChannelId): HeldInterval[] {
    const rows = this.#statements.intervals.all(toKey(channelId));
    return rows.map((row) => ({
      from: BigInt(toIdOf(row["first"] as bigint)),
      to: BigInt(toIdOf(row["last"] as bigint)),
      unconfirmedSince: toTime(row["since"]),
    }));
  }

  #setComplete(channelId: ChannelId, intervals: readonly HeldInterval[]): void {
    const channel = toKey(channelId);
    this.#statements.removeIntervals.run(channel);
    for (const { from, to, unconfirmedSince: since } of intervals)
      this.#statements.addInterval.run(
        channel,
        toKey(from),
        toKey(to),
        since === null ? null : BigInt(Math.floor(since)),
      );
  }

  /** Atomic. Afterwards empties the log beside the file if anything was erased, because the log still contains it. */
  #atomically(work: () => boolean): boolean {
    return this.#use(() => {
      this.#database.exec("BEGIN");
      const hasErased = this.#orRollBack(work);
      this.#database.exec("COMMIT");
      if (hasErased && this.#file !== null) this.#scrub();
      return hasErased;
    });
  }

  /** Only a caller's error can be rolled back: after any other error the state of the database is unknown. */
  #orRollBack(work: () => boolean): boolean {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      this.#database.exec("ROLLBACK");
      this.#cache.clear();
      this.#places.reload();
      throw error;
    }
  }

  #scrub(): void {
    const { busy } = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    if (busy !== 0) throw new Error("the log beside the file cannot be emptied");
  }

  /**
   * The database may fail at any point, and a full disk even ends a transaction by itself. The state in memory would then differ from the
   * file, so the index closes for good: its owner starts again with an empty one.
   */
  #use<Result>(work: () => Result): Result {
    if (!this.#database.isOpen) throw unavailable(this.failure);
    try {
      return work();
    } catch (cause) {
      if (cause instanceof EarshotError) throw cause;
      this.failure = reasonOf(cause);
      this.close();
      throw unavailable(cause);
    }
  }
}

function unavailable(cause: unknown): EarshotError {
  return new EarshotError("unavailable", "The message index has failed; try again in a moment.", { cause });
}

/** Never the text of a message, which other errors may quote. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Damaged) return cause.message;
  if (cause instanceof Error && "errstr" in cause) return String(cause.errstr);
  return cause instanceof Error ? cause.name : "unknown";
}

function toTime(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
