import type { ChannelId, GuildId, MessageId } from "./ids.ts";

/** Whether everything read so far comes from us, or some of it from people who may write what they like. */
export type Integrity = "trusted" | "untrusted";

/** What one read brought: where it was said, and what exactly. */
export interface Reading {
  readonly channels: readonly ChannelId[];
  /** Servers whose name or membership was told. */
  readonly guilds: readonly GuildId[];
  readonly messages: readonly MessageId[];
  /** Links that stand in what was read, verbatim. */
  readonly links: readonly string[];
}

/**
 * Everything that has been read. Its audience is the intersection of the audiences of its sources: who may hear of it must be able to
 * read each of them. It only ever grows, and its integrity only ever falls.
 */
export class Label {
  readonly channels = new Set<ChannelId>();
  readonly guilds = new Set<GuildId>();
  readonly messages = new Set<MessageId>();
  readonly links = new Set<string>();
  /** When the first of it was read; null before. */
  since: number | null = null;

  get integrity(): Integrity {
    return this.since === null ? "trusted" : "untrusted";
  }

  /** Joins what was read at some time. All that comes from Discord, names included, was written by somebody. */
  join({ channels, guilds, messages, links }: Reading, at: number): void {
    for (const id of channels) this.channels.add(id);
    for (const id of guilds) this.guilds.add(id);
    for (const id of messages) this.messages.add(id);
    for (const link of links) this.links.add(link);
    if (channels.length + guilds.length + messages.length > 0) this.since ??= at;
  }
}
