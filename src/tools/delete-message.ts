import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel, messageReference } from "./fields.ts";

export const deleteMessage = defineTool({
  name: "discord.delete",
  about: "Delete a message that you sent for the person.",
  examples: ["Take back the message you just posted in #general.", "Delete your reminder about the raffle."],
  effect: "send",
  isDestructive: true,
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({
    message_id: messageReference,
    channel: channel.optional().describe("Where the message stands, by name or id; looked for when absent"),
  }),
  handles: ["message_id"],
  channels: ["channel"],
  unlisted: ["channel"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel: name, message_id }, view) {
    await view.effects.delete(await view.messages.addressOf(message_id, name));
    return { ok: true as const };
  },
});
