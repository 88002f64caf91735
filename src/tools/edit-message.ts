import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelId, messageId } from "./fields.ts";

export const editMessage = defineTool({
  name: "discord.edit",
  about: "Replace the text of a message that you sent for this person. Nobody is pinged.",
  examples: ["Correct the time in the reminder you posted.", "Change what you wrote in #general to say eleven."],
  effect: "send",
  isDestructive: true,
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({
    channel_id: channelId,
    message_id: messageId,
    text: z.string().min(1).max(2_000).describe("The whole new text"),
  }),
  handles: ["message_id"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel_id, message_id, text }, view) {
    await view.edit({ channelId: channel_id, messageId: message_id }, text);
    return { ok: true as const };
  },
});
