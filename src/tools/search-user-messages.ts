import { z } from "zod";
import { quoteInput, quoteName } from "../domain/text/escape.ts";
import { defineTool } from "./define-tool.ts";
import { channel, limit } from "./fields.ts";
import {
  searchArguments,
  searchBlock,
  searchOutput,
  searchWords,
  toSearchOutput,
  toTypedSearch,
  UNLISTED,
} from "./search-fields.ts";

export const searchUserMessages = defineTool({
  name: "search_user_messages",
  about: "Find what one person said.",
  examples: [
    "What did Mark say about the keel?",
    "What has Sarah been talking about today?",
    "What did I say about turtles earlier?",
  ],
  effect: "read",
  scope: "context:read_user_recent_any",
  toolset: "search",
  input: z.strictObject({
    user_name: z.string().trim().min(1).max(100).describe("Name or id; 'me' for the person asking"),
    query: searchWords.optional(),
    channel: channel.optional(),
    limit: limit(20),
    ...searchArguments,
  }),
  channels: ["channel"],
  unlisted: UNLISTED,
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ user_name, query, channel: name, ...more }, view) {
    const where = name === undefined ? {} : { channel: name };
    const result = await view.messages.search({
      query: query ?? "",
      from: user_name,
      ...where,
      ...toTypedSearch(more),
    });
    const about = query === undefined ? "" : ` about ${quoteInput(query)}`;
    return toSearchOutput(result, view, `No messages found from ${quoteName(user_name)}${about}`);
  },
});
