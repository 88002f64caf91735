import { composePlace, escapeName } from "../../domain/answer/compose.ts";
import { evidenceAmong } from "../../domain/answer/echoes.ts";
import { isQuestion, toMessageForm } from "../../domain/answer/message-form.ts";
import { leadOf, toTopicWords } from "../../domain/answer/passages.ts";
import { type QuestionKind, toSlots, toTopic } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type Message, typedText } from "../../domain/message.ts";
import { toStem } from "../../domain/search/stem.ts";
import { findCues } from "../../domain/summary/cue-phrases.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import { MESSAGE_LINK } from "../../domain/text/message-link.ts";
import type { Phrases } from "../../language/phrase.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { getMessageContext } from "../../tools/get-message-context.ts";
import { getRecentMessages } from "../../tools/get-recent-messages.ts";
import { recallBotConversation } from "../../tools/recall-bot-conversation.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { AgentAnswer } from "../answerer.ts";
import { nothingIfRefused } from "../toolbox.ts";
import {
  type Asked,
  answerBySearch,
  Citations,
  linesAnswer,
  type NamedPerson,
  NO_REACH,
  nothingIf,
  plainAnswer,
  quoteMessages,
  reachOf,
  runSearch,
  type Searched,
  sayFound,
  sayNoneFrom,
  toTimes,
} from "./look.ts";

const LATEST = 15;
const MAX_LATEST_SHOWN = 5;

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
const MAX_SEARCHED = 50;
const DECISIONS = new Set(["decision", "decide", "agree", "settle"].map(toStem));

/** Asks for what was decided, whatever it was. */
export function isAboutDecisions({ slots, language }: Asked): boolean {
  const words = toTopicWords(slots.topic, language);
  return words.length > 0 && words.every((stems) => stems.some((stem) => DECISIONS.has(stem)));
}

/** The largest conversations of each day of a period, or only those with a decision, oldest first. Throws as the tools do. */
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
  return quoteMessages({ quoted, reach: { ...reachOf(found), from: found.coverage.from }, call }, asked);
}

const BESIDE = 3;

/** A message with what was said before and after it: the one that is linked, answered, was shown first in the turn before, or is the latest here. */
export async function answerAboutMessage(asked: Asked, showing?: "itself"): Promise<AgentAnswer> {
  const { question, toolbox, language } = asked;
  const named = MESSAGE_LINK.exec(question.text)?.[0] ?? (showing ? undefined : question.about?.link);
  const reference = named ?? (await question.before())?.shown[0]?.link ?? (await findLatest(asked));
  if (reference === undefined) return plainAnswer(language.says.messageNotFound);
  const beside = showing ? 0 : BESIDE;
  const args = { message_id: reference, before: beside, after: beside, include_own: false };
  const found = await toolbox.call(getMessageContext, args).catch(nothingIf("not_found"));
  if (!found) return plainAnswer(language.says.messageNotFound);
  const { messages, message_id, source } = found;
  const quoted = evidenceAmong(messages, question).map((message) => {
    const isNamed = message.message_id === message_id;
    return { message, place: source.name, words: leadOf(message) || "…", isNamed };
  });
  const shown = quoted.flatMap(({ message, isNamed }) => (isNamed ? [message] : []));
  const people = shown.map(({ author }) => author);
  const call = { tool: getMessageContext.name, args: { message_id }, people, shown };
  return { ...quoteMessages({ quoted, reach: NO_REACH, call }, asked), voice: "unsure" };
}

async function findLatest({ question, toolbox }: Asked): Promise<string | undefined> {
  const { messages } = await toolbox.call(getRecentMessages, { limit: 2, include_own: false });
  return messages.find(({ message_id }) => message_id !== question.messageId)?.link;
}

const MAX_QUESTIONS_READ = 40;
const MAX_QUESTIONS_SHOWN = 5;

/** What the person asking asked the bot before, the newest first. Throws as the tools do. */
export async function answerOwnQuestions(asked: Asked, { topic }: QuestionKind): Promise<AgentAnswer> {
  const { toolbox, language, slots, question } = asked;
  const query = toTopic(topic, language);
  const args = {
    ...{ user_name: "me", include_own: true, limit: MAX_QUESTIONS_READ },
    ...(query !== "" && { query }),
    ...(slots.time !== null && { since: slots.time }),
  };
  const found = await toolbox.call(searchUserMessages, args);
  const talk = found.hits.flatMap(({ message, around }) => [message, ...around]);
  const evidence = new Set(evidenceAmong(talk, question));
  // In direct messages, all that ask were put to the bot.
  const isPutToBot = (message: Message) =>
    message.guild_id === null ? toMessageForm(typedText(message)) === "asks" : !evidence.has(message);
  const mention = new RegExp(`<@!?${question.agent.id}>`, "gu");
  const quoted = found.hits
    .filter(({ message }) => isPutToBot(message))
    .sort((a, b) => Date.parse(b.message.ts) - Date.parse(a.message.ts))
    .slice(0, MAX_QUESTIONS_SHOWN)
    .map(({ message, channel }) => {
      return { message, place: channel.name, words: typedText(message).replaceAll(mention, "").trim() };
    });
  const none = sayNoneFrom(question.actor.name, query, asked);
  return quoteMessages({ quoted, none, reach: reachOf(found), call: { tool: searchUserMessages.name, args } }, asked);
}

const MAX_EXCHANGES = 3;

/** What the agent and another bot said to each other. The agent's own words are shown here: they are half of the talk. */
export async function answerAboutBots(asked: Asked, { name, topic }: QuestionKind): Promise<AgentAnswer> {
  const { says } = asked.language;
  const query = toTopic(topic, asked.language);
  const args = { bot_name: name || "any", ...(query !== "" && { topic: query }), limit: MAX_EXCHANGES };
  const { state, exchanges, bots, note } = await asked.toolbox.call(recallBotConversation, args);
  // A person, not a bot: what they said is found by the usual search.
  if (state === "unknown_bot" && name !== "") return answerAboutPerson(asked, { name, topic });
  if (state === "several_bots") return offer(says.whichPerson(escapeName(name)), bots, name, asked);
  if (state === "off") return plainAnswer(says.talksOff);
  const said = exchanges.flatMap((one) => [one.said ?? [], one.replied ?? []].flat());
  const quoted = said.map(({ message, text }) => ({ message, words: text, isNamed: true }));
  const none = name === "" ? says.noneMatching(escapeName(query || asked.text)) : sayNoneFrom(name, query, asked);
  const call = { tool: recallBotConversation.name, args, people: bots.slice(0, 1) };
  const reach = { ...NO_REACH, isShared: note !== null };
  // A bot's words to others are only close to what is asked for.
  return quoteMessages({ quoted, none, isSure: state !== "said_to_others", reach, call }, asked);
}

const MAX_POINTS = 5;
const MAX_SUMMARISED = 600;
const SINCE_LAST_HERE = "since I was last here";
/** Fewer messages are no summary: a person who spoke a moment ago asks about the day. */
const MIN_MISSED = 10;
const LAST_DAY = "24 hours";

export interface CatchUp {
  readonly timeframe: string;
  readonly channel: string | null;
  readonly focus: string | null;
}

/** What was said, in short. Null when the channel says nothing about what was asked for: then others may. */
export async function answerCatchUp(asked: Asked): Promise<AgentAnswer | null> {
  const { slots, text, language, question } = asked;
  const { catchUp, missed } = language.asks;
  const timeframe = slots.time ?? (missed.test(text) ? SINCE_LAST_HERE : "today");
  const focus = topicWithout([catchUp], asked) || null;
  // In direct messages the servers are meant that the person reads: who was missed there is not talking here.
  const isAnywhere = slots.place === null && question.guildId === null;
  if (isAnywhere) return focus === null ? answerHistory(slots.time ?? LAST_DAY, asked) : null;
  if (slots.place !== null || focus === null) return summarise({ timeframe, channel: slots.place, focus }, asked);
  // "Catch me up on tideboard" may name a channel.
  const there = await summarise({ timeframe, channel: focus, focus: null }, asked).catch(nothingIfNoChannel);
  return there ?? summarise({ timeframe, channel: null, focus }, asked);
}

function topicWithout(phrases: readonly Phrases[], asked: Asked): string {
  const { noFocus } = asked.language.asks;
  const text = phrases.reduce((rest, each) => each.takenOut(rest), asked.text);
  const words = toSlots(text, asked).topic.split(" ");
  return words.filter((word) => !noFocus.has(word.toLowerCase())).join(" ");
}

export const nothingIfNoChannel = nothingIf("not_found", "invalid", "unsupported");

/** Null where too little was said of the focus. */
export async function summarise(request: CatchUp, asked: Asked): Promise<AgentAnswer | null> {
  const { toolbox, language } = asked;
  const { timeframe, channel, focus } = request;
  const args = {
    ...{ timeframe, limit: MAX_SUMMARISED },
    ...(channel !== null && { channel }),
    ...(focus !== null && { focus: focus.slice(0, 200) }),
  };
  const { points, source, messages, coverage } = await toolbox.call(getChannelSummary, args);
  if (messages < MIN_MISSED && timeframe === SINCE_LAST_HERE)
    return summarise({ ...request, timeframe: LAST_DAY }, asked);
  if (messages === 0 && channel === null) return answerLatest(asked);
  if (messages > 0 && focus !== null && points.length < 2) return null;
  const citations = new Citations();
  const shown: Message[] = [];
  const lines: string[] = [];
  for (const { text, cites } of points.slice(0, MAX_POINTS)) {
    const cited = await Promise.all(cites.map(({ link }) => readMessage(link, asked)));
    const known = cited.filter((one) => one !== null);
    shown.push(...known);
    const handles = known.map((one) => citations.message(one)).join(", ");
    if (handles !== "") lines.push(`- ${escapeMarkdown(text, 300)} [${handles}]`);
  }
  const reach = { ...NO_REACH, scanned: messages, from: coverage.from };
  const heading = language.says.inShort(composePlace(source.name, language.says));
  const call = { tool: getChannelSummary.name, args: { ...request }, shown };
  return linesAnswer({ heading, lines, reach, citations, call }, asked);
}

async function readMessage(link: string, { toolbox }: Asked): Promise<Message | null> {
  const args = { message_id: link, before: 0, after: 0, include_own: false };
  const found = await toolbox.call(getMessageContext, args).catch(nothingIfRefused);
  return found?.messages.find(({ message_id }) => message_id === found.message_id) ?? null;
}

/** What was said in this thread; outside of one, in this channel. */
export async function answerThread(asked: Asked): Promise<AgentAnswer> {
  const { slots, language, question } = asked;
  const { thread, catchUp } = language.asks;
  const topic = topicWithout([thread, catchUp], asked);
  const plan = { topic, person: null, channel: null, time: slots.time, wanted: slots.wanted } as const;
  const inThread = { ...plan, tool: "search_thread_messages" } as const;
  const found = await answerBySearch(inThread, asked).catch(nothingIf("unsupported"));
  if (found) return found;
  const tool = question.guildId === null ? "search_messages" : "search_channel_messages";
  if (topic !== "") return answerBySearch({ ...plan, tool }, asked);
  return (await answerCatchUp(asked)) ?? plainAnswer(language.says.noActivity);
}

const MIN_ABOUT = 0.5;
/** All of it, but in the question that it answers. */
const MIN_REPLIED = 0.75;
const MAX_CHOICES = 5;
/** Discord's maximum for a button. */
const MAX_LABEL_LENGTH = 80;

export async function answerAboutPerson(
  asked: Asked,
  { name, topic }: Pick<QuestionKind, "name" | "topic">,
): Promise<AgentAnswer> {
  const { language, slots } = asked;
  const who = await whoIs(name, asked);
  if (typeof who !== "string") return who;
  const rest = toSlots(topic, asked).topic;
  const wanted = slots.wanted === "who" || slots.wanted === "yes_no" ? "said" : slots.wanted;
  const where = { channel: slots.place, time: slots.time, wanted };
  const plan = { ...where, tool: "search_user_messages", topic: rest, person: who } as const;
  const said = await runSearch(plan, asked).catch(askWhichPerson(name, asked));
  if (said && "kind" in said) return said;
  if (said && (rest === "" || who === "me" || isAbout(said))) return sayFound(said, asked);
  const anywhere = { ...where, tool: "search_messages" } as const;
  // "180 kg" says nothing of the ballast that it was asked for.
  const replied = rest === "" ? null : await runSearch({ ...anywhere, topic: rest, person: who }, asked);
  if (replied && isAbout(replied, MIN_REPLIED)) return sayFound(replied, asked);
  // Others may tell what somebody did, and it may be the name of something else: only with a capital is it a name for certain.
  const anybody = { ...anywhere, topic: `${name} ${rest}`.trim(), person: null };
  const told = await runSearch(anybody, asked);
  // Whatever the person said has the name beside it, and may have no word of the rest.
  const passages = told.passages.filter((one) => one.before || told.met.includes(one.message.message_id));
  const mayBeOther = said !== null || !/^\p{Lu}/u.test(name);
  if (mayBeOther ? passages.length > 0 : isAbout(told)) return sayFound({ ...told, passages }, asked);
  return said ? sayFound(said, asked) : plainAnswer(language.says.unknownPerson(escapeName(name)));
}

function isAbout({ passages: [first] }: Pick<Searched, "passages">, least = MIN_ABOUT): boolean {
  return first !== undefined && first.coverage >= least;
}

/** A pronoun is the person named last; where several were named, the actor says whom. */
export async function whoIs(name: string, asked: Asked): Promise<string | AgentAnswer> {
  const { language, question } = asked;
  if (!language.asks.pronouns.has(name.toLowerCase())) return name;
  if (question.about && question.about.author.id !== question.agent.id) return question.about.author.id;
  const people = (await question.before())?.people ?? [];
  const [only, ...others] = people;
  if (only && others.length === 0) return only.id ?? only.name;
  const pronoun = new RegExp(`(?<![\\p{L}])${name}(?![\\p{L}])`, "iu");
  return offer(language.says.whoIsMeant, people, pronoun, asked);
}

/** For the errors of a call about a person: null for nobody. Where several could be meant, the actor chooses. */
export function askWhichPerson(name: string, asked: Asked): (error: unknown) => AgentAnswer | null {
  return (error) => {
    const { code, candidates = [] } = error instanceof EarshotError ? error : {};
    if (code === "invalid" && candidates.length > 0)
      return offer(asked.language.says.whichPerson(escapeName(name)), candidates, name, asked);
    return nothingIf("not_found")(error);
  };
}

function offer(sentence: string, people: readonly NamedPerson[], typed: string | RegExp, { text }: Asked): AgentAnswer {
  const choices = people.slice(0, MAX_CHOICES).map(({ id, name }) => ({
    label: name.slice(0, MAX_LABEL_LENGTH),
    question: text.replace(typed, id == null ? name : `<@${id}>`),
  }));
  return plainAnswer(sentence, choices.length > 0 ? { choices } : {});
}
