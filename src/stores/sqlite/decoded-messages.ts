import type { MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";

/** Enough for the latest messages of the busiest channels, little beside the index itself. */
const GENERATION_SIZE = 1_000;

/**
 * The messages read last, as they are handed out: decoding a row costs more than everything else about a read. Two generations, so that
 * forgetting the oldest costs nothing. Whatever changes in the index is taken out here first.
 */
export class DecodedMessages {
  #young = new Map<MessageId, Message>();
  #old = new Map<MessageId, Message>();

  get(id: MessageId): Message | undefined {
    return this.#young.get(id) ?? this.#old.get(id);
  }

  set(id: MessageId, message: Message): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, message);
  }

  delete(id: MessageId): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
