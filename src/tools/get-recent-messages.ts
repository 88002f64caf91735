import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import {
  channelOrHere,
  cursor,
  includeOwn,
  limit,
  links,
  maxTokens,
  NO_ACTIVITY,
  openTalk,
  readBlock,
  readSchema,
  toRead,
} from "./fields.ts";

export const getRecentMessages = defineTool({
  name: "get_recent_messages",
  about: "The latest messages of a channel: 'what is going on?', 'just now'.",
  examples: ["What is going on here?", "What was the last message?", "What were people just talking about?"],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "search",
  input: z.strictObject({
    limit: limit(15),
    channel: channelOrHere,
    include_own: includeOwn.default(true),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
    links,
  }),
  channels: ["channel"],
  hereField: "channel",
  unlisted: ["include_own"],
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: readSchema,
  toBlock: (output) => readBlock(output, NO_ACTIVITY),
  async run({ limit: most, channel: name, include_own, cursor: from }, view) {
    const channel = await openTalk(view, name);
    return toRead(
      await channel.recent({ limit: most, withoutEchoes: !include_own, ...(from && { cursor: from }) }),
      channel,
    );
  },
});
