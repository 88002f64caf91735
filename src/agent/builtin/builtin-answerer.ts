import { findPlace, findTime, type QuestionKind, toName, wordsOf } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { AnswerWords } from "../../language/language.ts";
import { getChannelSummary } from "../../tools/get-channel-summary.ts";
import { getUserFacts } from "../../tools/get-user-facts.ts";
import { CHANNELS_UNREADABLE, DOCUMENTS_UNREADABLE, PROFILE_UNAVAILABLE } from "../../tools/outages.ts";
import type { AgentAnswer, Answerer, Toolbox } from "../answerer.ts";
import { speakFor } from "../speak-for.ts";
import type { Turn } from "../turn.ts";
import {
  answerAboutKnownPerson,
  answerFact,
  answerFromRecords,
  answerSharedFacts,
  answerWhatIsKnown,
  proposeToForget,
  proposeToRemember,
} from "./answer-from-memory.ts";
import {
  answerAboutBots,
  answerAboutMessage,
  answerAboutPerson,
  answerCatchUp,
  answerHistory,
  answerLatest,
  answerOwnQuestions,
  answerThread,
  askWhichPerson,
  type CatchUp,
  isAboutDecisions,
  nothingIfNoChannel,
  summarise,
  whoIs,
} from "./answer-from-talk.ts";
import {
  type Asked,
  answerBySearch,
  isFound,
  isMeant,
  plainAnswer,
  planOf,
  runSearch,
  sayFound,
  toAsked,
  toSearchPlan,
} from "./look.ts";

const MAX_PROBLEM_LENGTH = 300;

/** Answers without a model, by rules: it finds out what kind of question it is, calls a tool, and quotes the sentence that answers. */
export function createBuiltinAnswerer(): Answerer {
  return {
    isLocal: true,
    async answer(question, toolbox) {
      const notes: string[] = [];
      const watched = notingOutages(toolbox, notes);
      const asked = toAsked(question, question.quotedFrom ? speakFor(question.quotedFrom, watched) : watched);
      const { request } = asked;
      const { says } = asked.language;
      const social = SOCIAL[request.kind]?.(says);
      if (social) return social;
      if (question.quotedFrom && (request.kind === "remember" || request.kind === "forget"))
        return plainAnswer(says.notTheirs);
      if (question.isIsolated) return plainAnswer(says.isolated);
      try {
        const answer = ANSWERS[request.kind] ?? answerTopic;
        return sayOutages((await answerFollowUp(asked)) ?? (await answer(asked, request)), notes, says);
      } catch (error) {
        // The words of the tools say that something is not there, or cannot be. Outages and refusals are for the caller.
        if (!(error instanceof EarshotError) || !["not_found", "invalid", "unsupported"].includes(error.code))
          throw error;
        return plainAnswer(escapeMarkdown(error.message.split("\n")[0] ?? "", MAX_PROBLEM_LENGTH));
      }
    },
  };
}

type Kind = QuestionKind["kind"];

const SOCIAL: Readonly<Partial<Record<Kind, (says: AnswerWords) => AgentAnswer>>> = {
  thanks: () => ({ kind: "reaction", emoji: "👍" }),
  greeting: ({ greeting }) => plainAnswer(greeting),
  help: ({ help, examples }) => plainAnswer([help, ...examples.split(" | ")].join("\n- ")),
  needs_model: ({ needsModel }) => plainAnswer(needsModel),
  act: ({ needsModel }) => plainAnswer(needsModel),
};

const ANSWERS: Readonly<Partial<Record<Kind, (asked: Asked, request: QuestionKind) => Promise<AgentAnswer>>>> = {
  remember: proposeToRemember,
  forget: proposeToForget,
  about_me: answerWhatIsKnown,
  about_person: answerWho,
  shared_facts: answerSharedFacts,
  fact: async (asked, { name, what }) =>
    (await answerFact({ name, what }, asked)) ?? answerAboutPerson(asked, { name, topic: what }),
  own_questions: answerOwnQuestions,
  bots: answerAboutBots,
  catch_up: async (asked) => (await answerCatchUp(asked)) ?? answerBySearch(toSearchPlan(asked), asked),
  latest: answerLatest,
  person: answerAboutPerson,
  thread: answerThread,
  message: (asked) => answerAboutMessage(asked),
};

/** What is known of somebody. Where the name is only similar, what was said comes first: "marquee" may find Mark. */
async function answerWho(asked: Asked, { name }: QuestionKind): Promise<AgentAnswer> {
  const known = await answerAboutKnownPerson(name, asked);
  if (known?.isNamed) return known.answer;
  const said = await answerTopic(asked);
  return known && !isFound(said) ? known.answer : said;
}

/** What was said, or what is remembered or written down about it, whichever is about more of it. */
async function answerTopic(asked: Asked): Promise<AgentAnswer> {
  const { topic, time } = asked.slots;
  if (topic === "" && asked.question.about) return answerAboutMessage(asked);
  // "What did we talk about last week": nothing but a time is asked for.
  if (topic === "" && time !== null) return answerHistory(time, asked);
  const decided = time !== null && isAboutDecisions(asked) ? await answerHistory(time, asked, "decisions") : null;
  if (decided && isFound(decided)) return decided;
  const plan = toSearchPlan(asked);
  const searched = await runSearch(plan, asked);
  const isAnywhere = topic !== "" && plan.channel === null && plan.time === null;
  const said = searched.passages[0]?.stated ?? 0;
  return (isAnywhere ? await answerFromRecords(topic, said, asked) : null) ?? sayFound(searched, asked);
}

/** Notes which sources the tools could not read: an answer from another source would otherwise pass for all that is known. */
function notingOutages(toolbox: Toolbox, notes: string[]): Toolbox {
  return {
    ...toolbox,
    async call(tool, args) {
      const value = await toolbox.call(tool, args);
      const { note, unreachable }: { readonly note?: unknown; readonly unreachable?: unknown } = Object(value);
      notes.push(unreachable === true ? CHANNELS_UNREADABLE : String(note));
      return value;
    },
  };
}

/** Adds to an answer what could not be read for it, before all else: that nothing was found means little then. */
function sayOutages(answer: AgentAnswer, notes: readonly string[], says: AnswerWords): AgentAnswer {
  if (answer.kind !== "text") return answer;
  const isNoted = (sentence: string) => notes.some((note) => note.includes(sentence));
  const outages = [
    // The small print of an answer that found something says so too.
    ...(answer.voice === "none" && isNoted(CHANNELS_UNREADABLE) ? [says.channelsUnavailable] : []),
    ...(isNoted(PROFILE_UNAVAILABLE) ? [says.profileUnavailable] : []),
    ...(isNoted(DOCUMENTS_UNREADABLE) ? [says.documentsUnavailable] : []),
  ];
  return { ...answer, text: [...outages, answer.text].join("\n") };
}

const MAX_FOLLOW_UP_WORDS = 6;
const SEEKING: readonly QuestionKind["kind"][] = ["search", "person", "about_person", "fact", "message"];

/** Repeats the last call with what is named now; null when the question stands for itself. */
async function answerFollowUp(asked: Asked): Promise<AgentAnswer | null> {
  const { question, text, request, language } = asked;
  const { asks } = language;
  const isMore = asks.more.test(text);
  const isAboutShown = [asks.whoSaidIt, asks.whenWasIt, asks.whereWasIt].some((phrases) => phrases.test(text));
  const isWhy = asks.why.test(text);
  const part = partOf(asked);
  const isAboutSame = part !== null || (SEEKING.includes(request.kind) && pointsBack(asked));
  const before = isMore || isAboutShown || isWhy || isAboutSame ? await question.before() : null;
  if (!before) return null;
  if (isMore) return answerMore(before, asked);
  if (before.shown.length > 0 && (isAboutShown || isWhy))
    return answerAboutMessage(asked, isAboutShown ? "itself" : undefined);
  if (!isAboutSame) return null;
  return (part === null ? null : await changePerson(part, before, asked)) ?? repeat(before, asked);
}

/** What comes after "and" or "what about", or a name, a time or a place alone: "Mark?", "yesterday?", "in #general?". */
function partOf(asked: Asked): string | null {
  const { text, request, language } = asked;
  const what = language.asks.and.exec(text)?.groups?.["what"];
  if (what && wordsOf(what).length <= MAX_FOLLOW_UP_WORDS) return what;
  const isWhole = [findTime(text, asked), findPlace(text)].some((found) => found?.written.length === text.length);
  return request.kind === "search" && (isWhole || wordsOf(text).length === 1) ? text : null;
}

/** It begins as what goes on, or has a word that stands for what was spoken of before. */
function pointsBack({ text, language, question }: Asked): boolean {
  const { back, pronouns, and } = language.asks;
  const words = wordsOf(text).map((word) => word.toLowerCase());
  return question.about === null && (and.test(text) || words.some((word) => back.has(word) || pronouns.has(word)));
}

async function repeat(before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const { topic, time, place } = asked.slots;
  if (topic === "" && time === null && place === null) return null;
  const plan = planOf(before);
  if (plan) {
    const tool = place !== null && plan.tool === "search_messages" ? "search_channel_messages" : plan.tool;
    const both = [...new Set(`${topic} ${plan.topic}`.trim().split(" "))].join(" ");
    const next = { ...plan, tool, topic: both, time: time ?? plan.time, channel: place ?? plan.channel };
    return answerBySearch(next, asked);
  }
  if (before.tool !== getChannelSummary.name) return null;
  const { timeframe, channel, focus } = before.args as unknown as CatchUp;
  const other = place ?? (topic || null);
  const request = { timeframe: time ?? timeframe, channel: other ?? channel, focus: other === null ? focus : null };
  return summarise(request, asked).catch(nothingIfNoChannel);
}

async function changePerson(part: string, before: Turn, asked: Asked): Promise<AgentAnswer | null> {
  const [time, place] = [findTime(part, asked), findPlace(part)];
  const { asks } = asked.language;
  const rest = [time, place].reduce((left, found) => left.replace(found?.written ?? "", ""), part);
  const name = toName(rest.trim(), asks);
  if (wordsOf(name).length !== 1) return null;
  if (before.tool === getUserFacts.name) {
    const { topic } = before.args;
    if (typeof topic === "string") return answerFact({ name, what: topic }, asked);
    if (name === "me") return answerWhatIsKnown(asked);
    const known = await answerAboutKnownPerson(name, asked);
    return known?.isNamed ? known.answer : null;
  }
  const plan = planOf(before);
  if (!plan) return null;
  const who = await whoIs(name, asked);
  if (typeof who !== "string") return who;
  const wanted = plan.wanted === "who" ? "said" : plan.wanted;
  const other = { tool: "search_user_messages", person: who, time: time?.words ?? plan.time, wanted } as const;
  const said = await runSearch({ ...plan, ...other }, asked).catch(askWhichPerson(name, asked));
  if (!said || "kind" in said) return said;
  // What is merely similar to a name is another topic.
  return name === "me" || asks.pronouns.has(name) || isMeant(said.person, who) ? sayFound(said, asked) : null;
}

async function answerMore(before: Turn, asked: Asked): Promise<AgentAnswer> {
  const plan = planOf(before);
  const searched = plan && (await runSearch(plan, asked, new Set(before.shown.map(({ messageId }) => messageId))));
  if (!searched || searched.passages.length === 0) return plainAnswer(asked.language.says.noMore, { turn: before });
  const answer = await sayFound(searched, asked);
  if (answer.kind !== "text" || answer.turn === null) return answer;
  return { ...answer, turn: { ...answer.turn, shown: [...answer.turn.shown, ...before.shown] } };
}
