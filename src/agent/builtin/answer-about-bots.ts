import type { z } from "zod";
import { escapeName, quote } from "../../domain/answer/compose.ts";
import { toTopic } from "../../domain/answer/slots.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { recallBotConversation } from "../../tools/recall-bot-conversation.ts";
import type { AgentAnswer } from "../answerer.ts";
import { answerAboutPerson } from "./answer-about-person.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, turnOf } from "./asked.ts";

interface BotQuestion {
  /** Null for any bot. */
  readonly name: string | null;
  readonly topic: string;
}

type Recalled = z.output<typeof recallBotConversation.output>;

const LIMIT = 3;
const ANY_BOT = "any";
const MAX_INTRO_LENGTH = 300;

/** What the agent and another bot said to each other. The agent's own words are shown here: they are half of the talk. */
export async function answerAboutBots({ name, topic }: BotQuestion, asked: Asked): Promise<AgentAnswer> {
  const { language, toolbox } = asked;
  const rest = toTopic(topic, language);
  const args = { bot_name: name ?? ANY_BOT, ...(rest !== "" && { topic: rest }), limit: LIMIT };
  const recalled = await toolbox.call(recallBotConversation, args);
  // A person, not a bot: what they said is found by the usual search.
  if (recalled.state === "unknown_bot" && name !== null) {
    const found = await answerAboutPerson({ name, topic }, asked);
    if (found.kind === "text" && found.sources.size > 0) return found;
  }
  const heading = escapeMarkdown(recalled.text, MAX_INTRO_LENGTH);
  const people = recalled.bots.slice(0, 1);
  const turn = turnOf(asked, { tool: recallBotConversation.name, args, people, shown: messagesIn(recalled) });
  if (recalled.exchanges.length === 0) return plainAnswer(heading, { turn });
  const citations = new Citations();
  const lines = recalled.exchanges.flatMap(({ bot, said, replied }) => [
    ...(said ? [toLine(`${escapeName(bot.name)} said`, said, citations)] : []),
    ...(replied ? [toLine("I replied", replied, citations)] : []),
  ]);
  const reach = { ...NO_REACH, isShared: recalled.note !== null };
  return linesAnswer({ heading, lines, reach, citations, turn }, asked);
}

type Quoted = NonNullable<Recalled["exchanges"][number]["said"]>;

function toLine(who: string, { message, when, text }: Quoted, citations: Citations): string {
  return `**${who}** (${when}): ${quote(text)} [${citations.message(message)}]`;
}

function messagesIn({ exchanges }: Recalled) {
  return exchanges.flatMap(({ said, replied }) => [said, replied]).flatMap((one) => (one ? [one.message] : []));
}
