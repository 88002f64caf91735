import { composeExtract } from "../../domain/answer/compose.ts";
import { toEvidence } from "../../domain/answer/evidence.ts";
import { isQuestion } from "../../domain/answer/sentences.ts";
import { toTopicWords } from "../../domain/answer/topic.ts";
import { compareIds } from "../../domain/ids.ts";
import { toStem } from "../../domain/search/stem.ts";
import { findCues } from "../../domain/summary/cue-phrases.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { toShown } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";
import { toTimes } from "./search-plan.ts";

const MAX_CONVERSATIONS = 7;
/** Few conversations lead to a decision. */
const MAX_SEARCHED = 50;
const DECISION = toStem("decision");

/** Asks for what was decided, whatever it was. */
export function isAboutDecisions({ slots, language }: Asked): boolean {
  const words = toTopicWords(slots.topic, language);
  return words.length > 0 && words.every(({ alternatives }) => alternatives.has(DECISION));
}

/**
 * What was talked about in a period, wherever the answer may draw on: the largest conversations of each day, or only those with a decision, oldest
 * first. Throws as the tools do.
 */
export async function answerHistory(time: string, asked: Asked, only?: "decisions"): Promise<AgentAnswer> {
  const { toolbox, language, question, text } = asked;
  const args = { ...toTimes(time), limit: only ? MAX_SEARCHED : MAX_CONVERSATIONS };
  const isTold = (sentence: string) => (only ? findCues(sentence).isDecision : !isQuestion(sentence));
  const { hits, coverage, note, unreachable, still_reading } = await toolbox.call(searchMessages, args);
  const evidence = toEvidence(
    hits.map((hit) => ({ ...hit, around: [] })),
    question,
  )
    .filter(({ sentences }) => (only ? sentences.some(isTold) : sentences.length > 0))
    .slice(0, MAX_CONVERSATIONS)
    .sort((a, b) => compareIds(a.message.message_id, b.message.message_id));
  const turn = {
    ...{ tool: searchMessages.name, args: { ...args, topic: "" }, question: text, language: language.code },
    ...{ people: [], shown: evidence.map(({ message }) => toShown(message)), cursor: null },
  };
  if (evidence.length === 0) return plainAnswer(language.says.noActivity, { turn });
  const citations = new Citations();
  const lines = evidence.map((one) => {
    const sentence = one.sentences.find(isTold) ?? one.sentences[0] ?? "";
    const extract = { evidence: one, sentence, value: null, isEarlier: false };
    return `- ${composeExtract(extract, citations.message(one.message), { ...asked, showsValue: false })}`;
  });
  const reach = {
    ...{ scanned: coverage.scanned, from: coverage.from, isPartial: unreachable || still_reading },
    isShared: note?.endsWith(ONLY_HERE) ?? false,
  };
  return linesAnswer({ lines, reach, citations, turn }, asked);
}
