import { BoundedMap } from "../domain/bounded-map.ts";
import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { DiscordEvent } from "../ports/discord.ts";

interface Fate {
  readonly created: boolean;
  readonly deleted: boolean;
  /** The newest version seen, once there was an edit. */
  readonly edited: Message | null;
}

/** Most messages are created and nothing else: they share one fate. */
const UNKNOWN: Fate = { created: false, deleted: false, edited: null };
const CREATED: Fate = { created: true, deleted: false, edited: null };
const DELETED: Fate = { created: false, deleted: true, edited: null };

const MAX_MESSAGES = 20_000;

/**
 * Discord delivers at least once and not always in order. This makes it once and never backwards: a repeated message is dropped, one that
 * arrives after its own deletion stays deleted, and an older edit does not undo a newer one.
 */
export class Delivery {
  readonly #fates = new BoundedMap<MessageId, Fate>({ maxEntries: MAX_MESSAGES });

  create(message: Message, addressed: boolean): DiscordEvent[] {
    const { created, deleted, edited } = this.#fate(message.message_id);
    if (created || deleted) return [];
    this.#fates.set(message.message_id, edited ? { created: true, deleted, edited } : CREATED);
    return [{ type: "message", message: edited ?? message, addressed }];
  }

  update(message: Message): DiscordEvent[] {
    const { created, deleted, edited } = this.#fate(message.message_id);
    if (deleted || (edited && isOlder(message, edited))) return [];
    this.#fates.set(message.message_id, { created, deleted, edited: message });
    return [{ type: "message_update", message }];
  }

  delete(channelId: Message["channel_id"], messageIds: readonly MessageId[]): DiscordEvent[] {
    const fresh = messageIds.filter((id) => {
      if (this.#fate(id).deleted) return false;
      this.#fates.set(id, DELETED);
      return true;
    });
    return fresh.length === 0 ? [] : [{ type: "message_delete", channelId, messageIds: fresh }];
  }

  #fate(id: MessageId): Fate {
    return this.#fates.get(id) ?? UNKNOWN;
  }
}

function isOlder(message: Message, than: Message): boolean {
  return (message.edited_ts ?? "") < (than.edited_ts ?? "");
}
