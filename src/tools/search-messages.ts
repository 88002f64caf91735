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

export const searchMessages = defineTool({
  name: "search_messages",
  about:
    "Find messages in every channel that may be drawn on, the best first, however old. Use for 'last week', 'remember when', 'where did we discuss'.",
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
    channel: channelName.optional(),
    limit: limit(10),
    ...searchArguments,
  }),
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ query, channel, ...more }, view) {
    const result = await view.search({ query, ...(channel && { channel }), ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});
