import { composeExtract } from "../../domain/answer/compose.ts";
import { toEvidence } from "../../domain/answer/evidence.ts";
import { isQuestion } from "../../domain/answer/sentences.ts";
import { EarshotError } from "../../domain/errors.ts";
import { compareIds, type MessageId } from "../../domain/ids.ts";
import { MESSAGE_LINK } from "../../domain/text/message-link.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { toShown } from "../turn.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";

const BESIDE = 4;
const MAX_LINES = 4;

/** A message with what was said before and after it: the one that is linked, answered, was shown first in the turn before, or is the latest here. */
export async function answerAboutMessage(asked: Asked, showing?: "itself"): Promise<AgentAnswer> {
  const { question, toolbox, language } = asked;
  const named = MESSAGE_LINK.exec(question.text)?.[0] ?? (showing ? undefined : question.about?.link);
  const reference = named ?? (await question.before())?.shown[0]?.link ?? (await findLatest(asked));
  if (reference === undefined) return plainAnswer(language.says.messageNotFound);
  const beside = showing ? 0 : BESIDE;
  try {
    const output = await toolbox.call(getMessageContext, {
      message_id: reference,
      before: beside,
      after: beside,
      include_own: false,
    });
    const hits = output.messages.map((message) => ({ message, channel: output.source, around: [] }));
    const evidence = toEvidence(hits, question).sort((a, b) => compareIds(a.message.message_id, b.message.message_id));
    const lines = choose(evidence, output.message_id);
    const citations = new Citations();
    return linesAnswer(
      {
        lines: lines.map((one) => {
          const sentence = one.sentences.find((each) => !isQuestion(each)) ?? one.sentences[0] ?? "…";
          const extract = { evidence: one, sentence, value: one.message.author.name, isEarlier: false };
          const showsValue = one.message.message_id === output.message_id;
          return composeExtract(extract, citations.message(one.message), { ...asked, showsValue });
        }),
        reach: { scanned: null, from: null, isPartial: false, isShared: false },
        citations,
        turn: {
          tool: getMessageContext.name,
          args: { message_id: output.message_id },
          question: asked.text,
          language: language.code,
          people: evidence
            .filter(({ message }) => message.message_id === output.message_id)
            .map(({ message }) => message.author),
          shown: output.messages.filter(({ message_id }) => message_id === output.message_id).map(toShown),
          cursor: null,
        },
      },
      asked,
    );
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return plainAnswer(language.says.messageNotFound);
    throw error;
  }
}

/** The link to what was said last here, before the question. */
async function findLatest({ question, toolbox }: Asked): Promise<string | undefined> {
  const { messages } = await toolbox.call(getRecentMessages, { limit: 2, include_own: false });
  return messages.find(({ message_id }) => message_id !== question.messageId)?.link;
}

/** The message that was asked about, and the nearest to it; in the order of time. */
function choose<One extends { readonly message: { readonly message_id: MessageId } }>(
  all: readonly One[],
  id: MessageId,
): One[] {
  const at = Math.max(
    0,
    all.findIndex(({ message }) => message.message_id === id),
  );
  const from = Math.max(0, Math.min(at - 2, all.length - MAX_LINES));
  return all.slice(from, from + MAX_LINES);
}
