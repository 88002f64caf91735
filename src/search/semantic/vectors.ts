import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Families } from "../../timeline/families.ts";

/**
 * Integers from -127 to 127, with the largest of each vector scaled to the end of that range: a quarter of the memory of floats, and faster to multiply. The
 * loss is far below the differences between texts.
 */
export interface Vector {
  readonly values: Int8Array;
  readonly length: number;
}

/** A message as it was when its vector was asked for. */
export interface EmbeddedText {
  readonly message: Message;
  readonly text: string;
  /** Null when the text has none, undefined as long as it is not known. */
  vector: Vector | null | undefined;
}

const MAX_COMPONENT = 127;

/** Null when it has no direction. */
export function toVector(numbers: Float32Array): Vector | null {
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  if (largest === 0) return null;
  const values = Int8Array.from(numbers, (number) => Math.round((number / largest) * MAX_COMPONENT));
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

interface FamilyVectors {
  readonly isPrivate: boolean;
  /** The channel used last comes last. */
  readonly channels: Map<ChannelId, Map<bigint, EmbeddedText>>;
  size: number;
}

/** For a private thread or DM. */
const MAX_PRIVATE_VECTORS = 128;

/**
 * Vectors of messages, by channel. Each family of channels has a quota of its own, within which the channels searched longest ago give way
 * first. Vectors of messages that have changed or gone are forgotten at once: see `ChannelIndexes`.
 */
export class Vectors {
  readonly #max: number;
  readonly #quotas: Pick<Families, "of" | "divide">;
  /** The family used last comes last. Not BoundedMaps: the channels of a family share a quota, which changes with the number of families. */
  readonly #families = new Map<string, FamilyVectors>();
  readonly #familyIds = new Map<ChannelId, string>();

  constructor(max: number, quotas: Pick<Families, "of" | "divide">) {
    this.#max = max;
    this.#quotas = quotas;
  }

  get size(): number {
    return [...this.#families.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** How many messages of the channel and those that share its quota can be kept. */
  quotaOf(channelId: ChannelId): number {
    const { family, privateFamily } = this.#divided;
    return this.#quotas.of(channelId).isPrivate ? privateFamily : family;
  }

  /** Channels with the same name share a quota. */
  familyOf(channelId: ChannelId): string {
    return this.#familyIds.get(channelId) ?? this.#quotas.of(channelId).id;
  }

  get(channelId: ChannelId, id: bigint): EmbeddedText | undefined {
    return this.#channel(channelId)?.get(id);
  }

  /** Neither has the message changed nor gone since this was put here. */
  has(embedded: EmbeddedText): boolean {
    return this.get(embedded.message.channel_id, BigInt(embedded.message.message_id)) === embedded;
  }

  put(embedded: EmbeddedText): void {
    const { channel_id: channelId, message_id: messageId } = embedded.message;
    const family = this.#openFamily(channelId);
    const channel = family.channels.get(channelId) ?? new Map<bigint, EmbeddedText>();
    family.size -= channel.size;
    channel.set(BigInt(messageId), embedded);
    family.size += channel.size;
    family.channels.set(channelId, channel);
    this.#settle(family);
    if (family.isPrivate) this.#settlePrivate();
  }

  /** The channel is being searched. */
  touch(channelId: ChannelId): void {
    const familyId = this.familyOf(channelId);
    const family = this.#families.get(familyId);
    const channel = family?.channels.get(channelId);
    if (!family || !channel) return;
    family.channels.delete(channelId);
    family.channels.set(channelId, channel);
    this.#families.delete(familyId);
    this.#families.set(familyId, family);
  }

  forget(channelId: ChannelId, ids: readonly bigint[]): void {
    const channel = this.#channel(channelId);
    const family = this.#families.get(this.familyOf(channelId));
    if (!channel || !family) return;
    for (const id of ids) if (channel.delete(id)) family.size -= 1;
    if (channel.size === 0) this.clear(channelId);
  }

  forgetAuthor(authorId: UserId): void {
    for (const { channels } of [...this.#families.values()])
      for (const [channelId, messages] of [...channels]) {
        const written = [...messages].filter(([, { message }]) => message.author.id === authorId);
        this.forget(
          channelId,
          written.map(([id]) => id),
        );
      }
  }

  /** Everything of the channel. */
  clear(channelId: ChannelId): void {
    const familyId = this.familyOf(channelId);
    const family = this.#families.get(familyId);
    this.#familyIds.delete(channelId);
    if (!family) return;
    family.size -= family.channels.get(channelId)?.size ?? 0;
    family.channels.delete(channelId);
    if (family.channels.size === 0) this.#families.delete(familyId);
  }

  clearAll(): void {
    this.#families.clear();
    this.#familyIds.clear();
  }

  /** Brings everything back within its quota: quotas change with the number of channels. */
  settle(): void {
    for (const family of [...this.#families.values()]) this.#settle(family);
  }

  get #divided() {
    return this.#quotas.divide(this.#max, MAX_PRIVATE_VECTORS);
  }

  #channel(channelId: ChannelId): Map<bigint, EmbeddedText> | undefined {
    const familyId = this.#familyIds.get(channelId);
    return familyId === undefined ? undefined : this.#families.get(familyId)?.channels.get(channelId);
  }

  #openFamily(channelId: ChannelId): FamilyVectors {
    const { id, isPrivate } = this.#quotas.of(channelId);
    const familyId = this.#familyIds.get(channelId) ?? id;
    const family = this.#families.get(familyId) ?? { isPrivate, channels: new Map(), size: 0 };
    this.#families.set(familyId, family);
    this.#familyIds.set(channelId, familyId);
    return family;
  }

  #settle(family: FamilyVectors): void {
    const quota = family.isPrivate ? this.#divided.privateFamily : this.#divided.family;
    while (family.size > quota) {
      const [first] = family.channels;
      if (!first) return;
      const [channelId, channel] = first;
      const [oldest] = channel.keys();
      this.forget(channelId, oldest === undefined ? [] : [oldest]);
    }
  }

  #settlePrivate(): void {
    const families = [...this.#families.values()].filter(({ isPrivate }) => isPrivate);
    const surplus = families.length - this.#divided.maxPrivateFamilies;
    for (const { channels } of families.slice(0, Math.max(0, surplus)))
      for (const channelId of [...channels.keys()]) this.clear(channelId);
  }
}
