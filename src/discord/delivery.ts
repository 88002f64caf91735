import { BoundedMap } from "../domain/bounded-map.ts";
import type { MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { DiscordEvent } from "../ports/discord.ts";

interface Fate {
  readonly created: boolean;
  readonly deleted: boolean;
  /** Time of the newest edit received, if any. */
  readonly editedTs: string | null;
  /** The edited version, while the message itself has not arrived. */
  readonly early: Message | null;
}

/** Shared, because most messages are created and nothing else. */
const UNKNOWN: Fate = { created: false, deleted: false, editedTs: null, early: null };
const CREATED: Fate = { ...UNKNOWN, created: true };
const DELETED: Fate = { ...UNKNOWN, deleted: true };

const MAX_MESSAGES = 20_000;

/**
 * Discord delivers at least once and sometimes out of order. This delivers exactly once and in order: a repeated message is dropped, one
 * that arrives after its own deletion stays deleted, and an older edit does not undo a newer one.
 */
export class Delivery {
  readonly #fates = new BoundedMap<MessageId, Fate>({ maxEntries: MAX_MESSAGES });

  create(message: Message, addressed: boolean): DiscordEvent[] {
    const { created, deleted, editedTs, early } = this.#fate(message.message_id);
    if (created || deleted) return [];
    this.#fates.set(message.message_id, editedTs === null ? CREATED : { ...CREATED, editedTs });
    return [{ type: "message", message: early ?? message, addressed }];
  }

  update(message: Message): DiscordEvent[] {
    const { created, deleted, editedTs } = this.#fate(message.message_id);
    const ts = message.edited_ts ?? "";
    if (deleted || (editedTs !== null && ts < editedTs)) return [];
    this.#fates.set(message.message_id, { created, deleted, editedTs: ts, early: created ? null : message });
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

  /** An edited version that arrived early is dropped, so the message itself is taken as it arrives. */
  letGoOf(authorId: UserId): void {
    this.#fates.deleteWhere(({ early }) => early?.author.id === authorId);
  }

  #fate(id: MessageId): Fate {
    return this.#fates.get(id) ?? UNKNOWN;
  }
}
