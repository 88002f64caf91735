import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idTime } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { defineTool } from "./define-tool.ts";
import { channel, limit } from "./fields.ts";
import {
  noneMatching,
  searchArguments,
  searchBlock,
  searchOutput,
  toSearchOutput,
  toTypedSearch,
  UNLISTED,
} from "./search-fields.ts";
import type { ChannelView, View, ViewSearchResult } from "./view.ts";

const wordsOrNone = z.string().trim().max(500).describe("Words or a question; everything when empty");

export const searchThreadMessages = defineTool({
  name: "search_thread_messages",
  about: "Find messages of a thread; all of them, newest first, without a query.",
  examples: ["What was decided in this thread?", "Summarize this thread for me."],
  effect: "read",
  scope: "context:search",
  toolset: "search",
  input: z.strictObject({
    thread: channel.optional().describe("Name or id; this thread when absent"),
    query: wordsOrNone.optional(),
    limit: limit(30),
    ...searchArguments,
  }),
  channels: ["thread"],
  hereField: "thread",
  unlisted: UNLISTED,
  limitField: "limit",
  maxTokensField: "max_tokens",
  linksField: "links",
  output: searchOutput,
  toBlock: searchBlock,
  async run({ thread: name, query, ...more }, view) {
    const thread = await openThread(name, view);
    const { id } = thread.channel;
    if (!query) {
      const all = await view.messages.search({ query: "", everything: true, channel: id, ...toTypedSearch(more) });
      // The whole thread is listed, so hits need no context.
      const hits = all.hits.map((hit) => ({ ...hit, around: [] }));
      const result = hits.length === 0 && !all.coverage.complete ? await readLive(thread, all, more, view) : all;
      return toSearchOutput({ ...result, ...(hits.length > 0 && { hits }) }, view, "No messages found in this thread");
    }
    const result = await view.messages.search({ query, channel: id, ...toTypedSearch(more) });
    return toSearchOutput(result, view, noneMatching(query));
  },
});

async function openThread(name: string | undefined, view: View): Promise<ChannelView> {
  const given = name ?? view.request.here;
  const opened = given === null ? null : await view.channels.named(given);
  if (opened?.channel.thread) return opened;
  throw new EarshotError("unsupported", "This tool only works in threads. Use search_channel_messages instead.");
}

/** If history may not be returned, live messages still may. */
async function readLive(
  thread: ChannelView,
  result: ViewSearchResult,
  { since, until, include_bots, include_own, limit: most }: LiveBounds,
  view: View,
): Promise<ViewSearchResult> {
  const { messages } = await thread.recent({ limit: 100, withoutEchoes: !include_own });
  const from = since === undefined ? Number.NEGATIVE_INFINITY : (await view.times.read(since)).from;
  const to = until === undefined ? Number.POSITIVE_INFINITY : (await view.times.read(until)).to;
  const isWanted = ({ author, message_id }: Message) =>
    (include_bots || !author.bot) && idTime(message_id) >= from && idTime(message_id) <= to;
  const wanted = messages.filter(isWanted).slice(0, most);
  return {
    ...result,
    hits: wanted.map((message) => ({
      message,
      words_in_message: "all" as const,
      question: null,
      around: [],
      channel: thread.channel,
    })),
  };
}

interface LiveBounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly include_bots: boolean;
  readonly include_own: boolean;
  readonly limit: number;
}
