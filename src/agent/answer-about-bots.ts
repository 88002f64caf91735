import { z } from "zod";
import { composeExtract } from "../domain/answer/compose.ts";
import { toSentences } from "../domain/answer/sentences.ts";
import { toTopic } from "../domain/answer/slots.ts";
import { EarshotError } from "../domain/errors.ts";
import { messageSchema } from "../domain/message.ts";
import { escapeMarkdown } from "../domain/text/escape-markdown.ts";
import type { Tool } from "../tools/define-tool.ts";
import { answerAboutPerson } from "./answer-about-person.ts";
import { answerBySearch } from "./answer-by-search.ts";
import type { AgentAnswer } from "./answerer.ts";
import { type Asked, Citations, linesAnswer, plainAnswer } from "./asked.ts";
import { toShown } from "./turn.ts";

/** The tool `recall_bot_conversation`. */
export type RecallTool = Tool<
  z.ZodType<unknown, { bot_name: string; topic?: string | undefined; limit?: number | undefined }>,
  z.ZodType
>;

interface BotQuestion {
  /** Null for any bot. */
  readonly name: string | null;
  readonly topic: string;
}

const LIMIT = 5;
const ANY_BOT = "any";
/** What the answer needs of what the tool returns. */
const recalledSchema = z.object({
  messages: z.array(messageSchema).default([]),
  empty: z.string().nullish(),
  note: z.string().nullish(),
});

/** What the agent and another bot said to each other. The agent's own words are shown here: they are half of the talk. */
export async function answerAboutBots(
  { name, topic }: BotQuestion,
  asked: Asked,
  recall?: RecallTool,
): Promise<AgentAnswer> {
  const { language, toolbox, text } = asked;
  const rest = toTopic(topic, language);
  if (!recall) {
    if (name !== null) return answerAboutPerson({ name, topic, isDeed: false }, asked);
    if (rest === "") return plainAnswer(language.says.noBots);
    return answerBySearch(
      { tool: "search_messages", topic: rest, person: null, channel: null, time: null, wanted: "said" },
      asked,
    );
  }
  const args = { bot_name: name ?? ANY_BOT, ...(rest !== "" && { topic: rest }), limit: LIMIT };
  try {
    const { messages, empty, note } = recalledSchema.parse(await toolbox.call(recall, args));
    if (messages.length === 0) return plainAnswer(escapeMarkdown(empty ?? language.says.noMore, 300));
    const citations = new Citations();
    const lines = messages.slice(0, LIMIT).map((message) => {
      const sentence = toSentences(message.content)[0] ?? message.content;
      const evidence = { message, place: null };
      return composeExtract({ evidence, sentence, value: null, isEarlier: false }, citations.message(message), {
        ...asked,
        showsValue: false,
      });
    });
    const reach = { scanned: null, from: null, isPartial: false, isShared: note != null };
    const people = messages
      .map(({ author }) => author)
      .filter(({ id }) => id !== asked.question.agent.id)
      .slice(0, 1);
    const shown = messages.map(toShown);
    const turn = { tool: recall.name, args, question: text, language: language.code, people, shown, cursor: null };
    return linesAnswer({ lines, reach, citations, turn }, asked);
  } catch (error) {
    if (!(error instanceof EarshotError) || !["not_found", "invalid"].includes(error.code)) throw error;
    // A person, not a bot: what they said is found by the usual search.
    return name === null ? plainAnswer(language.says.noBots) : answerAboutPerson({ name, topic, isDeed: false }, asked);
  }
}
