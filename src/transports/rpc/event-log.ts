import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Consent } from "../../ports/consent.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { RpcLimits } from "./rpc-limits.ts";

/** One entry of the event stream. */
export interface Entry {
  readonly sequence: number;
  /** Random rather than counted, because a number would reveal the amount of activity in hidden channels. */
  readonly cursor: string;
  /** Null for a mere mark, and for an event that may no longer be pushed. */
  event: DiscordEvent | null;
}

interface HeldEntry extends Entry {
  readonly at: number;
  bytes: number;
}

export interface EventLogDeps {
  readonly consent: Pick<Consent, "isLeftOut">;
  readonly clock: Clock;
  mintId(): string;
}

const ENTRY_BYTES = 300;

/**
 * The latest events, for clients that are behind or reconnect. Limited in number, bytes and age. An event that is edited, deleted or hidden
 * in Discord is changed or removed here at once.
 */
export class EventLog {
  readonly #limits: Pick<RpcLimits, "heldEvents" | "heldBytes" | "heldMs">;
  readonly #deps: EventLogDeps;
  /** By sequence. Not a BoundedMap: entries are also evicted by bytes, and the newest always stays. */
  readonly #entries = new Map<number, HeldEntry>();
  readonly #byCursor = new Map<string, number>();
  readonly #byMessage = new Map<MessageId, HeldEntry[]>();
  #first = 1;
  #last = 0;
  #cursorBefore = "";
  #bytes = 0;

  constructor(limits: Pick<RpcLimits, "heldEvents" | "heldBytes" | "heldMs">, deps: EventLogDeps) {
    this.#limits = limits;
    this.#deps = deps;
    this.mark();
  }

  get head(): Entry {
    return this.#held(this.#last);
  }

  get first(): number {
    return this.#first;
  }

  /** The cursor of the newest evicted entry. */
  get cursorBefore(): string {
    return this.#cursorBefore;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  at(sequence: number): Entry {
    return this.#held(sequence);
  }

  find(cursor: string): Entry | null {
    this.#prune();
    const sequence = this.#byCursor.get(cursor);
    return sequence === undefined ? null : this.#held(sequence);
  }

  /** Adds an entry without an event. */
  mark(): Entry {
    return this.#add(null);
  }

  append(event: DiscordEvent): Entry {
    this.#forget(event);
    return this.#add(this.#isUnused(event) ? null : event);
  }

  forgetAuthor(authorId: UserId): void {
    for (const entry of this.#entries.values()) if (messageOf(entry.event)?.author.id === authorId) this.#erase(entry);
  }

  /** Removes the author's messages except requests, which are still answered. */
  leaveOut(authorId: UserId): void {
    for (const entry of this.#entries.values()) {
      const isRequest = entry.event?.type === "message" && entry.event.addressed;
      if (!isRequest && messageOf(entry.event)?.author.id === authorId) this.#erase(entry);
    }
  }

  /** Messages of people who opted out reach no client, except requests and edits of them. */
  #isUnused(event: DiscordEvent): boolean {
    const message = messageOf(event);
    if (!message || !this.#deps.consent.isLeftOut(message.author.id)) return false;
    if (event.type === "message") return !event.addressed;
    return !this.#byMessage.get(message.message_id)?.some((entry) => entry.event?.type === "message");
  }

  #add(event: DiscordEvent | null): Entry {
    this.#last += 1;
    const bytes = ENTRY_BYTES + (event ? weigh(event) : 0);
    const entry = { sequence: this.#last, cursor: this.#deps.mintId(), event, at: this.#deps.clock.now(), bytes };
    this.#entries.set(entry.sequence, entry);
    this.#byCursor.set(entry.cursor, entry.sequence);
    this.#bytes += bytes;
    const message = messageOf(event);
    if (message) this.#byMessage.set(message.message_id, [...(this.#byMessage.get(message.message_id) ?? []), entry]);
    this.#prune();
    return entry;
  }

  #held(sequence: number): HeldEntry {
    const entry = this.#entries.get(sequence);
    if (!entry) throw new RangeError(`no event ${sequence} is held`);
    return entry;
  }

  /** The newest entry always stays, as a position to continue from. */
  #prune(): void {
    const oldest = this.#deps.clock.now() - this.#limits.heldMs;
    while (this.#first < this.#last) {
      const entry = this.#held(this.#first);
      const isTooMuch = this.#entries.size > this.#limits.heldEvents || this.#bytes > this.#limits.heldBytes;
      if (!isTooMuch && entry.at >= oldest) return;
      this.#erase(entry);
      this.#entries.delete(entry.sequence);
      this.#byCursor.delete(entry.cursor);
      this.#bytes -= entry.bytes;
      this.#first += 1;
      this.#cursorBefore = entry.cursor;
    }
  }

  /** Removes or changes earlier events that this one invalidates or hides. */
  #forget(event: DiscordEvent): void {
    switch (event.type) {
      case "message_update":
        for (const entry of this.#byMessage.get(event.message.message_id) ?? []) this.#rewrite(entry, event.message);
        return;
      case "message_delete":
        for (const id of event.messageIds) for (const entry of this.#byMessage.get(id) ?? []) this.#erase(entry);
        return;
      case "channel_deleted":
      case "access_lost":
        this.#forgetChannels(new Set([event.channelId]));
        return;
      case "guild_removed":
        this.#forgetChannels(new Set(event.channelIds));
        return;
    }
  }

  #forgetChannels(channelIds: ReadonlySet<ChannelId>): void {
    for (const entry of this.#entries.values()) {
      const message = messageOf(entry.event);
      if (message && channelIds.has(message.channel_id)) this.#erase(entry);
    }
  }

  #rewrite(entry: HeldEntry, message: Message): void {
    if (entry.event?.type !== "message" && entry.event?.type !== "message_update") return;
    entry.event = { ...entry.event, message };
    this.#reweigh(entry);
  }

  #erase(entry: HeldEntry): void {
    const message = messageOf(entry.event);
    if (!message) return;
    const others = this.#byMessage.get(message.message_id)?.filter((other) => other !== entry) ?? [];
    if (others.length > 0) this.#byMessage.set(message.message_id, others);
    else this.#byMessage.delete(message.message_id);
    entry.event = null;
    this.#reweigh(entry);
  }

  #reweigh(entry: HeldEntry): void {
    const bytes = ENTRY_BYTES + (entry.event ? weigh(entry.event) : 0);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }
}

function messageOf(event: DiscordEvent | null): Message | null {
  return event?.type === "message" || event?.type === "message_update" ? event.message : null;
}

/** Approximate size in memory. */
function weigh(event: DiscordEvent): number {
  const message = messageOf(event);
  if (message) {
    // A text with one part is stored once.
    const bytesPerCharacter = message.parts.length > 1 ? 4 : 2;
    return 1_000 + message.content.length * bytesPerCharacter + message.attachments.length * 600;
  }
  return (
    200 +
    ("messageIds" in event ? event.messageIds.length * 40 : 0) +
    ("channelIds" in event ? event.channelIds.length * 40 : 0)
  );
}
