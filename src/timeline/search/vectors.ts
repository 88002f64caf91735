import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";

/**
 * Whole numbers from -127 to 127, the largest of each vector scaled to the end of that: a quarter of the room that floats take, and faster to
 * multiply. What is lost is far below what tells one text from another.
 */
export interface Vector {
  readonly values: Int8Array;
  readonly length: number;
}

/** A message as it was when its meaning was asked for. */
export interface Meant {
  readonly message: Message;
  readonly text: string;
  /** Null when it means nothing, undefined as long as that is not known. */
  vector: Vector | null | undefined;
}

const LARGEST = 127;

/** Null when it has no direction. */
export function toVector(numbers: Float32Array): Vector | null {
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  if (largest === 0) return null;
  const values = Int8Array.from(numbers, (number) => Math.round((number / largest) * LARGEST));
  return { values, length: Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) };
}

/** The cosine between two that are equally long. */
export function similarity(a: Vector, b: Vector): number {
  const [x, y] = [a.values, b.values];
  const size = Math.min(x.length, y.length);
  let [even, odd] = [0, 0];
  let at = 0;
  // Whole numbers stay whole, and of two sums at a time neither has to wait for the other.
  for (; at + 1 < size; at += 2) {
    even = (even + Math.imul(x[at] ?? 0, y[at] ?? 0)) | 0;
    odd = (odd + Math.imul(x[at + 1] ?? 0, y[at + 1] ?? 0)) | 0;
  }
  if (at < size) even += (x[at] ?? 0) * (y[at] ?? 0);
  return (even + odd) / (a.length * b.length);
}

/**
 * What messages mean, by channel, as many as there is room for: the channels searched longest ago give way first. Whoever holds the messages
 * tells when one has changed or gone, and it is forgotten at once.
 */
export class Vectors {
  readonly #most: number;
  /** The channel used last comes last. */
  readonly #channels = new Map<ChannelId, Map<bigint, Meant>>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  get(channelId: ChannelId, id: bigint): Meant | undefined {
    return this.#channels.get(channelId)?.get(id);
  }

  /** Neither has the message changed nor gone since this was put here. */
  has(meant: Meant): boolean {
    return this.get(meant.message.channel_id, BigInt(meant.message.message_id)) === meant;
  }

  put(meant: Meant): void {
    const { channel_id: channelId, message_id: messageId } = meant.message;
    const channel = this.#channels.get(channelId) ?? new Map<bigint, Meant>();
    this.#size -= channel.size;
    channel.set(BigInt(messageId), meant);
    this.#size += channel.size;
    this.#channels.set(channelId, channel);
    while (this.#size > this.#most) this.#dropOne();
  }

  /** The channel is being searched. */
  touch(channelId: ChannelId): void {
    const channel = this.#channels.get(channelId);
    if (channel && this.#channels.delete(channelId)) this.#channels.set(channelId, channel);
  }

  forget(channelId: ChannelId, ids: readonly bigint[]): void {
    const channel = this.#channels.get(channelId);
    if (!channel) return;
    for (const id of ids) if (channel.delete(id)) this.#size -= 1;
    if (channel.size === 0) this.#channels.delete(channelId);
  }

  /** Everything of the channel. */
  clear(channelId: ChannelId): void {
    this.#size -= this.#channels.get(channelId)?.size ?? 0;
    this.#channels.delete(channelId);
  }

  clearAll(): void {
    this.#channels.clear();
    this.#size = 0;
  }

  #dropOne(): void {
    const [first] = this.#channels;
    const [oldest] = first?.[1].keys() ?? [];
    if (first && oldest !== undefined) this.forget(first[0], [oldest]);
  }
}
