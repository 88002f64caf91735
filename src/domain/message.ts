import { z } from "zod";
import type { AttachmentId, ChannelId, GuildId, MessageId, UserId } from "./ids.ts";
import { toId } from "./ids.ts";

const idOf = <Id extends string>() => z.custom<Id>((value) => toId(value) !== null, "must be a Discord id");
const timestamp = z.iso.datetime({ precision: 3 });

export const attachmentSchema = z.object({
  id: idOf<AttachmentId>(),
  url: z.string(),
  filename: z.string(),
  content_type: z.string().nullable(),
  size: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  width: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  height: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
});

/**
 * The one shape in which a message leaves Earshot: events, tool results and the index all carry it.
 * `channel_id` is where the message stands and where an answer belongs; in a thread it is the thread's id, and `thread_id` repeats it.
 */
export const messageSchema = z.object({
  message_id: idOf<MessageId>(),
  channel_id: idOf<ChannelId>(),
  guild_id: idOf<GuildId>().nullable(),
  thread_id: idOf<ChannelId>().nullable(),
  link: z.string(),
  author: z.object({ id: idOf<UserId>(), name: z.string(), bot: z.boolean() }),
  ts: timestamp,
  edited_ts: timestamp.nullable(),
  kind: z.enum(["text", "reply", "command", "system", "forward"]),
  /** All that a person could read there. Mentions stay raw tokens. */
  content: z.string(),
  reply_to: z
    .object({
      message_id: idOf<MessageId>(),
      /** `unknown`: Discord did not say whether it still stands. */
      state: z.enum(["known", "deleted", "unknown"]),
    })
    .nullable(),
  attachments: z.array(attachmentSchema),
});

export type Attachment = z.infer<typeof attachmentSchema>;
export type Message = z.infer<typeof messageSchema>;
