import {
  findPlace,
  findTime,
  type QuestionKind,
  stripName,
  toTopic,
  wordsOf,
} from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import { isOrdinaryWord } from "../../domain/names/ordinary-words.ts";
import type { AgentAnswer } from "../answerer.ts";
import type { Turn } from "../turn.ts";
import { askWhich, isMeant, whoIs } from "./answer-about-person.ts";
import { answerBySearch, sayFound } from "./answer-by-search.ts";
import { summarise } from "./answer-catch-up.ts";
import { answerAboutKnownPerson, answerFact, answerWhatIsKnown } from "./answer-from-memory.ts";
import { answerAboutMessage } from "./answer-from-talk.ts";
import { type Asked, plainAnswer } from "./asked.ts";
import { planOf, runSearch, type SearchPlan } from "./look.ts";

const MAX_FOLLOW_UP_WORDS = 6;
const SEEKING: readonly QuestionKind["kind"][] = ["search", "person", "about_person", "fact", "message"];

/** Repeats the last call with one part changed; null when the question stands for itself. */
export async function answerFollowUp(request: QuestionKind, asked: Asked): Promise<AgentAnswer | null> {
  const { question, text, language } = asked;
  const { asks } = language;
  const isMore = asks.more.test(text);
  const isAboutShown = [asks.whoSaidIt, asks.whenWasIt, asks.whereWasIt].some((phrases) => phrases.test(text));
  const isWhy = asks.why.test(text);
  const part = partOf(request, asked);
  const isAboutSame = SEEKING.includes(request.kind) && pointsBack(asked);
  // What stands for itself does not rest on the question before.
  const refersBack = isMore || isAboutShown || isWhy || part !== null || isAboutSame;
  const before = refersBack ? await question.before() : null;
  if (!before) return null;
  if (isMore) return answerMore(before, asked);
  if (before.shown.length > 0) {
    if (isAboutShown) return answerAboutMessage(asked, "itself");
    if (isWhy) return answerAboutMessage(asked);
  }
  return (part === null ? null : await changePart(part, before, asked)) ?? (isAboutSame ? goOn(before, asked) : null);
}

/** What comes after "and" or "what about", or a name, a time or a place alone: "Mark?", "yesterday?", "in #general?". */
function partOf({ kind }: QuestionKind, asked: Asked): string | null {
  const { text, language } = asked;
  const what = language.asks.and.exec(text)?.groups?.["what"];
  if (what && wordsOf(what).length <= MAX_FOLLOW_UP_WORDS) return what;
  const isWhole = [findTime(text, asked), findPlace(text)].some((found) => found?.written.length === text.length);
  return kind === "search" && (isWhole || wordsOf(text).length === 1) ? text : null;
}

/** It begins as what goes on, or has a word that stands for what was spoken of before. */
function pointsBack({ text, language, question }: Asked): boolean {
  const { back, pronouns, and } = language.asks;
  const words = wordsOf(text).map((word) => word.toLowerCase());
  return question.about === null && (and.test(text) || words.some((word) => back.has(word) || pronouns.has(word)));
}

/** The same search, with what is asked now added to what was asked before. */
async function goOn(before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const plan = planOf(before);
  const { topic, time, place } = asked.slots;
  if (!plan || topic === "") return null;
  const both = [...new Set(`${topic} ${plan.topic}`.split(" "))].join(" ");
  return answerBySearch({ ...plan, topic: both, time: time ?? plan.time, channel: place ?? plan.channel }, asked);
}

async function changePart(part: string, before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const time = findTime(part, asked);
  const place = findPlace(part);
  const rest = part
    .replace(time?.written ?? "", "")
    .replace(place?.written ?? "", "")
    .trim();
  const topic = toTopic(rest, asked.language);
  const plan = planOf(before);
  const isSummary = before.tool === "get_channel_summary";
  if (topic === "" && (time || place)) {
    if (isSummary) return changeSummary(time?.words, place?.name, before, asked);
    const tool = place && plan?.tool === "search_messages" ? "search_channel_messages" : plan?.tool;
    const [when, channel] = [time?.words ?? plan?.time ?? null, place?.name ?? plan?.channel ?? null];
    return plan && tool ? answerBySearch({ ...plan, tool, time: when, channel }, asked) : null;
  }
  const person = await changePerson(rest, time?.words ?? null, before, asked);
  if (person || topic === "") return person;
  if (isSummary) return changeSummary(undefined, topic, before, asked);
  return plan && answerBySearch({ ...plan, topic }, asked);
}

async function changePerson(
  typed: string,
  time: string | null,
  before: Turn,
  asked: Asked,
): Promise<AgentAnswer | null> {
  const { asks } = asked.language;
  const name = stripName(typed);
  const lower = name.toLowerCase();
  const isPronoun = asks.pronouns.has(lower);
  const isMe = asks.me.has(lower);
  if (!isPronoun && !isMe && (wordsOf(name).length !== 1 || isOrdinaryWord(lower))) return null;
  if (before.tool === "memory_read.get_user_facts") {
    const { topic } = before.args;
    if (typeof topic === "string") return answerFact({ name: isMe ? null : name, what: topic }, asked);
    if (isMe) return answerWhatIsKnown(asked);
    const known = await answerAboutKnownPerson(name, asked);
    return known?.isNamed ? known.answer : null;
  }
  const plan = planOf(before);
  if (!plan) return null;
  const who = isMe ? "me" : await whoIs(name, asked);
  if (typeof who !== "string") return who;
  const wanted = plan.wanted === "who" ? "said" : plan.wanted;
  const next: SearchPlan = { ...plan, tool: "search_user_messages", person: who, time: time ?? plan.time, wanted };
  try {
    const said = await runSearch(next, asked);
    // What is merely similar to a name is another topic.
    return isMe || isPronoun || isMeant(said.person, who) ? await sayFound(said, asked) : null;
  } catch (error) {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    return askWhich(error, name, asked);
  }
}

async function changeSummary(
  time: string | undefined,
  place: string | undefined,
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
  const plan = planOf(before);
  if (!plan) return plainAnswer(says.noMore);
  const searched = await runSearch(plan, asked, new Set(before.shown.map(({ messageId }) => messageId)));
  if (searched.passages.length === 0) return plainAnswer(says.noMore, { turn: before });
  const answer = await sayFound(searched, asked);
  if (answer.kind !== "text" || answer.turn === null) return answer;
  return { ...answer, turn: { ...answer.turn, shown: [...answer.turn.shown, ...before.shown] } };
}
