import type { ChannelId, GuildId, MessageId, UserId } from "./ids.ts";
import { type Message, typedText } from "./message.ts";

/** Whether everything read so far comes from us, or some of it from people who may write what they like. */
export type Integrity = "trusted" | "untrusted";

export interface MessageReading {
  readonly messageId: MessageId;
  readonly channelId: ChannelId;
  readonly authorId: UserId | null;
  /** What its author wrote, with the names of its files; null, like the author, where that is not known any more. */
  readonly text: string | null;
}

export function toMessageReading(message: Message): MessageReading {
  const { message_id, channel_id, author, content, attachments } = message;
  const files = attachments.map(({ filename }) => filename);
  // A bot writes its embeds itself; what stands in a person's message beside their words was put there by Discord.
  const words = author.bot ? content : typedText(message);
  return { messageId: message_id, channelId: channel_id, authorId: author.id, text: [words, ...files].join("\n") };
}

/** What one read brought: where it was said, and what exactly. */
export interface Reading {
  /** Channels of which something was disclosed: a message, their name, that they are there. */
  readonly channels: readonly ChannelId[];
  /** Channels that were searched, and of which nothing was disclosed. */
  readonly searched?: readonly ChannelId[];
  /** Servers whose name or membership was disclosed. */
  readonly guilds: readonly GuildId[];
  readonly messages: readonly MessageReading[];
  /** Links that stand in what was read, verbatim. */
  readonly links: readonly string[];
}

/** A message that was read, in every version in which it was read. */
export interface MessageSource extends MessageReading {
  /** When it was last known to stand as it was read. */
  readonly readAt: number;
  /** When it was last read, at the latest. */
  readonly countsFrom: number;
  /** `text` is the one that was read last. */
  readonly texts: ReadonlySet<string>;
}

/**
 * Everything that has been read, each source with the time of its last reading. Its audience is the intersection of the audiences of its
 * sources: who may hear of it must be able to read each of them. It only grows, unless its owner sets an end to how long sources count.
 */
export class Label {
  readonly #channels = new Map<ChannelId, number>();
  readonly #disclosed = new Map<ChannelId, number>();
  readonly #guilds = new Map<GuildId, number>();
  readonly #messages = new Map<MessageId, MessageSource>();
  readonly #links = new Map<string, number>();

  /** All channels that were read or searched. */
  get channels(): ReadonlyMap<ChannelId, number> {
    return this.#channels;
  }

  /** Those of which something was disclosed: it is taken back when the channel is deleted. */
  get disclosed(): ReadonlyMap<ChannelId, number> {
    return this.#disclosed;
  }

  get guilds(): ReadonlyMap<GuildId, number> {
    return this.#guilds;
  }

  get messages(): ReadonlyMap<MessageId, MessageSource> {
    return this.#messages;
  }

  hasLink(link: string): boolean {
    return this.#links.has(link);
  }

  /** All that comes from Discord, names included, was written by somebody. */
  get integrity(): Integrity {
    return this.#channels.size + this.#guilds.size + this.#messages.size === 0 ? "trusted" : "untrusted";
  }

  /** Joins what was read at some time; where that is not known exactly, `countsFrom` is the latest that it can have been. */
  join({ channels, searched = [], guilds, messages, links }: Reading, at: number, countsFrom = at): void {
    const disclosed = [...channels, ...messages.map(({ channelId }) => channelId)];
    for (const id of [...disclosed, ...searched]) setLatest(this.#channels, id, countsFrom);
    for (const id of disclosed) setLatest(this.#disclosed, id, countsFrom);
    for (const id of guilds) setLatest(this.#guilds, id, countsFrom);
    for (const message of messages) {
      const { messageId, text } = message;
      const known = this.#messages.get(messageId)?.texts ?? new Set();
      const texts = text === null || known.has(text) ? known : new Set([...known, text]);
      this.#messages.set(messageId, { ...message, readAt: at, countsFrom, texts });
    }
    for (const link of links) this.#links.set(link, countsFrom);
  }

  /** The message was looked up again, and stands as it was read. */
  confirm(messageId: MessageId, at: number): void {
    const known = this.#messages.get(messageId);
    if (known) this.#messages.set(messageId, { ...known, readAt: at });
  }

  /** Drops what was last read before a time. */
  forgetBefore(time: number): void {
    for (const times of [this.#channels, this.#disclosed, this.#guilds, this.#links])
      for (const [key, at] of times) if (at < time) (times as Map<unknown, number>).delete(key);
    for (const [id, { countsFrom }] of this.#messages) if (countsFrom < time) this.#messages.delete(id);
  }
}

function setLatest<Key>(times: Map<Key, number>, key: Key, at: number): void {
  times.set(key, Math.max(at, times.get(key) ?? at));
}
