import { composeQuote, escapeName } from "../../domain/answer/compose.ts";
import { evidenceAmong } from "../../domain/answer/evidence.ts";
import { leadOf } from "../../domain/answer/passages.ts";
import { toSlots } from "../../domain/answer/slots.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { toSpan } from "../../domain/time/time-span.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { answerHistory } from "./answer-history.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

const MAX_POINTS = 5;
const MAX_POINT_LENGTH = 300;
const MAX_PAGES = 6;
const LATEST = 15;
const MAX_LATEST_SHOWN = 5;
const MISSED = /\bmiss|\baway\b|\bgone\b|\boffline\b|verpasst|perdido|perdi\b|raté|manqué|見逃|놓쳤/iu;
const MAX_SUMMARISED = 600;
const SINCE_LAST_HERE = "since I was last here";
/** Fewer messages are no summary: a person who spoke a moment ago asks about the day. */
const MIN_MISSED = 10;
const LAST_DAY = "24 hours";
const HISTORY_MS = 3 * 86_400_000;

export interface CatchUp {
  readonly timeframe: string;
  readonly channel: string | null;
  readonly focus: string | null;
}

/** What was said, in short. Null when the channel says nothing about what was asked for: then others may. */
export async function answerCatchUp(asked: Asked): Promise<AgentAnswer | null> {
  const { slots, text } = asked;
  const timeframe = slots.time ?? (MISSED.test(text) ? SINCE_LAST_HERE : "today");
  const rest = toSlots(asked.language.asks.catchUp.takenOut(text, " "), asked).topic;
  const focus = rest
    .split(" ")
    .filter((word) => word !== "" && !NO_FOCUS.test(word))
    .join(" ");
  // In direct messages the servers are meant that the person reads: who was missed there is not talking here.
  const isAnywhere = slots.place === null && (asked.question.guildId === null || isHistory(slots, asked));
  if (isAnywhere) return focus === "" ? answerHistory(slots.time ?? LAST_DAY, asked) : null;
  if (slots.place !== null || focus === "")
    return summarise({ timeframe, channel: slots.place, focus: focus === "" ? null : focus }, asked);
  // "Catch me up on tideboard" may name a channel.
  return (
    (await summarise({ timeframe, channel: focus, focus: null }, asked, "if_there")) ??
    summarise({ timeframe, channel: null, focus }, asked)
  );
}

/** As searches go: what is said to be of these days is looked for here, what is older anywhere. */
function isHistory({ time, isHere }: Asked["slots"], { now, zone }: Asked): boolean {
  const span = time === null || isHere ? null : toSpan(time, { now, zone });
  return span !== null && now - span.from > HISTORY_MS;
}

/** Words of asking for a summary. */
const NO_FOCUS =
  /^(?:up|lines?|sentences?|short|brief|briefly|quickly|quick|since|hours?|days?|three|two|few|five|front|everyone|being|studying|news|channel|chat|conversation|discussion|会話|대화|것)$/iu;

export async function summarise(request: CatchUp, asked: Asked, ifThere?: "if_there"): Promise<AgentAnswer | null> {
  const { toolbox, language } = asked;
  const { timeframe, channel, focus } = request;
  const args = {
    timeframe,
    limit: MAX_SUMMARISED,
    ...(channel !== null && { channel }),
    ...(focus !== null && { focus: focus.slice(0, 200) }),
  };
  try {
    const { points, source, messages, coverage } = await toolbox.call(getChannelSummary, args);
    if (messages < MIN_MISSED && timeframe === SINCE_LAST_HERE)
      return await summarise({ ...request, timeframe: LAST_DAY }, asked, ifThere);
    if (messages === 0)
      return ifThere || channel !== null
        ? plainAnswer(language.says.noActivity, { turn: turnOf(asked, { tool: getChannelSummary.name, args }) })
        : answerLatest(asked);
    if (focus !== null && points.length < 2) return null;
    const cited = await readCited(
      points.flatMap(({ cites }) => cites.map(({ message_id }) => message_id)),
      source.channel_id,
      asked,
    );
    const citations = new Citations();
    const lines = points.flatMap(({ text, cites }) => {
      const known = cites.flatMap(({ message_id }) => cited.get(message_id) ?? []);
      if (known.length === 0) return [];
      return [`- ${escapeMarkdown(text, MAX_POINT_LENGTH)} [${known.map((one) => citations.message(one)).join(", ")}]`];
    });
    if (lines.length === 0)
      return plainAnswer(language.says.noActivity, { turn: turnOf(asked, { tool: getChannelSummary.name, args }) });
    const heading = language.says.inShort(
      source.name === null ? language.says.inDirectMessages : language.says.inPlace(escapeName(source.name)),
    );
    const reach = { ...NO_REACH, scanned: messages, from: coverage.from };
    return linesAnswer(
      {
        heading,
        lines: lines.slice(0, MAX_POINTS),
        reach,
        citations,
        turn: turnOf(asked, { tool: getChannelSummary.name, args, shown: [...cited.values()] }),
      },
      asked,
    );
  } catch (error) {
    const isNoChannel = error instanceof EarshotError && ["not_found", "invalid", "unsupported"].includes(error.code);
    if (ifThere && isNoChannel) return null;
    throw error;
  }
}

/** The messages that a summary names, which are among the latest of the channel. */
async function readCited(
  ids: readonly MessageId[],
  channel: string,
  { toolbox }: Asked,
): Promise<Map<MessageId, Message>> {
  const wanted = new Set(ids);
  const found = new Map<MessageId, Message>();
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.size < wanted.size; page += 1) {
    const read: { messages: Message[]; cursor: string | null } = await toolbox.call(getRecentMessages, {
      channel,
      limit: 100,
      include_own: false,
      ...(cursor !== null && { cursor }),
    });
    for (const message of read.messages) if (wanted.has(message.message_id)) found.set(message.message_id, message);
    cursor = read.cursor;
    if (cursor === null) break;
  }
  return found;
}

/** The latest messages as they are. */
export async function answerLatest(asked: Asked): Promise<AgentAnswer> {
  const { toolbox, language, slots, question } = asked;
  const args = { limit: LATEST, include_own: false, ...(slots.place !== null && { channel: slots.place }) };
  const { messages, source, coverage } = await toolbox.call(getRecentMessages, args);
  const latest = evidenceAmong(messages, question)
    .filter((message) => leadOf(message) !== "")
    .slice(-MAX_LATEST_SHOWN);
  if (latest.length === 0) return plainAnswer(language.says.noActivity);
  const citations = new Citations();
  const lines = latest.map((message) =>
    composeQuote({ message, place: source.name, words: leadOf(message) }, citations.message(message), asked),
  );
  const reach = { ...NO_REACH, scanned: messages.length, from: coverage.from };
  const turn = turnOf(asked, { tool: getRecentMessages.name, args, shown: latest });
  return linesAnswer({ lines, reach, citations, turn }, asked);
}
