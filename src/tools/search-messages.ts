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

export const searchMessages = defineTool({
  name: "search_messages",
  about:
    "Find messages in every channel that may be drawn on, the best first, however old. Use for 'last week', 'remember when', 'where did we discuss'.",
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
  output: foundSchema,
  toBlock: foundBlock,
  async run({ query, channel, ...asked }, view) {
    const found = await view.search({ query, ...(channel && { channel }), ...toAsk(asked) });
    return toFound(found, view, noneMatching(query));
  },
});
