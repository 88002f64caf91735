import { composeQuote } from "../../domain/answer/compose.ts";
import { evidenceAmong } from "../../domain/answer/evidence.ts";
import { leadOf } from "../../domain/answer/passages.ts";
import { isQuestion } from "../../domain/answer/sentences.ts";
import { toTopicWords } from "../../domain/answer/topic.ts";
import { toStem } from "../../domain/search/stem.ts";
import { findCues } from "../../domain/summary/cue-phrases.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Asked, Citations, linesAnswer, plainAnswer, turnOf } from "./asked.ts";
import { toTimes } from "./look.ts";

const MAX_CONVERSATIONS = 7;
/** Few conversations lead to a decision. */
const MAX_SEARCHED = 50;
const DECISIONS = new Set(["decision", "decide", "agree", "settle"].map(toStem));

/** Asks for what was decided, whatever it was. */
export function isAboutDecisions({ slots, language }: Asked): boolean {
  const words = toTopicWords(slots.topic, language);
  return words.length > 0 && words.every(({ stems }) => stems.some((stem) => DECISIONS.has(stem)));
}

/**
 * What was talked about in a period, wherever the answer may draw on: the largest conversations of each day, or only those with a decision, oldest
 * first. Throws as the tools do.
 */
export async function answerHistory(time: string, asked: Asked, only?: "decisions"): Promise<AgentAnswer> {
  const { toolbox, language, question } = asked;
  const args = { ...toTimes(time), limit: only ? MAX_SEARCHED : MAX_CONVERSATIONS };
  const isTold = (sentence: string) => (only ? findCues(sentence).isDecision : !isQuestion(sentence));
  const { hits, coverage, note, unreachable, still_reading } = await toolbox.call(searchMessages, args);
  const evidence = evidenceAmong(
    hits.map(({ message }) => message),
    question,
  )
    .filter((message) => (only ? isTold(leadOf(message, isTold)) : leadOf(message) !== ""))
    .slice(0, MAX_CONVERSATIONS);
  const places = new Map(hits.map(({ message, channel }) => [message.message_id, channel.name]));
  const turn = turnOf(asked, { tool: searchMessages.name, args: { ...args, topic: "" }, shown: evidence });
  if (evidence.length === 0) return plainAnswer(language.says.noActivity, { turn });
  const citations = new Citations();
  const lines = evidence.map((message) => {
    const said = { message, place: places.get(message.message_id) ?? null, words: leadOf(message, isTold) };
    return `- ${composeQuote(said, citations.message(message), asked)}`;
  });
  const reach = {
    ...{ scanned: coverage.scanned, from: coverage.from, isPartial: unreachable || still_reading },
    isShared: note?.endsWith(ONLY_HERE) ?? false,
  };
  return linesAnswer({ lines, reach, citations, turn }, asked);
}
