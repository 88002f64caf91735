import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

/** The changes in a channel since a reader began to look there: their view may already be out of date. */
export class ChangeJournal {
  readonly created = new Map<MessageId, Message>();
  /** As they were edited last; null for those that were deleted. */
  readonly #changed = new Map<MessageId, Message | null>();

  noteCreated(message: Message): void {
    this.created.set(message.message_id, message);
  }

  noteUpdated(message: Message): void {
    if (this.#changed.get(message.message_id) !== null) this.#changed.set(message.message_id, message);
  }

  noteDeleted(ids: readonly MessageId[]): void {
    for (const id of ids) this.#changed.set(id, null);
  }

  /** It was edited or deleted. */
  touches(id: MessageId): boolean {
    return this.#changed.has(id);
  }

  /** The message as it stands now; null when it is gone. */
  current(message: Message): Message | null {
    const changed = this.#changed.get(message.message_id);
    if (changed === null) return null;
    return changed && !isOlder(changed, message) ? changed : message;
  }
}

/** A link preview changes a message without an edit: of two that are equally old, neither is older. */
export function isOlder(message: Message, than: Message): boolean {
  return (message.edited_ts ?? "") < (than.edited_ts ?? "");
}
