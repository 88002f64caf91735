import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelId, messageId } from "./fields.ts";

export const react = defineTool({
  name: "discord.react",
  about: "React to a message with an emoji, as the bot.",
  examples: ["React to Mark's last message with a thumbs up.", "Put a 🎉 under the announcement of the demo."],
  effect: "send",
  scope: "discord:react",
  toolset: "discord",
  input: z.strictObject({
    channel_id: channelId,
    message_id: messageId,
    emoji: z.string().min(1).max(100).describe("A Unicode emoji, or name:id of one of the server's own"),
  }),
  handles: ["message_id"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel_id, message_id, emoji }, view) {
    await view.react(channel_id, message_id, emoji);
    return { ok: true as const };
  },
});
