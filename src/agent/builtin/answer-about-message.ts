import { composeQuote } from "../../domain/answer/compose.ts";
import { evidenceAmong } from "../../domain/answer/evidence.ts";
import { leadOf } from "../../domain/answer/passages.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { MESSAGE_LINK } from "../../domain/text/message-link.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

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
    const messages = evidenceAmong(output.messages, question);
    const named = messages.filter(({ message_id }) => message_id === output.message_id);
    const citations = new Citations();
    const lines = choose(messages, output.message_id).map((message) => {
      const said = {
        message,
        place: output.source.name,
        words: leadOf(message) || "…",
        isNamed: named.includes(message),
      };
      return composeQuote(said, citations.message(message), asked);
    });
    const people = named.map(({ author }) => author);
    const turn = turnOf(asked, {
      ...{ tool: getMessageContext.name, args: { message_id: output.message_id } },
      people,
      shown: named,
    });
    return { ...linesAnswer({ lines, reach: NO_REACH, citations, turn }, asked), voice: "unsure" };
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
function choose(all: readonly Message[], id: MessageId): Message[] {
  const at = Math.max(
    0,
    all.findIndex(({ message_id }) => message_id === id),
  );
  const from = Math.max(0, Math.min(at - 2, all.length - MAX_LINES));
  return all.slice(from, from + MAX_LINES);
}
