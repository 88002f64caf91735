import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { limit } from "./fields.ts";
import {
  channelName,
  foundBlock,
  foundSchema,
  noneMatching,
  searchArguments,
  searchWords,
  toAsk,
  toFound,
} from "./search-fields.ts";

export const searchChannelMessages = defineTool({
  name: "search_channel_messages",
  about:
    "Find messages of this channel, or of another one. Use for 'just', 'earlier', 'today': 'what did I say about X earlier?'.",
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    query: searchWords,
    channel: channelName.optional().describe("Name or id of another channel; this one when absent"),
    limit: limit(30),
    ...searchArguments,
  }),
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: foundSchema,
  toBlock: foundBlock,
  async run({ query, channel, ...asked }, view) {
    const found = await view.search({ query, channel: channel ?? view.here, ...toAsk(asked) });
    return toFound(found, view, noneMatching(query));
  },
});
