import { z } from "zod";
import type { Channel } from "../domain/guild.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { messageSchema } from "../domain/message.ts";
import type { Read } from "../ports/timelines.ts";

/** Fields that several tools share, so that they mean and read the same everywhere. */
export const channelId = idSchema<ChannelId>().describe("Id of a channel or thread");
export const messageId = idSchema<MessageId>().describe("Id of a message");
export const userId = idSchema<UserId>().describe("Id of a person");
export const guildId = idSchema<GuildId>().describe("Id of a server");
export const limit = (usual: number) => z.int().min(1).max(100).default(usual).describe("How many messages to return");
export const scan = z.int().min(1).max(100_000).describe("How many messages may be examined");
export const cursor = z.string().max(500).describe("Goes on from an earlier result");

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Messages with the truth about how far was looked. */
export const readSchema = z.object({
  messages: z.array(messageSchema).describe("Newest first"),
  scanned: count.describe("Messages examined"),
  coverage: z.object({
    scanned: count,
    from: z.string().nullable(),
    to: z.string().nullable(),
    complete: z.boolean().describe("Everything that was asked about has been looked at"),
  }),
  has_more: z.boolean(),
  cursor: z.string().nullable(),
});

export function toRead({ messages, coverage, has_more, cursor: next }: Read): z.output<typeof readSchema> {
  return { messages: [...messages], scanned: coverage.scanned, coverage, has_more, cursor: next };
}

export const channelSchema = z.object({
  channel_id: idSchema<ChannelId>(),
  guild_id: idSchema<GuildId>().nullable(),
  name: z.string(),
  kind: z.string(),
  topic: z.string().nullable(),
  parent_id: idSchema<ChannelId>().nullable(),
  age_restricted: z.boolean(),
  archived: z.boolean(),
  tags: z.array(z.string()),
});

export function toChannelInfo(channel: Channel): z.output<typeof channelSchema> {
  return {
    channel_id: channel.id,
    guild_id: channel.guildId,
    name: channel.name,
    kind: channel.kind,
    topic: channel.topic,
    parent_id: channel.parentId,
    age_restricted: channel.ageRestricted,
    archived: channel.thread?.archived ?? false,
    tags: [...channel.tags],
  };
}
