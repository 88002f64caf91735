import { type QuestionKind, stripName } from "../../domain/answer/question-kind.ts";
import { wordsOf } from "../../domain/answer/question-text.ts";
import { findPlace, findTime, toTopic } from "../../domain/answer/slots.ts";
import { EarshotError } from "../../domain/errors.ts";
import { isOrdinaryWord } from "../../domain/names/ordinary-words.ts";
import type { Wanted } from "../../language/language.ts";
import type { AgentAnswer } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { answerAboutMessage } from "./answer-about-message.ts";
import { isMeant, whoIs } from "./answer-about-person.ts";
import { answerBySearch, askWhich, sayFound } from "./answer-by-search.ts";
import { summarise } from "./answer-catch-up.ts";
import { answerAboutKnownPerson, answerFact, answerWhatIsKnown } from "./answer-from-memory.ts";
import { type Asked, plainAnswer } from "./asked.ts";
import { runSearch, type SearchPlan, type SearchTool } from "./look.ts";

const SEARCHES: readonly string[] = [
  "search_messages",
  "search_channel_messages",
  "search_user_messages",
  "search_thread_messages",
] satisfies SearchTool[];
const MAX_FOLLOW_UP_WORDS = 6;

/** Repeats the last call with one part changed; null when the question stands for itself. */
export async function answerFollowUp(request: QuestionKind, asked: Asked): Promise<AgentAnswer | null> {
  const { question, text, language } = asked;
  const { asks } = language;
  const isMore = asks.more.test(text);
  const isStillTrue = asks.stillTrue.test(text);
  const isAboutShown = [asks.whoSaidIt, asks.whenWasIt, asks.whereWasIt].some((pattern) => pattern.test(text));
  const isWhy = asks.why.test(text);
  const [, rest = null] = splitAnd(text, asked);
  const isPart = rest !== null || isFragment(request, asked);
  const isAboutSame = SEEKING.includes(request.kind) && pointsBack(asked);
  // What stands for itself does not rest on the question before.
  const refersBack = isMore || isStillTrue || isAboutShown || isWhy || isPart || isAboutSame;
  const before = refersBack ? await question.before() : null;
  if (!before) return null;
  if (isMore) return answerMore(before, asked);
  if (isStillTrue && before.shown.length > 0) return answerWhatIsNew(before, asked);
  if (isAboutShown && before.shown.length > 0) return answerAboutMessage(asked, "itself");
  if (isWhy && before.shown.length > 0) return answerAboutMessage(asked);
  return (isPart ? await changePart(rest ?? text, before, asked) : null) ?? (isAboutSame ? goOn(before, asked) : null);
}

const SEEKING: readonly QuestionKind["kind"][] = ["search", "person", "about_person", "fact", "message"];

/** It begins as what goes on, or has a word that stands for what was spoken of before. */
function pointsBack({ text, language, question }: Asked): boolean {
  const { back, pronouns, and } = language.asks;
  if (question.about !== null) return false;
  return and.test(text) || wordsOf(text).some((word) => [back, pronouns].some((set) => set.has(word.toLowerCase())));
}

/** The same search, with what is asked now added to what was asked before, unless what is asked now is found for itself. */
async function goOn(before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const plan = toPlan(before);
  const { topic, time, place } = asked.slots;
  if (!plan || topic === "") return null;
  const alone = { ...plan, topic, time: time ?? plan.time, channel: place ?? plan.channel };
  const [first] = topic.includes(" ") ? (await runSearch(alone, asked)).passages : [];
  if (first && first.coverage >= MIN_FOR_ITSELF) return null;
  const both = [...new Set(`${topic} ${plan.topic}`.split(" "))].join(" ");
  return answerBySearch({ ...alone, topic: both }, asked);
}

const MIN_FOR_ITSELF = 0.9;

/** "and Mark", "what about yesterday": what comes after. */
function splitAnd(text: string, { language }: Asked): [string, string?] {
  const what = language.asks.and.exec(text)?.groups?.["what"];
  return what && wordsOf(what).length <= MAX_FOLLOW_UP_WORDS ? [text, what] : [text];
}

/** Nothing but a name, a time or a place: "Mark?", "yesterday?", "in #general?". */
function isFragment(request: QuestionKind, asked: Asked): boolean {
  const { text } = asked;
  if (request.kind !== "search") return false;
  const words = wordsOf(text);
  const isTime = findTime(text, asked)?.written.length === text.length;
  const isPlace = findPlace(text)?.written.length === text.length;
  return isTime || isPlace || words.length === 1;
}

async function changePart(part: string, before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const time = findTime(part, asked);
  const place = findPlace(part);
  const rest = [time?.written, place?.written].reduce<string>(
    (text, each) => (each ? text.replace(each, "") : text),
    part,
  );
  const words = toTopic(rest, asked.language);
  if (words === "" && (time || place)) {
    if (before.tool === "get_channel_summary")
      return changeSummary({ time: time?.words, place: place?.name }, before, asked);
    const plan = toPlan(before);
    if (!plan) return null;
    const tool = place && plan.tool === "search_messages" ? "search_channel_messages" : plan.tool;
    return answerBySearch(
      { ...plan, tool, time: time?.words ?? plan.time, channel: place?.name ?? plan.channel },
      asked,
    );
  }
  return (
    (await changePerson(rest.trim(), { time: time?.words ?? null }, before, asked)) ?? changeTopic(words, before, asked)
  );
}

async function changePerson(
  name: string,
  { time }: { time: string | null },
  before: Turn,
  asked: Asked,
): Promise<AgentAnswer | null> {
  const { asks } = asked.language;
  const bare = stripName(name);
  const lower = bare.toLowerCase();
  const isPronoun = asks.pronouns.has(lower);
  const isMe = asks.me.has(lower);
  if (!isPronoun && !isMe && (wordsOf(bare).length !== 1 || isOrdinaryWord(lower))) return null;
  if (before.tool === "memory_read.get_user_facts") {
    if (typeof before.args["topic"] === "string")
      return answerFact({ name: isMe ? null : bare, what: before.args["topic"] }, asked);
    if (isMe) return answerWhatIsKnown(asked);
    const known = await answerAboutKnownPerson(bare, asked);
    return known?.isNamed ? known.answer : null;
  }
  const plan = toPlan(before);
  if (!plan) return null;
  const who = isMe ? "me" : await whoIs(bare, asked);
  if (typeof who !== "string") return who;
  const next: SearchPlan = {
    ...plan,
    tool: "search_user_messages",
    person: who,
    time: time ?? plan.time,
    wanted: plan.wanted === "who" ? "said" : plan.wanted,
  };
  try {
    const said = await runSearch(next, asked);
    // What is merely similar to a name is another topic.
    return isMe || isPronoun || isMeant(said.person, who) ? await sayFound(said, asked) : null;
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    return askWhich(error, bare, asked);
  }
}

async function changeTopic(topic: string, before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  if (topic === "") return null;
  if (before.tool === "get_channel_summary") return changeSummary({ place: topic }, before, asked);
  const plan = toPlan(before);
  return plan && answerBySearch({ ...plan, topic }, asked);
}

async function changeSummary(
  { time, place }: { time?: string | undefined; place?: string | undefined },
  { args }: Turn,
  asked: Asked,
): Promise<AgentAnswer | null> {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const request = {
    timeframe: time ?? text(args["timeframe"]) ?? "today",
    channel: place ?? text(args["channel"]),
    focus: place === undefined ? text(args["focus"]) : null,
  };
  return summarise(request, asked, "if_there");
}

/** What was found and not shown yet. */
async function answerMore(before: Turn, asked: Asked): Promise<AgentAnswer> {
  const { says } = asked.language;
  const plan = toPlan(before);
  if (!plan) return plainAnswer(says.noMore);
  const except = new Set<string>(before.shown.map(({ messageId }) => messageId));
  const searched = await runSearch(plan, asked, { except });
  if (searched.passages.length === 0) return plainAnswer(says.noMore, { turn: before });
  const answer = await sayFound(searched, asked);
  if (answer.kind !== "text" || answer.turn === null) return answer;
  return { ...answer, turn: { ...answer.turn, shown: [...answer.turn.shown, ...before.shown] } };
}

/** Searches once more, and shows the newest first; for what was no search, what was said around the message that was shown. */
async function answerWhatIsNew(before: Turn, asked: Asked): Promise<AgentAnswer> {
  const plan = toPlan(before);
  if (!plan) return answerAboutMessage(asked);
  const { passages, ...searched } = await runSearch(plan, asked);
  const newest = passages.toSorted((a, b) => Date.parse(b.message.ts) - Date.parse(a.message.ts));
  return passages.length === 0
    ? answerAboutMessage(asked)
    : sayFound({ ...searched, passages: newest, isSure: searched.isSure && newest[0] === passages[0] }, asked);
}

function toPlan({ tool, args }: Turn): SearchPlan | null {
  if (!SEARCHES.includes(tool)) return null;
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    tool: tool as SearchTool,
    topic: text(args["topic"]) ?? "",
    person: text(args["user_name"]),
    channel: text(args["channel"]),
    time: text(args["since"]),
    wanted: (text(args["wanted"]) as Wanted | null) ?? "said",
  };
}
