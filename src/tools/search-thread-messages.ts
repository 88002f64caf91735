import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { defineTool } from "./define-tool.ts";
import { limit } from "./fields.ts";
import {
  noneMatching,
  searchArguments,
  searchBlock,
  searchOutput,
  searchWords,
  toSearchOutput,
  toTypedSearch,
} from "./search-fields.ts";

export const searchThreadMessages = defineTool({
  name: "search_thread_messages",
  about: "Find messages of this thread; all of them, newest first, without a query. Only works in threads.",
  examples: ["What was decided in this thread?", "Summarize this thread for me."],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({ query: searchWords.optional(), limit: limit(30), ...searchArguments }),
  limitField: "limit",
  maxTokensField: "max_tokens",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ query, ...more }, view) {
    const thread = await view.channelNamed(undefined);
    if (!thread.channel.thread)
      throw new EarshotError("unsupported", "This tool only works in threads. Use search_channel_messages instead.");
    if (query === undefined) {
      const { messages, ...reach } = await thread.recent({
        limit: more.limit,
        ...(more.cursor && { cursor: more.cursor }),
      });
      const hits = messages
        .filter(({ author }) => more.include_bots || !author.bot)
        .map((message) => ({ message, around: [], channel: thread.channel }));
      return toSearchOutput(
        {
          ...{ hits, ...reach, everything_since: null, further_back: false },
          ...{ older: "not_needed", still_reading: false, unreachable: false },
        },
        view,
        "No messages found in this thread",
      );
    }
    const result = await view.search({ query, channel: view.here, ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});
