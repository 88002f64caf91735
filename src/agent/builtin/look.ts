import type { z } from "zod";
import {
  composeAnswer,
  composeContext,
  composePlace,
  composeQuote,
  composeReach,
  escapeName,
  type Quoted,
  type Reach,
} from "../../domain/answer/compose.ts";
import {
  glossed,
  isSure,
  pickPassages,
  type SaidPassage,
  shownWords,
  toTopicWords,
  wordsOf,
} from "../../domain/answer/passages.ts";
import { tidyQuestion, toQuestionKind, toSlots } from "../../domain/answer/question-kind.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Message } from "../../domain/message.ts";
import { foldBare } from "../../domain/search/keywords.ts";
import type { Wanted } from "../../language/language.ts";
import { detectLanguage } from "../../language/languages.ts";
import type { FactOutput, ProfileOutput } from "../../tools/fact-fields.ts";
import { ONLY_HERE } from "../../tools/fields.ts";
import { describePassage, type PassageOutput } from "../../tools/passage-fields.ts";
import { searchChannelMessages } from "../../tools/search-channel-messages.ts";
import { searchMessages } from "../../tools/search-messages.ts";
import { searchThreadMessages } from "../../tools/search-thread-messages.ts";
import { searchUserMessages } from "../../tools/search-user-messages.ts";
import type { AgentAnswer, Citable, Question, SourceRole, Toolbox } from "../answerer.ts";
import { type Turn, toShown } from "../turn.ts";

export type Asked = ReturnType<typeof toAsked>;

export function toAsked(question: Question, toolbox: Toolbox) {
  const language = detectLanguage(question.text, question.languageBefore);
  const text = tidyQuestion(question.text, question.agent, language);
  const request = toQuestionKind(text, language, question.about !== null);
  const context = { language, now: question.askedAt, zone: question.timeZone };
  return { ...context, question, toolbox, text, request, slots: toSlots(text, context) };
}

/** The call that an answer rests on, and what the question that follows can refer to besides. */
export type Call = Pick<Turn, "tool" | "args"> &
  Partial<Pick<Turn, "people">> & { readonly shown?: readonly Message[] };

export const NO_REACH: Reach = { scanned: null, from: null, isPartial: false, isShared: false };

type SearchReach = Omit<z.output<typeof searchMessages.output>, "hits">;

export function reachOf({ coverage, everything_since, unreachable, still_reading, note }: SearchReach): Reach {
  const { scanned, complete, from } = coverage;
  const isShared = note?.endsWith(ONLY_HERE) === true;
  return { scanned, from: complete ? from : everything_since, isPartial: unreachable || still_reading, isShared };
}

type TextAnswer = Extract<AgentAnswer, { kind: "text" }>;

export function plainAnswer(text: string, more: Partial<Pick<TextAnswer, "turn" | "choices">> = {}): TextAnswer {
  return { kind: "text", text, sources: new Map(), turn: null, isOwnWords: true, voice: "none", ...more };
}

/** For errors with these codes there is nothing; all others are thrown. */
export function nothingIf(...codes: readonly EarshotError["code"][]): (error: unknown) => null {
  return (error) => {
    if (error instanceof EarshotError && codes.includes(error.code)) return null;
    throw error;
  };
}

export function isFound(answer: AgentAnswer): boolean {
  return answer.kind === "text" && answer.sources.size > 0;
}

export class Citations {
  readonly #cited = new Map<string, readonly [handle: string, source: Citable]>();

  message(message: Message, role: SourceRole = "passage"): string {
    return this.#cite("m", message.message_id, { kind: "message", message, role });
  }

  fact({ fact_id, about, rests_on }: FactOutput): string {
    return this.#cite("f", fact_id, { kind: "fact", links: rests_on.links, factId: fact_id, subjectId: about.user_id });
  }

  profile({ profile_ref: factId, user_id: subjectId }: ProfileOutput): string {
    return this.#cite("f", factId, { kind: "fact", links: [], factId, subjectId });
  }

  passage(passage: PassageOutput): string {
    const { passage_id: passageRef } = passage;
    return this.#cite("p", passageRef, { kind: "passage", passageRef, where: describePassage(passage) });
  }

  #cite(letter: string, id: string, source: Citable): string {
    const cited = this.#cited.get(id) ?? ([`${letter}${this.#cited.size + 1}`, source] as const);
    this.#cited.set(id, cited);
    return cited[0];
  }

  sourcesOf(text: string): ReadonlyMap<string, Citable> {
    const lists = [...text.matchAll(/(?<!\\)\[([mfp]\d+(?:, [mfp]\d+)*)\]/gu)];
    const used = new Set(lists.flatMap(([, list]) => list?.split(", ") ?? []));
    return new Map([...this.#cited.values()].filter(([handle]) => used.has(handle)));
  }
}

interface Lines {
  readonly heading?: string | null;
  readonly lines: readonly string[];
  readonly none?: string;
  /** The lines answer, and are not only the closest. */
  readonly isSure?: boolean;
  readonly reach: Reach;
  readonly citations: Citations;
  readonly call: Call;
}

export function linesAnswer(found: Lines, asked: Asked): TextAnswer {
  const { says, code } = asked.language;
  const { heading = null, isSure = true, lines, none = says.noActivity, reach, citations, call } = found;
  const small = composeReach(reach, asked);
  const turn = { question: asked.text, language: code, people: [], ...call, shown: (call.shown ?? []).map(toShown) };
  if (lines.length === 0) return plainAnswer(`${none}\n${small}`, { turn });
  const text = composeAnswer(isSure ? heading : says.noClearAnswer, lines, small);
  const sources = citations.sourcesOf(text);
  return { kind: "text", text, sources, turn, needsNoSource: true, voice: isSure ? "sure" : "unsure" };
}

type QuotedMessages = Pick<Lines, "none" | "isSure" | "reach" | "call"> & { readonly quoted: readonly Quoted[] };

export function quoteMessages({ quoted, call, ...more }: QuotedMessages, asked: Asked): TextAnswer {
  const citations = new Citations();
  const lines = quoted.map((one) => composeQuote(one, citations.message(one.message), asked));
  const shown = quoted.map(({ message }) => message);
  return linesAnswer({ ...more, lines, citations, call: { shown, ...call } }, asked);
}

const SEARCHES = {
  search_messages: searchMessages,
  search_channel_messages: searchChannelMessages,
  search_user_messages: searchUserMessages,
  search_thread_messages: searchThreadMessages,
};

/** A search that may answer a question. What follows a question changes one part of it. */
export interface SearchPlan {
  readonly tool: keyof typeof SEARCHES;
  /** The words to look for; empty for whatever somebody said, or was said in a thread. */
  readonly topic: string;
  readonly person: string | null;
  readonly channel: string | null;
  /** In words of the tools. */
  readonly time: string | null;
  readonly wanted: Wanted;
}

/** In a channel that is named, and everywhere otherwise: the search itself weighs what was said here more. */
export function toSearchPlan({ slots, text }: Asked): SearchPlan {
  const { place: channel, isHere, time, wanted } = slots;
  const tool = channel !== null || isHere ? "search_channel_messages" : "search_messages";
  return { tool, topic: slots.topic || escapeName(text), person: null, channel, time, wanted };
}

/** The search that answered the question before; null where something else did. */
export function planOf({ tool, args }: Turn): SearchPlan | null {
  return Object.hasOwn(SEARCHES, tool) && "wanted" in args ? (args as unknown as SearchPlan) : null;
}

export type Searched = Awaited<ReturnType<typeof runSearch>>;

const LIMIT = 40;
const MAX_PASSAGES = 3;
const MAX_QUERY_LENGTH = 500;
/** A time that ended: it has an end as well as a beginning. */
const CLOSED = /^(?:yesterday|this morning|the day before yesterday|last |(?:the )?past (?:week|month|year|weekend))/iu;
const MIN_SAID = 0.8;

/** The person who was found is the one who was named, and not one with a similar name. */
export function isMeant(person: NamedPerson | null, who: string): boolean {
  const words = foldBare(person?.name ?? "").split(/[^\p{L}\p{N}]+/u);
  return (person?.id != null && who.includes(person.id)) || words.includes(foldBare(who));
}

export type NamedPerson = { readonly id?: string | null | undefined; readonly name: string };

/** `except`: shown before. Throws as the tools do. */
export async function runSearch(plan: SearchPlan, asked: Asked, except?: ReadonlySet<string>) {
  const { language, question, toolbox, now, slots } = asked;
  const { tool, wanted, channel, time } = plan;
  const query = glossed(plan.topic, language).slice(0, MAX_QUERY_LENGTH);
  const isOfPerson = tool === "search_user_messages";
  const found = await toolbox.call(SEARCHES[tool] as typeof searchMessages, {
    ...(isOfPerson && { user_name: plan.person }),
    ...(query !== "" && { query }),
    ...(channel !== null && tool !== "search_thread_messages" && { channel }),
    ...(time !== null && toTimes(time)),
    limit: LIMIT,
  });
  const authors = found.hits.flatMap(({ message, around }) => [message, ...around]).map(({ author }) => author);
  const said = isOfPerson ? authors[0] : authors.find((author) => plan.person !== null && isMeant(author, plan.person));
  const person = said ?? null;
  const topic = toTopicWords(plan.topic, language);
  const request = { ...question, topic, language, wanted, now, isLatest: slots.isLatest };
  // A person's latest words about something count.
  const isNewestFirst = (person !== null && wanted === "said") || topic.length === 0;
  const more = { by: person?.id ?? plan.person, isNewestFirst, ...(except && { except }) };
  const passages = pickPassages(found.hits, { ...request, ...more }).slice(0, MAX_PASSAGES);
  const isSaid = isOfPerson && wanted === "said" && (passages[0]?.coverage ?? 0) >= MIN_SAID;
  const met = found.hits.filter((hit) => hit.words_in_message !== "none").map(({ message }) => message.message_id);
  return { plan, passages, met, isSure: isSaid || isSure(passages, request), person, reach: reachOf(found) };
}

export function toTimes(time: string): { readonly since: string; readonly until?: string } {
  return { since: time.replace(/^since /iu, ""), ...(CLOSED.test(time) && { until: time }) };
}

export async function answerBySearch(plan: SearchPlan, asked: Asked): Promise<AgentAnswer> {
  return sayFound(await runSearch(plan, asked), asked);
}

const MAX_FIRST_LENGTH = 600;
const MAX_OTHER_LENGTH = 300;

/** One quotation where it answers; otherwise the closest, each with what makes it understandable. */
export async function sayFound(searched: Searched, asked: Asked): Promise<AgentAnswer> {
  const { passages, isSure, reach, plan, person } = searched;
  const citations = new Citations();
  const say = (passage: SaidPassage, maxLength: number) => {
    const quoted = { ...passage, words: shownWords(passage, maxLength), isNamed: plan.wanted === "who" };
    return composeQuote(quoted, citations.message(passage.message), asked);
  };
  const sayBeside = (beside: Message | null, arrow: "↑" | "↓") => {
    if (!beside || wordsOf(beside) === "") return [];
    return [`${composeContext(beside, wordsOf(beside), arrow)} [${citations.message(beside, "context")}]`];
  };
  const lines = isSure
    ? // A person's own words answer, all that are shown.
      passages
        .filter((one, index) => index === 0 || (person ? one.coverage >= MIN_SAID : one.isEarlier))
        .map((one) => say(one, MAX_OTHER_LENGTH))
    : passages.flatMap((one, index) => [
        `- ${say(one, index === 0 ? MAX_FIRST_LENGTH : MAX_OTHER_LENGTH)}`,
        ...sayBeside(one.before, "↑"),
        ...sayBeside(one.after, "↓"),
      ]);
  const found = { lines, isSure, reach, citations, call: toCall(searched) };
  if (lines.length > 0) return linesAnswer(found, asked);
  const none = await sayNothingFound(searched, asked);
  return linesAnswer({ ...found, none, reach: { ...reach, where: sayWhere(plan, asked) } }, asked);
}

function toCall({ plan, person, passages }: Searched) {
  const shown = passages.map(({ message }) => message);
  const authors = new Map(shown.map(({ author }) => [author.id, author]));
  const named = person ? [person] : [...authors.values()];
  const people = (plan.wanted === "who" ? named.slice(0, 1) : named).map(({ id, name }) => ({ id, name }));
  return { tool: plan.tool, args: { ...plan }, people, shown };
}

async function sayNothingFound({ plan, person }: Searched, asked: Asked): Promise<string> {
  const { says } = asked.language;
  if (plan.tool === "search_user_messages")
    return sayNoneFrom(person?.name ?? (await nameOf(plan.person ?? "", asked)), plan.topic, asked);
  return plan.topic === "" ? says.noneInThread : says.noneMatching(escapeName(plan.topic));
}

function sayWhere({ tool, channel }: SearchPlan, { question, language: { says } }: Asked): string {
  if (channel === null && !/channel|thread/u.test(tool)) return says.everywhere;
  const typed = channel ?? (question.guildId && `<#${question.channelId}>`);
  return typed?.startsWith("<") ? says.inPlace(escapeName(typed)) : composePlace(typed?.replace("#", "") ?? null, says);
}

export function sayNoneFrom(name: string, topic: string, { language: { says } }: Asked): string {
  const who = escapeName(name);
  return topic === "" ? says.noneFrom(who) : says.noneFromAbout(who, escapeName(topic));
}

/** A pronoun stands for an id, which nobody can read. */
async function nameOf(person: string, { question }: Asked): Promise<string> {
  if (person === "me") return question.actor.name;
  const people = /^\d+$/.test(person) ? (await question.before())?.people : undefined;
  return people?.find(({ id }) => id === person)?.name ?? person;
}
