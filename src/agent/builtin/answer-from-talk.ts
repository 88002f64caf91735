import type { z } from "zod";
import { composeReach, escapeName, escapeTopic, quote } from "../../domain/answer/compose.ts";
import { Echoes, evidenceAmong } from "../../domain/answer/echoes.ts";
import { toMessageForm } from "../../domain/answer/message-form.ts";
import { leadOf } from "../../domain/answer/passages.ts";
import { toTopic } from "../../domain/answer/question-kind.ts";
import { isQuestion } from "../../domain/answer/sentences.ts";
import { toTopicWords } from "../../domain/answer/topic.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type Message, typedText } from "../../domain/message.ts";
import { toStem } from "../../domain/search/stem.ts";
import { findCues } from "../../domain/summary/cue-phrases.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { MESSAGE_LINK } from "../../domain/text/message-link.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import { recallBotConversation } from "../../tools/recall-bot-conversation.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { answerAboutPerson } from "./answer-about-person.ts";
import { type Asked, Citations, linesAnswer, NO_REACH, plainAnswer, quoteMessages, reachOf, turnOf } from "./asked.ts";
import { toTimes } from "./look.ts";

const LATEST = 15;
const MAX_LATEST_SHOWN = 5;

/** The latest messages as they are. */
export async function answerLatest(asked: Asked): Promise<AgentAnswer> {
  const { toolbox, slots, question } = asked;
  const args = { limit: LATEST, include_own: false, ...(slots.place !== null && { channel: slots.place }) };
  const { messages, source, coverage } = await toolbox.call(getRecentMessages, args);
  const quoted = evidenceAmong(messages, question)
    .map((message) => ({ message, place: source.name, words: leadOf(message) }))
    .filter(({ words }) => words !== "")
    .slice(-MAX_LATEST_SHOWN);
  const reach = { ...NO_REACH, scanned: messages.length, from: coverage.from };
  return quoteMessages({ quoted, reach, call: { tool: getRecentMessages.name, args } }, asked);
}

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
  const args = { ...toTimes(time), limit: only ? MAX_SEARCHED : MAX_CONVERSATIONS };
  const isTold = (sentence: string) => (only ? findCues(sentence).isDecision : !isQuestion(sentence));
  const found = await asked.toolbox.call(searchMessages, args);
  const places = new Map(found.hits.map(({ message, channel }) => [message.message_id, channel.name]));
  const messages = found.hits.map(({ message }) => message);
  const quoted = evidenceAmong(messages, asked.question)
    .map((message) => ({ message, place: places.get(message.message_id) ?? null, words: leadOf(message, isTold) }))
    .filter(({ words }) => (only ? isTold(words) : words !== ""))
    .slice(0, MAX_CONVERSATIONS);
  const call = { tool: searchMessages.name, args: { ...args, topic: "" } };
  return quoteMessages({ quoted, reach: { ...reachOf(found), from: found.coverage.from }, call, mark: "- " }, asked);
}

const BESIDE = 4;
const MAX_LINES = 4;

/** A message with what was said before and after it: the one that is linked, answered, was shown first in the turn before, or is the latest here. */
export async function answerAboutMessage(asked: Asked, showing?: "itself"): Promise<AgentAnswer> {
  const { question, toolbox, language } = asked;
  const named = MESSAGE_LINK.exec(question.text)?.[0] ?? (showing ? undefined : question.about?.link);
  const reference = named ?? (await question.before())?.shown[0]?.link ?? (await findLatest(asked));
  if (reference === undefined) return plainAnswer(language.says.messageNotFound);
  const beside = showing ? 0 : BESIDE;
  const args = { message_id: reference, before: beside, after: beside, include_own: false };
  try {
    const { messages, message_id, source } = await toolbox.call(getMessageContext, args);
    const all = evidenceAmong(messages, question);
    const isNamed = (message: Message) => message.message_id === message_id;
    const from = Math.max(0, Math.min(all.findIndex(isNamed) - 2, all.length - MAX_LINES));
    const quoted = all
      .slice(from, from + MAX_LINES)
      .map((message) => ({ message, place: source.name, words: leadOf(message) || "…", isNamed: isNamed(message) }));
    const shown = all.filter(isNamed);
    const people = shown.map(({ author }) => author);
    const call = { tool: getMessageContext.name, args: { message_id }, people, shown };
    return { ...quoteMessages({ quoted, reach: NO_REACH, call }, asked), voice: "unsure" };
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

const MAX_QUESTIONS_READ = 40;
const MAX_QUESTIONS_SHOWN = 5;

/** What the person asking asked the bot before, the newest first. Throws as the tools do. */
export async function answerOwnQuestions(topic: string, asked: Asked): Promise<AgentAnswer> {
  const { toolbox, language, slots, question } = asked;
  const { agent } = question;
  const query = toTopic(topic, language);
  const args = {
    ...{ user_name: "me", include_own: true, limit: MAX_QUESTIONS_READ },
    ...(query !== "" && { query }),
    ...(slots.time !== null && { since: slots.time }),
  };
  const found = await toolbox.call(searchUserMessages, args);
  const echoes = Map.groupBy(
    found.hits.flatMap(({ message, around }) => [message, ...around]),
    ({ channel_id }) => channel_id,
  );
  // In direct messages, all that ask were put to the bot.
  const isPutToBot = (message: Message) =>
    message.guild_id === null
      ? toMessageForm(typedText(message)) === "asks"
      : Echoes.among(echoes.get(message.channel_id) ?? [], agent.id).has(BigInt(message.message_id));
  const mention = new RegExp(`<@!?${agent.id}>`, "gu");
  const quoted = found.hits
    .filter(({ message }) => isPutToBot(message))
    .sort((a, b) => Date.parse(b.message.ts) - Date.parse(a.message.ts))
    .slice(0, MAX_QUESTIONS_SHOWN)
    .map(({ message, channel }) => {
      return { message, place: channel.name, words: typedText(message).replaceAll(mention, "").trim() };
    });
  const [call, reach] = [{ tool: searchUserMessages.name, args }, reachOf(found)];
  if (quoted.length > 0) return quoteMessages({ quoted, reach, call }, asked);
  const none = language.says.noneFrom(escapeTopic(question.actor.name), query === "" ? null : escapeTopic(query));
  return plainAnswer(`${none}\n${composeReach(reach, asked)}`, { turn: turnOf(asked, call) });
}

interface BotQuestion {
  /** Null for any bot. */
  readonly name: string | null;
  readonly topic: string;
}

type Recalled = z.output<typeof recallBotConversation.output>;

const MAX_EXCHANGES = 3;
const MAX_INTRO_LENGTH = 300;

/** What the agent and another bot said to each other. The agent's own words are shown here: they are half of the talk. */
export async function answerAboutBots({ name, topic }: BotQuestion, asked: Asked): Promise<AgentAnswer> {
  const query = toTopic(topic, asked.language);
  const args = { bot_name: name ?? "any", ...(query !== "" && { topic: query }), limit: MAX_EXCHANGES };
  const recalled = await asked.toolbox.call(recallBotConversation, args);
  // A person, not a bot: what they said is found by the usual search.
  if (recalled.state === "unknown_bot" && name !== null) {
    const found = await answerAboutPerson({ name, topic }, asked);
    if (found.kind === "text" && found.sources.size > 0) return found;
  }
  const citations = new Citations();
  const shown: Message[] = [];
  const toLine = (who: string, said: Recalled["exchanges"][number]["said"]) => {
    if (!said) return [];
    shown.push(said.message);
    return [`**${who}** (${said.when}): ${quote(said.text)} [${citations.message(said.message)}]`];
  };
  const lines = recalled.exchanges.flatMap(({ bot, said, replied }) => [
    ...toLine(`${escapeName(bot.name)} said`, said),
    ...toLine("I replied", replied),
  ]);
  const heading = escapeMarkdown(recalled.text, MAX_INTRO_LENGTH);
  const call = { tool: recallBotConversation.name, args, people: recalled.bots.slice(0, 1), shown };
  if (lines.length === 0) return plainAnswer(heading, { turn: turnOf(asked, call) });
  return linesAnswer(
    { heading, lines, reach: { ...NO_REACH, isShared: recalled.note !== null }, citations, call },
    asked,
  );
}
