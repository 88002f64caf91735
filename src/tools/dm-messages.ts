import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { cursor, limit, maxTokens, messageId, readBlock, readSchema, toRead, userId } from "./fields.ts";

export const dmMessages = defineTool({
  name: "discord.dm.messages",
  about: "The person's own direct messages with the bot, newest first. Only within that direct conversation.",
  examples: ["What did we write to each other in direct messages?", "Show me the latest of our direct messages."],
  effect: "read",
  scope: "context:read_user_recent_self",
  toolset: "discord",
  input: z.strictObject({
    user_id: userId,
    limit: limit(50),
    before: messageId.optional().describe("Only messages older than this one"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
  }),
  handles: ["before"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ user_id, limit: most, before, cursor: from }, view) {
    const channel = await view.directMessages(user_id);
    const bounds = { limit: most, ...(from === undefined ? {} : { cursor: from }) };
    return toRead(await (before ? channel.before(before, bounds) : channel.recent(bounds)), channel);
  },
});
