import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { limit } from "./fields.ts";
import {
  channelName,
  noneMatching,
  searchArguments,
  searchBlock,
  searchOutput,
  searchWords,
  toSearchOutput,
  toTypedSearch,
} from "./search-fields.ts";

export const searchChannelMessages = defineTool({
  name: "search_channel_messages",
  about:
    "Find messages of this channel, or of another one. Use for 'just', 'earlier', 'today': 'what did I say about X earlier?'.",
  examples: ["What was said here about parking earlier today?", "Did anybody mention the wheelbarrow in this channel?"],
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
  output: searchOutput,
  toBlock: searchBlock,
  async run({ query, channel, ...more }, view) {
    const result = await view.search({ query, channel: channel ?? view.here, ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});
