import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ChannelId, GuildId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { type StoredPlace, toIdOf, toKey } from "./message-row.ts";

export interface PlaceRow {
  readonly n: bigint;
  readonly channel: bigint;
  readonly guild: bigint | null;
  readonly thread: bigint | null;
}

/** Numbers for places, so that each message stores only a number. */
export class Places {
  readonly #add: StatementSync;
  readonly #all: StatementSync;
  readonly #remove: StatementSync;
  readonly #byNumber = new Map<bigint, StoredPlace>();
  readonly #numbers = new Map<string, bigint>();
  /** Numbers of forgotten places whose messages must still be cleared. Empty after a restart, because files are cleared at once. */
  readonly #doomed = new Set<bigint>();

  constructor(database: DatabaseSync) {
    this.#add = database.prepare("INSERT INTO place (channel, guild, thread) VALUES (?, ?, ?) RETURNING n");
    this.#all = database.prepare("SELECT n, channel, guild, thread FROM place");
    this.#remove = database.prepare("DELETE FROM place WHERE n = ?");
    for (const statement of [this.#add, this.#all]) statement.setReadBigInts(true);
    this.reload();
  }

  get(number: bigint): StoredPlace | undefined {
    return this.#byNumber.get(number);
  }

  of({ channel_id: channelId, guild_id: guildId, thread_id: threadId }: Message): bigint {
    const place = { channelId, guildId, threadId };
    const known = this.#numbers.get(nameOf(place));
    if (known !== undefined) return known;
    const row = this.#add.get(toKey(channelId), guildId && toKey(guildId), threadId && toKey(threadId));
    const number = row?.["n"] as bigint;
    this.#note(number, place);
    return number;
  }

  numbersOf(channelId: ChannelId): bigint[] {
    return [...this.#byNumber].filter(([, place]) => place.channelId === channelId).map(([number]) => number);
  }

  /** Marks all places of the channel as empty. */
  doom(channelId: ChannelId): void {
    for (const number of this.numbersOf(channelId)) {
      this.#remove.run(number);
      this.#doomed.add(number);
      this.#forget(number);
    }
  }

  get nextDoomed(): bigint | undefined {
    return this.#doomed.values().next().value;
  }

  isDoomed(number: bigint): boolean {
    return this.#doomed.has(number);
  }

  /** All its messages are cleared. */
  finish(number: bigint): void {
    this.#doomed.delete(number);
  }

  channels(): { channelId: ChannelId; guildId: GuildId | null; isThread: boolean }[] {
    const channels = Map.groupBy(this.#byNumber.values(), ({ channelId }) => channelId);
    return [...channels].map(([channelId, places]) => ({
      channelId,
      guildId: places.find(({ guildId }) => guildId !== null)?.guildId ?? null,
      isThread: places.some(({ threadId }) => threadId !== null),
    }));
  }

  /** Reads the numbers again: after a rollback, new ones may be missing in the database. */
  reload(): void {
    this.#byNumber.clear();
    this.#numbers.clear();
    for (const { n, channel, guild, thread } of this.#all.all() as unknown as PlaceRow[]) {
      const guildId = guild === null ? null : toIdOf<GuildId>(guild);
      const threadId = thread === null ? null : toIdOf<ChannelId>(thread);
      this.#note(n, { channelId: toIdOf<ChannelId>(channel), guildId, threadId });
    }
  }

  #forget(number: bigint): void {
    const place = this.#byNumber.get(number);
    this.#byNumber.delete(number);
    if (place) this.#numbers.delete(nameOf(place));
  }

  #note(number: bigint, place: StoredPlace): void {
    this.#byNumber.set(number, place);
    this.#numbers.set(nameOf(place), number);
  }
}

function nameOf({ channelId, guildId, threadId }: StoredPlace): string {
  return `${channelId}/${guildId ?? ""}/${threadId ?? ""}`;
}
