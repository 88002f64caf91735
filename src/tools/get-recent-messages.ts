import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { cursor, limit, maxTokens, openTalk, readBlock, readSchema, toRead } from "./fields.ts";
import { channelName } from "./search-fields.ts";

export const getRecentMessages = defineTool({
  name: "get_recent_messages",
  about: "The latest messages of this channel, or of another one. Use for 'what is going on here?' and 'just now'.",
  examples: ["What is going on here?", "What was the last message?", "What were people just talking about?"],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "search",
  input: z.strictObject({
    limit: limit(15),
    channel: channelName.optional().describe("Name or id of another channel; this one when absent"),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
  }),
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: readSchema,
  toBlock: (output) => readBlock(output, { empty: "No recent activity in this channel." }),
  async run({ limit: most, channel: name, cursor: from }, view) {
    const channel = await openTalk(view, name);
    return toRead(await channel.recent({ limit: most, ...(from && { cursor: from }) }), channel);
  },
});
