import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel } from "./fields.ts";

export const showTyping = defineTool({
  name: "discord.typing",
  about: "Show for ten seconds that the bot is typing.",
  examples: ["Show that you are typing in #general.", "Let people in this channel see that you are writing."],
  effect: "send",
  scope: "discord:send",
  toolset: "discord",
  input: z.strictObject({ channel }),
  channels: ["channel"],
  output: z.object({ ok: z.literal(true) }),
  async run({ channel: name }, view) {
    await view.effects.showTyping(await view.channels.idOf(name));
    return { ok: true as const };
  },
});
