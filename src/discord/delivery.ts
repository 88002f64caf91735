import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { DiscordEvent } from "../ports/discord.ts";

interface Fate {
  created: boolean;
  deleted: boolean;
  /** The newest version seen, once there was an edit. */
  edited: Message | null;
}

const GENERATION = 10_000;

/**
 * Discord delivers at least once and not always in order. This makes it once and never backwards: a repeated message is dropped, one that
 * arrives after its own deletion stays deleted, and an older edit does not undo a newer one.
 */
export class Delivery {
  /** Two generations, so that forgetting costs nothing: when the young one is full, the old one goes as a whole. */
  #young = new Map<MessageId, Fate>();
  #old = new Map<MessageId, Fate>();

  create(message: Message, addressed: boolean): DiscordEvent[] {
    const fate = this.#fate(message.message_id);
    if (fate.created || fate.deleted) return [];
    fate.created = true;
    return [{ type: "message", message: fate.edited ?? message, addressed }];
  }

  update(message: Message): DiscordEvent[] {
    const fate = this.#fate(message.message_id);
    if (fate.deleted || (fate.edited && isOlder(message, fate.edited))) return [];
    fate.edited = message;
    return [{ type: "message_update", message }];
  }

  delete(channelId: Message["channel_id"], messageIds: readonly MessageId[]): DiscordEvent[] {
    const fresh = messageIds.filter((id) => {
      const fate = this.#fate(id);
      const isFirst = !fate.deleted;
      fate.deleted = true;
      fate.edited = null;
      return isFirst;
    });
    return fresh.length === 0 ? [] : [{ type: "message_delete", channelId, messageIds: fresh }];
  }

  #fate(id: MessageId): Fate {
    const known = this.#young.get(id) ?? this.#old.get(id);
    if (known) return known;
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const fate = { created: false, deleted: false, edited: null };
    this.#young.set(id, fate);
    return fate;
  }
}

function isOlder(message: Message, than: Message): boolean {
  return (message.edited_ts ?? "") < (than.edited_ts ?? "");
}
