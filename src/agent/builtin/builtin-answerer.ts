import { escapeTopic } from "../../domain/answer/compose.ts";
import { type QuestionKind, toQuestionKind } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import { escapeMarkdown } from "../../domain/text/escape-markdown.ts";
import type { AnswerWords } from "../../language/answer-words.ts";
import { CHANNELS_UNREADABLE, DOCUMENTS_UNREADABLE, PROFILE_UNAVAILABLE } from "../../tools/outages.ts";
import type { AgentAnswer, Answerer, Toolbox } from "../answerer.ts";
import { speakFor } from "../speak-for.ts";
import { answerAboutPerson } from "./answer-about-person.ts";
import { answerBySearch, sayFound } from "./answer-by-search.ts";
import { answerCatchUp, answerThread } from "./answer-catch-up.ts";
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
  answerHistory,
  answerLatest,
  answerOwnQuestions,
  isAboutDecisions,
} from "./answer-from-talk.ts";
import { type Asked, plainAnswer, toAsked } from "./asked.ts";
import { answerFollowUp } from "./follow-up.ts";
import { type SearchPlan, searchFurther } from "./look.ts";

const THANKS = "👍";
const NOT_THEIRS = "Only the person who wrote that can have something about themselves remembered or forgotten.";

/** Answers without a model, by rules: it finds out what kind of question it is, calls a tool, and quotes the sentence that answers. */
export function createBuiltinAnswerer(): Answerer {
  return {
    isLocal: true,
    async answer(question, toolbox) {
      const watched = watchOutages(toolbox);
      const speaker = question.quotedFrom ? speakFor(question.quotedFrom, watched.toolbox) : watched.toolbox;
      const asked = toAsked(question, speaker);
      const request = toQuestionKind(asked.text, { language: asked.language, hasMessage: question.about !== null });
      const social = answerSocially(request, asked);
      if (social) return social;
      if (question.quotedFrom && (request.kind === "remember" || request.kind === "forget"))
        return plainAnswer(NOT_THEIRS);
      try {
        const answer = question.isIsolated
          ? plainAnswer(asked.language.says.isolated)
          : ((await answerFollowUp(request, asked)) ?? (await answerByKind(request, asked)));
        return watched.sayOutages(answer, asked.language.says);
      } catch (error) {
        return sayWhatIsWrong(error);
      }
    },
  };
}

/** What is not there, and what cannot be, is said in the words of the tools. Outages and refusals are for the caller. */
function sayWhatIsWrong(error: unknown): AgentAnswer {
  if (!(error instanceof EarshotError) || !["not_found", "invalid", "unsupported"].includes(error.code)) throw error;
  return plainAnswer(escapeMarkdown(error.message.split("\n")[0] ?? "", MAX_PROBLEM_LENGTH));
}

const MAX_PROBLEM_LENGTH = 300;

/** What needs no tool. */
function answerSocially({ kind }: QuestionKind, { language: { says } }: Asked): AgentAnswer | null {
  switch (kind) {
    case "thanks":
      return { kind: "reaction", emoji: THANKS };
    case "greeting":
      return plainAnswer(says.greeting);
    case "empty":
    case "help":
      return plainAnswer([says.help, ...says.examples.split(" | ").map((example) => `- ${example}`)].join("\n"));
    case "needs_model":
    case "act":
      return plainAnswer(says.needsModel);
    default:
      return null;
  }
}

async function answerByKind(request: QuestionKind, asked: Asked): Promise<AgentAnswer> {
  switch (request.kind) {
    case "remember":
      return proposeToRemember(request.what, asked);
    case "forget":
      return proposeToForget(request.what, asked);
    case "about_me":
      return answerWhatIsKnown(asked);
    case "about_person":
      return answerWho(request.name, asked);
    case "shared_facts":
      return answerSharedFacts(asked);
    case "fact":
      return (
        (await answerFact(request, asked)) ??
        answerAboutPerson({ name: request.name ?? "me", topic: request.what }, asked)
      );
    case "own_questions":
      return answerOwnQuestions(request.topic, asked);
    case "bots":
      return answerAboutBots(request, asked);
    case "catch_up":
      return (await answerCatchUp(asked)) ?? answerBySearch(toSearchPlan(asked), asked);
    case "latest":
      return answerLatest(asked);
    case "person":
      return answerAboutPerson(request, asked);
    case "thread":
      return answerThread(asked);
    case "message":
      return answerAboutMessage(asked);
    default:
      if (asked.slots.topic !== "") return answerTopic(asked);
      if (asked.question.about) return answerAboutMessage(asked);
      // "What did we talk about last week": nothing but a time is asked for.
      return asked.slots.time === null ? answerSearch(asked) : answerHistory(asked.slots.time, asked);
  }
}

/** What is known of somebody. Where the name is only similar, what was said comes first: "marquee" may find Mark. */
async function answerWho(name: string, asked: Asked): Promise<AgentAnswer> {
  const known = await answerAboutKnownPerson(name, asked);
  if (known?.isNamed) return known.answer;
  if (known === null) return answerByKind({ kind: "search" }, asked);
  const searched = await searchFurther(toSearchPlan(asked), asked);
  return searched.passages.length > 0 ? sayFound(searched, asked) : known.answer;
}

async function answerTopic(asked: Asked): Promise<AgentAnswer> {
  const { time } = asked.slots;
  const decided = time !== null && isAboutDecisions(asked) ? await answerHistory(time, asked, "decisions") : null;
  return decided?.kind === "text" && decided.sources.size > 0 ? decided : answerSearch(asked);
}

/** What was said, or what is remembered or written down about it, whichever is about more of it. */
async function answerSearch(asked: Asked): Promise<AgentAnswer> {
  const plan = toSearchPlan(asked);
  const searched = await searchFurther(plan, asked);
  const isAnywhere = asked.slots.topic !== "" && plan.channel === null && plan.time === null;
  const said = searched.passages[0]?.coverage ?? 0;
  return (isAnywhere ? await answerFromRecords(plan.topic, said, asked) : null) ?? sayFound(searched, asked);
}

/** "Just", "earlier", "today": here. "Last week", "remember when", and all else: everywhere. */
function toSearchPlan({ slots, question, text }: Asked): SearchPlan {
  const { place, isHere, isRecent, topic, time, wanted } = slots;
  const isInChannel = place !== null || isHere || (isRecent && question.guildId !== null);
  return {
    tool: isInChannel ? "search_channel_messages" : "search_messages",
    topic: topic === "" ? escapeTopic(text) : topic,
    person: null,
    channel: place,
    time,
    wanted,
  };
}

interface WatchedOutages {
  readonly toolbox: Toolbox;
  /** Adds to an answer what could not be read for it; first where nothing was found, because that means little then. */
  sayOutages(answer: AgentAnswer, says: AnswerWords): AgentAnswer;
}

/** Notes which sources the tools could not read: an answer from another source would otherwise pass for all that is known. */
function watchOutages(toolbox: Toolbox): WatchedOutages {
  const notes: string[] = [];
  return {
    toolbox: {
      ...toolbox,
      async call(tool, args) {
        const value = await toolbox.call(tool, args);
        notes.push(noteOf(value));
        return value;
      },
    },
    sayOutages(answer, says) {
      const isNoted = (sentence: string) => notes.some((note) => note.includes(sentence));
      const isNothing = answer.kind === "text" && answer.voice === "none";
      const outages = [
        // The small print of an answer that found something says so too.
        ...(isNothing && isNoted(CHANNELS_UNREADABLE) ? [says.channelsUnavailable] : []),
        ...(isNoted(PROFILE_UNAVAILABLE) ? [says.profile.unavailable] : []),
        ...(isNoted(DOCUMENTS_UNREADABLE) ? [says.documentsUnavailable] : []),
      ];
      if (answer.kind !== "text" || outages.length === 0) return answer;
      if (isNothing) return { ...answer, text: [...outages, answer.text].join("\n") };
      const lines = answer.text.split("\n");
      // The small print stays the last line.
      lines.splice(lines.at(-1)?.startsWith("-# ") ? -1 : lines.length, 0, ...outages);
      return { ...answer, text: lines.join("\n") };
    },
  };
}

function noteOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  if ("unreachable" in value && value.unreachable === true) return CHANNELS_UNREADABLE;
  return "note" in value && typeof value.note === "string" ? value.note : "";
}
