import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { cursor, limit, links, maxTokens, messageId, readBlock, readSchema, toRead, userId } from "./fields.ts";

export const dmMessages = defineTool({
  name: "discord.dm.messages",
  about: "The person's own direct messages with the bot, told to nobody else.",
  examples: ["What did we write to each other in direct messages?", "Show me the latest of our direct messages."],
  effect: "read",
  scope: "context:read_user_recent_self",
  toolset: "discord",
  input: z.strictObject({
    limit: limit(50),
    before: messageId.optional().describe("Message; only what is older than it"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
    links,
    user_id: userId.optional().describe("The person asking: nobody else's can be read"),
  }),
  handles: ["before"],
  unlisted: ["user_id"],
  readsDirectMessages: true,
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: readSchema,
  toBlock: (output) => readBlock(output),
  async run({ user_id, limit: most, before, cursor: from }, view) {
    const channel = await view.channels.directMessages(user_id);
    const bounds = { limit: most, ...(from === undefined ? {} : { cursor: from }) };
    return toRead(await (before ? channel.before(before, bounds) : channel.recent(bounds)), channel);
  },
});
