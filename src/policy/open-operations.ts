import type { MessageId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Destination, Operation } from "./operation.ts";

export type OpenOperation = Operation & { destination: Destination; expiresAt: number };

const MAX_OPEN = 10_000;
const MAX_OPEN_PER_CLIENT = 2_000;

/** Operations that clients name by id. Where there are too many, the oldest end, and those of one client before those of others. */
export class OpenOperations {
  readonly #clock: Clock;
  /** The oldest first. Not a BoundedMap: one that expires during a call can still be narrowed, and each client has a maximum of its own. */
  readonly #open = new Map<string, OpenOperation>();
  readonly #counts = new Map<string, number>();
  /** The number of those that began with a message, by message and client. */
  readonly #begun = new Map<MessageId, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(operation: OpenOperation): void {
    const { name } = operation.client;
    for (const each of this.#open.values()) {
      if (each.expiresAt > this.#clock.now() && this.#open.size < MAX_OPEN) break;
      this.#drop(each);
    }
    const isFull = (this.#counts.get(name) ?? 0) >= MAX_OPEN_PER_CLIENT;
    const oldest = isFull && this.#open.values().find(({ client }) => client.name === name);
    if (oldest) this.#drop(oldest);
    this.#open.set(operation.id, operation);
    this.#count(operation, 1);
  }

  /** Also one that has expired, as long as nothing has taken its place. */
  get(id: string): OpenOperation | undefined {
    return this.#open.get(id);
  }

  find(id: string): OpenOperation | undefined {
    const operation = this.#open.get(id);
    return operation && operation.expiresAt > this.#clock.now() ? operation : undefined;
  }

  close({ id }: Pick<Operation, "id">): void {
    const operation = this.#open.get(id);
    if (!operation) return;
    operation.expiresAt = Math.min(operation.expiresAt, this.#clock.now());
    this.#drop(operation);
  }

  endOf(clients: readonly string[]): void {
    const ended = [...this.#open.values()].filter(({ client }) => clients.includes(client.name));
    for (const operation of ended) this.close(operation);
  }

  /** Without a client: whether any was given an operation that began with the message. */
  beganWith(messageId: MessageId, client?: string): boolean {
    const counts = this.#begun.get(messageId);
    return client === undefined ? counts !== undefined : (counts?.has(client) ?? false);
  }

  #drop(operation: OpenOperation): void {
    this.#open.delete(operation.id);
    this.#count(operation, -1);
  }

  #count({ client, origin: { messageId } }: Operation, by: number): void {
    change(this.#counts, client.name, by);
    if (messageId === null) return;
    const counts = this.#begun.get(messageId) ?? new Map<string, number>();
    change(counts, client.name, by);
    if (counts.size > 0) this.#begun.set(messageId, counts);
    else this.#begun.delete(messageId);
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
