import { escapeName } from "../../domain/answer/compose.ts";
import { toSlots } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Message } from "../../domain/message.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { toSpan } from "../../domain/time/time-span.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import type { AgentAnswer } from "../answerer.ts";
import { nothingIfRefused } from "../toolbox.ts";
import { answerBySearch } from "./answer-by-search.ts";
import { answerHistory, answerLatest } from "./answer-from-talk.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

const MAX_POINTS = 5;
const MAX_POINT_LENGTH = 300;
const MISSED = /\bmiss|\baway\b|\bgone\b|\boffline\b|verpasst|perdido|perdi\b|raté|manqué|見逃|놓쳤/iu;
const MAX_SUMMARISED = 600;
const SINCE_LAST_HERE = "since I was last here";
/** Fewer messages are no summary: a person who spoke a moment ago asks about the day. */
const MIN_MISSED = 10;
const LAST_DAY = "24 hours";
const HISTORY_MS = 3 * 86_400_000;

interface CatchUp {
  readonly timeframe: string;
  readonly channel: string | null;
  readonly focus: string | null;
}

/** What was said, in short. Null when the channel says nothing about what was asked for: then others may. */
export async function answerCatchUp(asked: Asked): Promise<AgentAnswer | null> {
  const { slots, text } = asked;
  const timeframe = slots.time ?? (MISSED.test(text) ? SINCE_LAST_HERE : "today");
  const focus = toSlots(asked.language.asks.catchUp.takenOut(text), asked)
    .topic.split(" ")
    .filter((word) => word !== "" && !NO_FOCUS.test(word))
    .join(" ");
  // In direct messages the servers are meant that the person reads: who was missed there is not talking here.
  const isAnywhere = slots.place === null && (asked.question.guildId === null || isHistory(asked));
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
function isHistory({ slots: { time, isHere }, now, zone }: Asked): boolean {
  const span = time === null || isHere ? null : toSpan(time, { now, zone });
  return span !== null && now - span.from > HISTORY_MS;
}

/** Words of asking for a summary. */
const NO_FOCUS =
  /^(?:up|lines?|sentences?|short|brief|briefly|quickly|quick|since|hours?|days?|three|two|few|five|front|everyone|being|studying|news|channel|chat|conversation|discussion|会話|대화|것)$/iu;

export async function summarise(request: CatchUp, asked: Asked, ifThere?: "if_there"): Promise<AgentAnswer | null> {
  const { toolbox, language } = asked;
  const { says } = language;
  const { timeframe, channel, focus } = request;
  const args = {
    ...{ timeframe, limit: MAX_SUMMARISED },
    ...(channel !== null && { channel }),
    ...(focus !== null && { focus: focus.slice(0, 200) }),
  };
  const call = { tool: getChannelSummary.name, args };
  try {
    const { points, source, messages, coverage } = await toolbox.call(getChannelSummary, args);
    if (messages < MIN_MISSED && timeframe === SINCE_LAST_HERE)
      return await summarise({ ...request, timeframe: LAST_DAY }, asked, ifThere);
    if (messages === 0 && !ifThere && channel === null) return await answerLatest(asked);
    if (messages > 0 && focus !== null && points.length < 2) return null;
    const citations = new Citations();
    const shown: Message[] = [];
    const lines: string[] = [];
    for (const { text, cites } of points.slice(0, MAX_POINTS)) {
      const cited = await Promise.all(cites.map(({ link }) => readMessage(link, asked)));
      const known = cited.filter((one) => one !== null);
      shown.push(...known);
      const handles = known.map((one) => citations.message(one));
      if (known.length > 0) lines.push(`- ${escapeMarkdown(text, MAX_POINT_LENGTH)} [${handles.join(", ")}]`);
    }
    if (lines.length === 0) return plainAnswer(says.noActivity, { turn: turnOf(asked, call) });
    const place = source.name === null ? says.inDirectMessages : says.inPlace(escapeName(source.name));
    const reach = { ...NO_REACH, scanned: messages, from: coverage.from };
    return linesAnswer({ heading: says.inShort(place), lines, reach, citations, call: { ...call, shown } }, asked);
  } catch (error) {
    const isNoChannel = error instanceof EarshotError && ["not_found", "invalid", "unsupported"].includes(error.code);
    if (ifThere && isNoChannel) return null;
    throw error;
  }
}

async function readMessage(link: string, { toolbox }: Asked): Promise<Message | null> {
  const args = { message_id: link, before: 0, after: 0, include_own: false };
  const found = await toolbox.call(getMessageContext, args).catch(nothingIfRefused);
  return found?.messages.find(({ message_id }) => message_id === found.message_id) ?? null;
}

/** What was said in this thread; outside of one, in this channel. */
export async function answerThread(asked: Asked): Promise<AgentAnswer> {
  const { slots, language, question } = asked;
  const topic = slots.topic
    .split(" ")
    .filter((word) => !language.asks.thread.test(`the ${word}`) && !language.asks.catchUp.test(word))
    .join(" ");
  const plan = { topic, person: null, channel: null, time: slots.time, wanted: slots.wanted } as const;
  try {
    return await answerBySearch({ ...plan, tool: "search_thread_messages" }, asked);
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "unsupported") throw error;
    const tool = question.guildId === null ? "search_messages" : "search_channel_messages";
    if (topic !== "") return answerBySearch({ ...plan, tool }, asked);
    return (await answerCatchUp(asked)) ?? plainAnswer(language.says.noActivity);
  }
}
