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
  output: foundSchema,
  toBlock: foundBlock,
  async run({ query, channel, limit: most, since, until, include_bots, scan, cursor }, view) {
    const found = await view.search({
      query,
      includeBots: include_bots,
      limit: most,
      scan,
      ...(channel && { channel }),
      ...(since && { since }),
      ...(until && { until }),
      ...(cursor && { cursor }),
    });
    return toFound(found, view, noneMatching(query));
  },
});
