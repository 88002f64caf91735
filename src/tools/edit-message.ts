import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel, messageReference } from "./fields.ts";

export const editMessage = defineTool({
  name: "discord.edit",
  about: "Replace the text of a message that you sent for the person. Nobody is pinged.",
  examples: ["Correct the time in the reminder you posted.", "Change what you wrote in #general to say eleven."],
  effect: "send",
  isDestructive: true,
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({
    message_id: messageReference,
    channel: channel.optional().describe("Where the message stands, by name or id; looked for when absent"),
    text: z.string().min(1).max(2_000).describe("The whole new text"),
  }),
  handles: ["message_id"],
  channels: ["channel"],
  unlisted: ["channel"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel: name, message_id, text }, view) {
    await view.effects.edit(await view.messages.addressOf(message_id, name), text);
    return { ok: true as const };
  },
});
