import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelId, messageId } from "./fields.ts";

export const deleteMessage = defineTool({
  name: "discord.delete",
  about: "Delete a message that you sent for this person.",
  examples: ["Take back the message you just posted in #general.", "Delete your reminder about the raffle."],
  effect: "send",
  isDestructive: true,
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({ channel_id: channelId, message_id: messageId }),
  handles: ["message_id"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel_id, message_id }, view) {
    await view.delete({ channelId: channel_id, messageId: message_id });
    return { ok: true as const };
  },
});
