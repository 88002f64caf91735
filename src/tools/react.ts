import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel, messageReference } from "./fields.ts";

export const react = defineTool({
  name: "discord.react",
  about: "React to a message with an emoji, as the bot.",
  examples: ["React to Mark's last message with a thumbs up.", "Put a 🎉 under the announcement of the demo."],
  effect: "send",
  scope: "discord:react",
  toolset: "discord",
  input: z.strictObject({
    message_id: messageReference,
    channel: channel.optional().describe("Where the message stands, by name or id; looked for when absent"),
    emoji: z.string().min(1).max(100).describe("Unicode, or name:id of the server's own"),
  }),
  handles: ["message_id"],
  channels: ["channel"],
  unlisted: ["channel"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel: name, message_id, emoji }, view) {
    const { channelId, messageId } = await view.messages.addressOf(message_id, name);
    await view.effects.react(channelId, messageId, emoji);
    return { ok: true as const };
  },
});
