import { z } from "zod";
import { idSchema } from "../domain/id-schema.ts";
import { compareIds, type MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Read } from "../ports/timelines.ts";
import { defineTool } from "./define-tool.ts";
import { coverageSchema, maxTokens, openTalk, sourceSchema, toSource } from "./fields.ts";
import { channelName } from "./search-fields.ts";
import type { ChannelView, View } from "./view.ts";

/** Maximum number of messages, by time span. */
const CAPS: Readonly<Record<string, number>> = {
  "5 minutes": 20,
  "15 minutes": 40,
  "30 minutes": 60,
  "1 hour": 100,
  today: 200,
};
const USUAL_CAP = 600;
const SINCE_I_WAS_HERE =
  /^since (i|me) (was|were) (last )?(here|away|gone)\b|^since (i left|my last message)|^what (did )?i miss/i;

export const getChannelSummary = defineTool({
  name: "get_channel_summary",
  about:
    "What was said in this channel, or another, in short, with sources. Use for 'catch me up' and 'what did I miss?'.",
  examples: ["What did I miss?", "Catch me up on #tideboard."],
  effect: "read",
  scope: "context:read_channel_recent",
  toolset: "search",
  input: z.strictObject({
    timeframe: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .default("1 hour")
      .describe("'15 minutes', '1 hour', 'today', 'last week', 'since I was last here'"),
    focus: z.string().trim().min(1).max(200).optional().describe("What is of interest"),
    channel: channelName.optional().describe("Name or id of another channel; this one when absent"),
    max_tokens: maxTokens.optional(),
  }),
  maxTokensField: "max_tokens",
  output: z.object({
    points: z.array(
      z.object({
        text: z.string(),
        cites: z.array(z.object({ message_id: idSchema<MessageId>(), link: z.string() })),
      }),
    ),
    by: z.enum(["model", "extract"]).describe("Written by a model, or put together from what was said"),
    messages: z.int().min(0).max(100_000).describe("How many messages it rests on"),
    coverage: coverageSchema,
    source: sourceSchema,
    note: z.string().nullable().describe("To be passed on to the person asking"),
  }),
  toBlock: ({ points, source, coverage, messages, note }) => ({
    label: { kind: `summary of ${source.kind}`, name: source.name, from: coverage.from, to: coverage.to },
    items: points.map(({ text, cites }) => ({
      kind: "line",
      pieces: [{ words: text }],
      cites: cites.map(({ message_id }) => ({ message_id, channel_id: source.channel_id })),
    })),
    dropFrom: "end",
    notes: [...(messages === 0 ? [] : [restsOn(messages, coverage)]), ...(note === null ? [] : [note])],
    empty: "No recent activity in this channel.",
  }),
  async run({ timeframe, focus, channel: name }, view) {
    const channel = await openTalk(view, name);
    const cap = CAPS[timeframe.toLowerCase()] ?? USUAL_CAP;
    const { messages, coverage } = await readSpan(channel, await spanOf(timeframe, channel, view), cap);
    const { points, by } = await view.summarise(channel, messages, focus);
    return {
      points: points.map(({ text, cites }) => ({
        text,
        cites: cites.map(({ message_id, link }) => ({ message_id, link })),
      })),
      by,
      messages: messages.length,
      coverage,
      source: toSource(channel.channel),
      note: view.timeNotes().join(" ") || null,
    };
  },
});

function restsOn(messages: number, { complete, from }: Read["coverage"]): string {
  if (complete || from === null) return `Rests on ${messages} messages.`;
  return `Rests on the newest ${messages} messages; what was said before ${from.slice(0, 16)}Z is not in it.`;
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Only what was said after this. */
  readonly after?: MessageId;
}

async function spanOf(timeframe: string, channel: ChannelView, view: View): Promise<Span> {
  if (!SINCE_I_WAS_HERE.test(timeframe)) return view.time(timeframe);
  const { from, to } = view.time("today");
  const last = await view.lastHere(channel);
  return last ? { from: Date.parse(last.ts), to, after: last.message_id } : { from, to };
}

/** Up to `most` messages, from the newest on. */
async function readSpan(channel: ChannelView, { after, ...span }: Span, most: number) {
  const messages: Message[] = [];
  for (let cursor: string | null = null; ; ) {
    const limit = Math.min(100, most - messages.length);
    const read: Read = await channel.range(span, { limit, ...(cursor === null ? {} : { cursor }) });
    messages.push(...read.messages);
    cursor = read.cursor;
    if (read.has_more && cursor !== null && messages.length < most) continue;
    const wanted = messages.filter(({ message_id }) => after === undefined || compareIds(message_id, after) > 0);
    const coverage = { ...read.coverage, scanned: messages.length, to: messages[0]?.ts ?? read.coverage.to };
    return { messages: wanted, coverage };
  }
}
