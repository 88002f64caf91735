import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import { compareIds, idTime, type MessageId, toId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import { DAY_MS, readByDay } from "../domain/summary/read-by-day.ts";
import type { Read } from "../ports/timelines.ts";
import { defineTool } from "./define-tool.ts";
import {
  channelOrHere,
  coverageSchema,
  cursor,
  includeOwn,
  maxTokens,
  NO_ACTIVITY,
  openTalk,
  sourceSchema,
  toSource,
} from "./fields.ts";
import type { Bounds, ChannelView, View } from "./view.ts";

/** Default maximum number of messages, by time span. */
const CAPS: Readonly<Record<string, number>> = {
  "5 minutes": 20,
  "15 minutes": 40,
  "30 minutes": 60,
  "1 hour": 100,
  today: 200,
};
/** Within a day, and for longer spans. */
const USUAL_CAP = 50;
const MAX_CAP = 600;
const USUAL_TIMEFRAME = "1 hour";
const SINCE_I_WAS_HERE =
  /^since (i|me) (was|were) (last )?(here|away|gone)\b|^since (i left|my last message)|^what (did )?i miss/i;

export const getChannelSummary = defineTool({
  name: "get_channel_summary",
  about: "What was said in a channel, in short: 'what did I miss?'.",
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
      .default(USUAL_TIMEFRAME)
      .describe("'today', 'since my last message'; also '15 minutes', 'last week' and the like"),
    focus: z.string().trim().min(1).max(200).optional().describe("What is of interest"),
    channel: channelOrHere,
    limit: z
      .int()
      .min(1)
      .max(MAX_CAP)
      .optional()
      .describe("How many; messages, the newest or of each day; by default 20 to 600"),
    include_own: includeOwn.default(false),
    cursor: cursor.optional(),
    max_tokens: maxTokens.optional(),
  }),
  channels: ["channel"],
  hereField: "channel",
  unlisted: ["include_own"],
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
    has_more: z.boolean(),
    cursor: z.string().nullable(),
    source: sourceSchema,
    note: z.string().nullable().describe("To be passed on to the person asking"),
  }),
  toBlock: ({ points, source, coverage, messages, cursor: next, note }) => ({
    label: { kind: `summary of ${source.kind}`, name: source.name, from: coverage.from, to: coverage.to },
    items: points.map(({ text, cites }) => ({
      kind: "line",
      pieces: [{ words: text }],
      cites: cites.map(({ message_id }) => ({ message_id, channel_id: source.channel_id })),
    })),
    dropFrom: "end",
    notes: [...(messages === 0 ? [] : [restsOn(messages, coverage)]), ...(note === null ? [] : [note])],
    cursor: next,
    ...NO_ACTIVITY,
  }),
  async run({ timeframe, focus, channel: name, limit, include_own, cursor: from }, view) {
    const channel = await openTalk(view, name);
    const { span, note, isDefault } = from === undefined ? await toSpan(timeframe, channel, view) : toContinued(from);
    const isLong = span.to - span.from > DAY_MS;
    const cap = limit ?? CAPS[isDefault ? USUAL_TIMEFRAME : timeframe.toLowerCase()] ?? (isLong ? MAX_CAP : USUAL_CAP);
    const bounds = { limit: cap, withoutEchoes: !include_own };
    const read = isLong && from === undefined ? readDays : readSpan;
    const { messages, coverage, cursor: next } = await read(channel, span, bounds);
    const { points, by } = await channel.summarise(messages, focus);
    return {
      points: points.map(({ text, cites }) => ({
        text,
        cites: cites.map(({ message_id, link }) => ({ message_id, link })),
      })),
      by,
      messages: messages.length,
      coverage,
      has_more: next !== null,
      cursor: next,
      source: toSource(channel.channel),
      note: [...(note === null ? [] : [note]), ...view.times.notes].join(" ") || null,
    };
  },
});

function restsOn(messages: number, { complete, from, to }: Read["coverage"]): string {
  const count = messages === 1 ? "1 message" : `${messages} messages`;
  if (complete || from === null) return `Rests on ${count}.`;
  if (to !== null && Date.parse(to) - Date.parse(from) > DAY_MS) return `Rests on ${count}, the newest of each day.`;
  return `Rests on the newest ${count}; what was said before ${from.slice(0, 16)}Z is not in it.`;
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Only later messages. */
  readonly after?: MessageId;
  readonly cursor?: string;
}

interface ChosenSpan {
  readonly span: Span;
  readonly note: string | null;
  /** The default was used instead of the requested span. */
  readonly isDefault: boolean;
}

async function toSpan(timeframe: string, channel: ChannelView, view: View): Promise<ChosenSpan> {
  if (SINCE_I_WAS_HERE.test(timeframe)) return sinceLastHere(channel, view);
  try {
    return { span: await view.times.read(timeframe), note: null, isDefault: false };
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "invalid") throw error;
    const note = `${error.message} This is about the last hour instead.`;
    return { span: await view.times.read(USUAL_TIMEFRAME), note, isDefault: true };
  }
}

async function sinceLastHere(channel: ChannelView, view: View): Promise<ChosenSpan> {
  const today = await view.times.read("today");
  const last = await channel.lastOwn();
  if (last) {
    const span = { from: idTime(last.message_id), to: today.to, after: last.message_id };
    return { span, note: null, isDefault: false };
  }
  const note = "No earlier message of the person asking was found here, so this is about today.";
  return { span: today, note, isDefault: false };
}

const CONTINUED = /^(\d{1,15})\.(\d{1,15})\.(\d{1,20})\.(.+)$/s;

/** Continues the time span of an earlier result. */
function toContinued(from: string): ChosenSpan {
  const [, start, end, last, rest] = CONTINUED.exec(from) ?? [];
  const after = toId<MessageId>(last);
  if (start === undefined || end === undefined || rest === undefined || after === null)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  return { span: { from: Number(start), to: Number(end), after, cursor: rest }, note: null, isDefault: false };
}

/** As many messages as allowed, with a share for each day. */
async function readDays(channel: ChannelView, { from, to, after = NOTHING }: Span, { limit: most, ...bounds }: Bounds) {
  const days = await readByDay({ from, to }, most, async ({ span, limit }) => {
    const part = await readSpan(channel, { ...span, after }, { ...bounds, limit });
    return { count: part.messages.length, part };
  });
  const messages = days.flatMap((day) => day.messages);
  const coverage = {
    ...{ scanned: messages.length, from: messages.at(-1)?.ts ?? null, to: messages[0]?.ts ?? null },
    complete: days.every((day) => day.cursor === null && day.coverage.complete),
  };
  return { messages, coverage, cursor: null };
}

/** Older than all messages. */
const NOTHING = "0" as MessageId;

/** As many messages as allowed, from the newest on. */
async function readSpan(
  channel: ChannelView,
  { from, to, after = NOTHING, cursor: start }: Span,
  { limit: most, withoutEchoes }: Bounds,
) {
  const messages: Message[] = [];
  for (let next: string | null = start ?? null; ; ) {
    const limit = Math.min(100, most - messages.length);
    const bounds = { limit, ...(withoutEchoes && { withoutEchoes }), ...(next === null ? {} : { cursor: next }) };
    const read: Read = await channel.range({ from, to }, bounds);
    const wanted = read.messages.filter(({ message_id }) => compareIds(message_id, after) > 0);
    messages.push(...wanted);
    const isAll = wanted.length < read.messages.length;
    next = read.has_more && !isAll ? read.cursor : null;
    if (next !== null && messages.length < most) continue;
    const { from: oldest, to: newest, complete } = read.coverage;
    const coverage = {
      ...{ scanned: messages.length, from: oldest, to: messages[0]?.ts ?? newest },
      complete: complete || isAll,
    };
    return { messages, coverage, cursor: next === null ? null : `${from}.${to}.${after}.${next}` };
  }
}
