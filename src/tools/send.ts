import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { MessageId } from "../domain/ids.ts";
import { defineTool } from "./define-tool.ts";
import { channel, messageId, userId } from "./fields.ts";

export const send = defineTool({
  name: "discord.send",
  about: "Say something there. Read with `for` set to it first.",
  examples: [
    "Tell the people in #general that the demo begins at ten.",
    "Post a reminder about the raffle in #announcements.",
  ],
  effect: "send",
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({
    channel,
    text: z.string().min(1).max(20_000).describe("What to say"),
    reply_to: messageId.optional().describe("Message to answer; the one that asked when absent"),
    mentions: z.array(userId).max(20).default([]).describe("Ids of people it may ping; of those it mentions"),
    key: z.string().min(1).max(100).optional().describe("The same key within an operation sends once"),
  }),
  handles: ["reply_to"],
  channels: ["channel"],
  unlisted: ["key"],
  output: z.object({
    message_id: idSchema<MessageId>().describe("The first message sent"),
    ts: z.string(),
    message_ids: z.array(idSchema<MessageId>()).describe("All of them, where the text was long"),
  }),
  async run({ channel: name, text, reply_to, mentions, key }, view) {
    const sent = await view.effects.send({
      channelId: await view.channels.idOf(name),
      text,
      mentions,
      ...(reply_to && { replyTo: reply_to }),
      ...(key && { key }),
    });
    const [first] = sent;
    if (!first) throw new EarshotError("invalid", "`text` holds nothing to send.");
    return { message_id: first.message_id, ts: first.ts, message_ids: sent.map((message) => message.message_id) };
  },
});
