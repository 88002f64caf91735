import type { MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

/** What has happened in a channel since somebody began to look there: what they see may already be out of date. */
export class ChangeJournal {
  readonly created = new Map<MessageId, Message>();
  readonly #updated = new Map<MessageId, Message>();
  readonly #deleted = new Set<MessageId>();

  noteCreated(message: Message): void {
    this.created.set(message.message_id, message);
  }

  noteUpdated(message: Message): void {
    this.#updated.set(message.message_id, message);
  }

  noteDeleted(ids: readonly MessageId[]): void {
    for (const id of ids) this.#deleted.add(id);
  }

  /** It was edited or deleted. */
  touches(id: MessageId): boolean {
    return this.#deleted.has(id) || this.#updated.has(id);
  }

  /** The message as it stands now; null when it is gone. */
  current(message: Message): Message | null {
    if (this.#deleted.has(message.message_id)) return null;
    const updated = this.#updated.get(message.message_id);
    return updated && !isOlder(updated, message) ? updated : message;
  }
}

/** A link preview changes a message without an edit: of two that are equally old, neither is older. */
export function isOlder(message: Message, than: Message): boolean {
  return (message.edited_ts ?? "") < (than.edited_ts ?? "");
}
