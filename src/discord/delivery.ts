import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { DiscordEvent } from "../ports/discord.ts";

interface Fate {
  readonly created: boolean;
  readonly deleted: boolean;
  /** The newest version seen, once there was an edit. */
  readonly edited: Message | null;
}

/** Most messages are created and nothing else: they share one fate, which costs no memory. */
const UNKNOWN: Fate = { created: false, deleted: false, edited: null };
const CREATED: Fate = { created: true, deleted: false, edited: null };
const DELETED: Fate = { created: false, deleted: true, edited: null };

const GENERATION_SIZE = 10_000;

/**
 * Discord delivers at least once and not always in order. This makes it once and never backwards: a repeated message is dropped, one that
 * arrives after its own deletion stays deleted, and an older edit does not undo a newer one.
 */
export class Delivery {
  /** Two generations, so that forgetting costs nothing: when the young one is full, the old one goes as a whole. */
  #young = new Map<MessageId, Fate>();
  #old = new Map<MessageId, Fate>();

  create(message: Message, addressed: boolean): DiscordEvent[] {
    const { created, deleted, edited } = this.#fate(message.message_id);
    if (created || deleted) return [];
    this.#setFate(message.message_id, edited ? { created: true, deleted, edited } : CREATED);
    return [{ type: "message", message: edited ?? message, addressed }];
  }

  update(message: Message): DiscordEvent[] {
    const { created, deleted, edited } = this.#fate(message.message_id);
    if (deleted || (edited && isOlder(message, edited))) return [];
    this.#setFate(message.message_id, { created, deleted, edited: message });
    return [{ type: "message_update", message }];
  }

  delete(channelId: Message["channel_id"], messageIds: readonly MessageId[]): DiscordEvent[] {
    const fresh = messageIds.filter((id) => {
      if (this.#fate(id).deleted) return false;
      this.#setFate(id, DELETED);
      return true;
    });
    return fresh.length === 0 ? [] : [{ type: "message_delete", channelId, messageIds: fresh }];
  }

  #fate(id: MessageId): Fate {
    return this.#young.get(id) ?? this.#old.get(id) ?? UNKNOWN;
  }

  #setFate(id: MessageId, fate: Fate): void {
    if (this.#young.size >= GENERATION_SIZE && !this.#young.has(id)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, fate);
  }
}

function isOlder(message: Message, than: Message): boolean {
  return (message.edited_ts ?? "") < (than.edited_ts ?? "");
}
