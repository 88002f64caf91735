import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelId } from "./fields.ts";

export const showTyping = defineTool({
  name: "discord.typing",
  about: "Show in a channel, for ten seconds, that the bot is typing.",
  examples: ["Show that you are typing in #general.", "Let people in this channel see that you are writing."],
  effect: "send",
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({ channel_id: channelId }),
  output: z.object({ ok: z.literal(true) }),
  async run({ channel_id }, view) {
    await view.showTyping(channel_id);
    return { ok: true as const };
  },
});
