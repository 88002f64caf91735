import { compareIds } from "./snowflake.ts";

export interface PageRequest {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
}

/** The messages of one channel, ordered by id. */
export class MessageLog<Message extends { readonly id: string }> {
  readonly #messages: Message[] = [];

  get size(): number {
    return this.#messages.length;
  }

  get newest(): Message | undefined {
    return this.#messages.at(-1);
  }

  add(message: Message): void {
    const newest = this.newest;
    if (!newest || compareIds(message.id, newest.id) > 0) this.#messages.push(message);
    else this.#messages.splice(this.#position(message.id), 0, message);
  }

  get(id: string): Message | undefined {
    const found = this.#messages[this.#position(id)];
    return found?.id === id ? found : undefined;
  }

  /** The number of messages before it. */
  countBefore(id: string): number {
    return this.#position(id);
  }

  remove(id: string): Message | undefined {
    const position = this.#position(id);
    if (this.#messages[position]?.id !== id) return undefined;
    return this.#messages.splice(position, 1)[0];
  }

  /** One page, newest first, as in `GET /channels/{id}/messages`. */
  page({ limit, before, after, around }: PageRequest): Message[] {
    let end = this.#messages.length;
    if (before !== undefined) end = this.#position(before);
    else if (after !== undefined) end = Math.min(this.#positionAfter(after) + limit, end);
    else if (around !== undefined) {
      const middle = this.#position(around);
      const exists = this.#messages[middle]?.id === around ? 1 : 0;
      const older = Math.floor(limit / 2);
      end = Math.min(middle + exists + (limit - older - exists), end);
      return this.#messages.slice(Math.max(0, middle - older), end).reverse();
    }
    const start = after !== undefined && before === undefined ? this.#positionAfter(after) : Math.max(0, end - limit);
    return this.#messages.slice(start, end).reverse();
  }

  /** Oldest first. */
  [Symbol.iterator](): IterableIterator<Message> {
    return this.#messages[Symbol.iterator]();
  }

  /** Index of the first message whose id is not below the given one. */
  #position(id: string): number {
    let low = 0;
    let high = this.#messages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const message = this.#messages[middle];
      if (message && compareIds(message.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #positionAfter(id: string): number {
    const position = this.#position(id);
    return this.#messages[position]?.id === id ? position + 1 : position;
  }
}
