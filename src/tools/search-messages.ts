import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
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
  about:
    "Find messages in all channels, the best first, however old: 'where did we discuss'. Without a query, the largest conversations of each day of a time.",
  examples: [
    "Where did we discuss the project deadline?",
    "Remember when somebody found the anchor? Who was it?",
    "Which paint did we decide on last month?",
    "What did we talk about last week?",
  ],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    query: searchWords.optional(),
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
  async run({ query = "", channel: name, ...more }, view) {
    if (query === "" && more.since === undefined && more.until === undefined)
      throw new EarshotError("invalid", "Give `query`, or a time with `since` or `until`.");
    const result = await view.messages.search({
      query,
      byDay: true,
      ...(name && { channel: name }),
      ...toTypedSearch(more),
    });
    return toSearchOutput(result, view, query === "" ? "No messages found in that time." : noneMatching(query));
  },
});
