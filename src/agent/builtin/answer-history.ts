import { composeExtract } from "../../domain/answer/compose.ts";
import { toEvidence } from "../../domain/answer/evidence.ts";
import { isQuestion } from "../../domain/answer/sentences.ts";
import { compareIds } from "../../domain/ids.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { toShown } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";
import { toTimes } from "./search-plan.ts";

const MAX_CONVERSATIONS = 7;

/** What was talked about in a period, wherever the answer may draw on: the largest conversations of each day, oldest first. Throws as the tools do. */
export async function answerHistory(time: string, asked: Asked): Promise<AgentAnswer> {
  const { toolbox, language, question, text } = asked;
  const args = { ...toTimes(time), limit: MAX_CONVERSATIONS };
  const { hits, coverage, note, unreachable, still_reading } = await toolbox.call(searchMessages, args);
  const evidence = toEvidence(
    hits.map((hit) => ({ ...hit, around: [] })),
    question,
  )
    .filter(({ sentences }) => sentences.length > 0)
    .sort((a, b) => compareIds(a.message.message_id, b.message.message_id));
  const turn = {
    ...{ tool: searchMessages.name, args: { ...args, topic: "" }, question: text, language: language.code },
    ...{ people: [], shown: evidence.map(({ message }) => toShown(message)), cursor: null },
  };
  if (evidence.length === 0) return plainAnswer(language.says.noActivity, { turn });
  const citations = new Citations();
  const lines = evidence.map((one) => {
    const sentence = one.sentences.find((each) => !isQuestion(each)) ?? one.sentences[0] ?? "";
    const extract = { evidence: one, sentence, value: null, isEarlier: false };
    return `- ${composeExtract(extract, citations.message(one.message), { ...asked, showsValue: false })}`;
  });
  const reach = {
    ...{ scanned: coverage.scanned, from: coverage.from, isPartial: unreachable || still_reading },
    isShared: note?.endsWith(ONLY_HERE) ?? false,
  };
  return linesAnswer({ lines, reach, citations, turn }, asked);
}
