import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { channel, limit } from "./fields.ts";
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

export const searchMessages = defineTool({
  name: "search_messages",
  about: "Find messages in all channels, the best first, however old: 'last week', 'where did we discuss'.",
  examples: [
    "Where did we discuss the project deadline?",
    "Remember when somebody found the anchor? Who was it?",
    "Which paint did we decide on last month?",
  ],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    query: searchWords,
    channel: channel.optional(),
    limit: limit(10),
    ...searchArguments,
  }),
  channels: ["channel"],
  unlisted: UNLISTED,
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ query, channel: name, ...more }, view) {
    const result = await view.search({ query, ...(name && { channel: name }), ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});
