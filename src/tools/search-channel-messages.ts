import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channelOrHere, limit, orHere } from "./fields.ts";
import {
  noneMatching,
  searchArguments,
  searchBlock,
  searchOutput,
  searchWords,
  toSearchOutput,
  toTypedSearch,
  UNLISTED,
} from "./search-fields.ts";

export const searchChannelMessages = defineTool({
  name: "search_channel_messages",
  about: "Find messages of one channel: 'just now', 'earlier', 'today'.",
  examples: ["What was said here about parking earlier today?", "Did anybody mention the wheelbarrow in this channel?"],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    query: searchWords,
    channel: channelOrHere,
    limit: limit(30),
    ...searchArguments,
  }),
  channels: ["channel"],
  hereField: "channel",
  unlisted: UNLISTED,
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ query, channel, ...more }, view) {
    const result = await view.messages.search({ query, channel: orHere(channel, view), ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});
