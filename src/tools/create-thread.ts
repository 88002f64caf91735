import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, MessageId } from "../domain/ids.ts";
import { defineTool } from "./define-tool.ts";
import { channel, messageId } from "./fields.ts";

export const createThread = defineTool({
  name: "discord.thread.create",
  about: "Start a public thread or forum post.",
  examples: ["Open a thread about the raffle in #general.", "Post in the help forum that the printer is broken."],
  effect: "send",
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({
    channel,
    name: z.string().trim().min(1).max(100).describe("Title"),
    text: z.string().min(1).max(2_000).describe("First message"),
    message_id: messageId.optional().describe("Where it starts"),
    tags: z.array(z.string()).max(5).optional().describe("Forum tags"),
  }),
  handles: ["message_id"],
  channels: ["channel"],
  output: z.object({
    thread_id: idSchema<ChannelId>(),
    message_id: idSchema<MessageId>().describe("The first message in it"),
  }),
  async run({ channel: place, name, text, message_id, tags = [] }, view) {
    const channelId = await view.channels.idOf(place);
    const start = message_id && { messageId: message_id };
    const first = await view.effects.startThread({ channelId, name, text, tags, ...start });
    return { thread_id: first.channel_id, message_id: first.message_id };
  },
});
