import { readFileSync } from "node:fs";
import { z } from "zod";
import { type AttachmentId, type ChannelId, idTime, type MessageId, type UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { GUILD } from "../test/support/archive.ts";

const roomSchema = z.object({
  room: z.string().regex(/^room-\d+$/),
  messages: z.array(
    z.object({
      id: z.string(),
      author_id: z.string(),
      author: z.string(),
      text: z.string(),
      reply_to: z.string().nullable(),
      files: z.int().min(0),
    }),
  ),
});

export type RoomRecord = z.infer<typeof roomSchema>;

/** Rooms of Discord, one a line. */
export function readRoomFile(file: string): RoomRecord[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => roomSchema.parse(JSON.parse(line)));
}

export function toRoomMessage(said: RoomRecord["messages"][number], channelId: ChannelId): Message {
  const { id, author_id, author, text, reply_to, files } = said;
  return {
    message_id: id as MessageId,
    channel_id: channelId,
    guild_id: GUILD,
    thread_id: null,
    link: "",
    author: { id: author_id as UserId, name: author, bot: false },
    ts: new Date(idTime(id as MessageId)).toISOString(),
    edited_ts: null,
    kind: reply_to === null ? "text" : "reply",
    content: text,
    parts: toTypedParts(text),
    reply_to: reply_to === null ? null : { message_id: reply_to as MessageId, state: "known" },
    attachments: Array.from({ length: files }, (_, index) => ({
      ...{ id: String(index + 1) as AttachmentId, url: "", filename: "file", content_type: null },
      ...{ size: 0, width: null, height: null },
    })),
  };
}
