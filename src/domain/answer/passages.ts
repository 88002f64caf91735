import type { Language, Wanted } from "../../language/language.ts";
import { ENGLISH } from "../../language/languages.ts";
import { compareIds } from "../ids.ts";
import type { Message } from "../message.ts";
import { toStem } from "../search/stem.ts";
import { toQueryTerms, toTerms, toWords } from "../search/terms.ts";
import { tellsTime } from "../search/time-question.ts";
import { allowedTypos, typosBetween } from "../search/typos.ts";
import { evidenceAmong, type Unwanted } from "./echoes.ts";
import { isQuestion, toSentences } from "./message-form.ts";

export interface FoundHit {
  readonly message: Message;
  readonly channel: { readonly name: string | null };
  /** The question put to the agent that it answers. */
  readonly question?: Message | null;
  readonly around: readonly Message[];
}

/** Something that was said and may answer, with what makes it understandable. */
export interface SaidPassage {
  readonly message: Message;
  /** Null in direct messages. */
  readonly place: string | null;
  /** What it says, without the name of whom it was said to. */
  readonly text: string;
  readonly sentences: readonly string[];
  /** Which of them is most about what is asked. */
  readonly best: number;
  /** What it answers. */
  readonly before: Message | null;
  /** What was replied to it. */
  readonly after: Message | null;
  /** How much of what is asked it is about, 0 to 1, with what it answers. */
  readonly coverage: number;
  /** How much of that its best sentence says, with what it answers. */
  readonly stated: number;
  /** Which words of the topic it says itself. */
  readonly said: ReadonlySet<number>;
  /** It asks itself, and nothing that was found answers it; or it only names what is asked about, and tells nothing of it. */
  readonly asks: boolean;
  /** Something later corrects it. */
  readonly isEarlier: boolean;
}

export interface PassageRequest extends Unwanted {
  readonly topic: Topic;
  /** Of the question; what was said may also be in English. */
  readonly language: Pick<Language, "asks" | "counted">;
  /** Only what this person wrote; what others wrote is context. */
  readonly by?: string | null;
  readonly wanted: Wanted;
  readonly isLatest?: boolean;
  /** Of what is about it equally, the latest comes first. */
  readonly isNewestFirst?: boolean;
  readonly except?: ReadonlySet<string>;
}

/** What a hit is about besides its own words. */
const CONTEXT_COUNTS = 0.8;
const SAME_COVERAGE = 0.85;
const ANSWERED_WITHIN_MS = 30 * 60_000;
/** What was found further down may be about something else. */
const CORRECTED_AMONG = 6;
// How much the place in the search counts beside what a passage is about. Found on questions about rooms of Discord.
const RANK_COUNTS = 1.5;
const RANK_HALF = 8;

/** The best passages of a search: the answer to a question that was found instead of the question. */
export function pickPassages(hits: readonly FoundHit[], request: PassageRequest): SaidPassage[] {
  const toPassage = readHits(hits, request);
  const seen = new Set<string>();
  const passages = hits.flatMap((hit, rank) => {
    const passage = toPassage(hit);
    if (!passage) return [];
    const text = passage.text.toLowerCase();
    const isCopy = seen.has(text);
    seen.add(text);
    // It was found by what stands around it, and has nothing of what is asked.
    const isOther = request.topic.length > 0 && passage.coverage === 0;
    if (isCopy || isOther || passage.sentences.length === 0) return [];
    const value = valuesIn(passage.sentences[passage.best] ?? "", request)?.length ? 1 : 0;
    const worth = passage.coverage + value - (passage.asks ? 1 : 0) + RANK_COUNTS / (1 + rank / RANK_HALF);
    return [{ passage, worth }];
  });
  // What is about all of it is about it equally, and so is the rest.
  const levelOf = ({ coverage, asks }: SaidPassage) => (asks ? 0 : coverage >= SAME_COVERAGE ? 2 : 1);
  const byLevel = (a: SaidPassage, b: SaidPassage) =>
    levelOf(b) - levelOf(a) || compareIds(b.message.message_id, a.message.message_id);
  if (request.isNewestFirst) return passages.map(({ passage }) => passage).sort(byLevel);
  const byWorth = passages.sort((a, b) => b.worth - a.worth).map(({ passage }) => passage);
  return correct(byWorth, request);
}

type ValueRequest = Pick<PassageRequest, "text" | "language" | "wanted">;

/** What a sentence tells of the number, time or name that is asked for, beside what the question says itself; null where none is asked for. */
export function valuesIn(sentence: string, { text, language, wanted }: ValueRequest): string[] | null {
  if (wanted === "name") return (sentence.match(NAMES) ?? []).filter((name) => !tellsTime(name.toLowerCase()));
  if (wanted !== "when" && wanted !== "how_many") return null;
  const asked = new Set(toValueWords(text));
  const numberOf = (word: string) => Number(language.counted.get(word) ?? ENGLISH.counted.get(word));
  const isTold = (word: string) => (wanted === "when" ? tellsTime(word) || TIMES.test(word) : numberOf(word) > 1);
  return toValueWords(sentence).filter((word) => !asked.has(word) && (/\p{Nd}/u.test(word) || isTold(word)));
}

/** A long quotation is no name. */
const NAMES = /(?<=[\p{L}\p{N},:)] )(?!I\b|OK\b)\p{Lu}\p{Ll}+|["“'][^"”']{2,25}["”']/gu;
const TIMES = /^(?:noon|midnight|week|month|year|\p{L}+day)$/u;

function toValueWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.replace(/s$/u, ""));
}

interface Words extends Pick<SaidPassage, "text" | "sentences" | "best"> {
  readonly stems: ReadonlySet<string>;
}

const NO_WORDS: ReadonlySet<string> = new Set();

function readHits(hits: readonly FoundHit[], request: PassageRequest): (hit: FoundHit) => SaidPassage | null {
  const { agent, by, except } = request;
  const markup = new RegExp(`<@!?${agent.id}>[,:]?\\s*|\\*\\*|__|~~`, "gu");
  const talk = hits
    .flatMap(({ message, around }) => [message, ...around])
    .sort((a, b) => compareIds(a.message_id, b.message_id));
  const evidence = new Set(evidenceAmong(talk, request));
  const texts = hits.map(({ message }) => stemsOf(textOf(message)));
  const topic = withTypos(request.topic, texts);
  const weights = weighWords(topic, texts);
  const wordsByMessage = new Map<Message, Words>();
  return toPassage;

  /** A hit as it is shown: a question gives way to what answers it, in a reply or said next. */
  function toPassage({ message, channel, question = null }: FoundHit): SaidPassage | null {
    const isAsked = asks(message);
    const said = isAsked ? talk.filter((one) => isWanted(one) && !asks(one)) : [];
    const answer = said.find((one) => isReply(one, message)) ?? said.find((one) => isNext(one, message));
    const shown = answer ?? message;
    if (!isWanted(shown)) return null;
    const before = answer ? message : (question ?? talk.find((one) => isReply(shown, one)) ?? null);
    const after = talk.find((one) => isReply(one, shown)) ?? null;
    return measure({ message: shown, place: channel.name, before, after, asks: isAsked && !answer });
  }

  function measure(found: Pick<SaidPassage, "message" | "place" | "before" | "after" | "asks">): SaidPassage {
    const { message, place, before } = found;
    const { stems, ...words } = read(message);
    const placed = stemsOf(place?.replaceAll("-", " ") ?? "");
    const asked = before ? read(before).stems : NO_WORDS;
    // What was said next may be about something else: only a reply answers for certain.
    const answered = before && isNext(message, before) ? NO_WORDS : asked;
    const own = stemsOf(words.sentences[words.best] ?? "");
    const coverage = weigh(stems, stemsOf(message.author.name).union(placed).union(asked));
    // In #tideboard, "the demo is on the 26th" need not say of what.
    const stated = weigh(own, topic.some((word) => isIn(word, own)) ? placed.union(answered) : answered);
    const said = new Set(topic.flatMap((word, index) => (isIn(word, stems) ? [index] : [])));
    const told = toWords(words.text).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
    const isBare = told.length <= said.size && !told.some(({ isDense }) => isDense);
    return { ...found, ...words, coverage, stated, said, asks: found.asks || isBare, isEarlier: false };
  }

  function isWanted(message: Message): boolean {
    const isBy = by == null || message.author.id === by;
    return isBy && evidence.has(message) && !except?.has(message.message_id);
  }

  function asks(message: Message): boolean {
    const { sentences, best } = read(message);
    return isQuestion(sentences[best] ?? "");
  }

  /** How the agent is addressed says nothing. */
  function textOf(message: Message): string {
    return wordsOf(message).replaceAll(markup, "").trim();
  }

  function read(message: Message): Words {
    const known = wordsByMessage.get(message);
    if (known) return known;
    const text = textOf(message);
    const files = message.attachments.map(({ filename }) => filename.replaceAll(/[_.-]+/gu, " "));
    // Code and quotations are no sentences, but all that a message may say.
    const said = toSentences(text);
    const sentences = said.length > 0 || text === "" ? said : [text];
    const grades = sentences.map((one) => weigh(stemsOf(one)));
    const best = Math.max(0, grades.indexOf(Math.max(...grades)));
    const words = { text, stems: stemsOf([text, ...files].join(" ")), sentences, best };
    wordsByMessage.set(message, words);
    return words;
  }

  /** How much of what is asked a text is about, 0 to 1. Words that only stand in `beside` count less. */
  function weigh(text: ReadonlySet<string>, beside = NO_WORDS): number {
    const counted = topic.map((word) => (isIn(word, text) ? 1 : isIn(word, beside) ? CONTEXT_COUNTS : 0));
    return counted.reduce<number>((sum, count, index) => sum + count * (weights[index] ?? 0), 0);
  }
}

function isReply({ reply_to }: Message, { message_id }: Message): boolean {
  return reply_to?.message_id === message_id;
}

/** Said soon after it by somebody else, and in reply to nothing. */
function isNext(one: Message, { ts, channel_id, author }: Message): boolean {
  const after = Date.parse(one.ts) - Date.parse(ts);
  const isSoon = after >= 0 && after < ANSWERED_WITHIN_MS && one.channel_id === channel_id;
  return isSoon && one.reply_to === null && one.author.id !== author.id;
}

/** What somebody wrote themselves: what is forwarded was said by somebody else. */
export function wordsOf({ parts }: Message): string {
  const own = parts.flatMap(({ kind, text }) => (kind === "forward" ? [] : [text]));
  return own.join("\n").replaceAll(SPOILER, "▒▒▒");
}

const SPOILER = /\|\|(?!\|)[^|]{1,2000}\|\|/gu;

/** What somebody said first that was no question, or else their first words; empty for a message without words. */
export function leadOf(message: Message, isTold: (sentence: string) => boolean = (one) => !isQuestion(one)): string {
  const sentences = toSentences(wordsOf(message));
  return sentences.find(isTold) ?? sentences[0] ?? "";
}

/** What corrects something comes before all that is about as much of what is asked, with what it corrects next to it. */
function correct(passages: readonly SaidPassage[], request: PassageRequest): SaidPassage[] {
  const top = passages.slice(0, CORRECTED_AMONG);
  const correctedBy = (later: SaidPassage) => top.filter((earlier) => isCorrection(later, earlier, request));
  const corrected = new Set(top.flatMap(correctedBy));
  const least = (top[0]?.coverage ?? 0) * SAME_COVERAGE;
  const first = top.find((one) => one.coverage >= least && !corrected.has(one) && correctedBy(one).length > 0);
  const ordered = new Set([...(first ? [first, ...correctedBy(first)] : []), ...passages]);
  return [...ordered].map((one) => ({ ...one, isEarlier: corrected.has(one) }));
}

function isCorrection(one: SaidPassage, earlier: SaidPassage, { isLatest, language }: PassageRequest): boolean {
  const isLater = compareIds(one.message.message_id, earlier.message.message_id) > 0;
  if (!isLater || one.message.channel_id !== earlier.message.channel_id) return false;
  if (one.coverage < earlier.coverage * SAME_COVERAGE || one.said.isDisjointFrom(earlier.said)) return false;
  return isLatest || has(one, "corrects", language);
}

/** How much of a passage is shown: all of it where it fits, or what stands around its best sentence. */
export function shownWords({ text, sentences, best }: SaidPassage, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let [from, to] = [best, best + 1];
  const lengthOf = (start: number, end: number) => sentences.slice(start, end).join(" ").length;
  while (to < sentences.length && lengthOf(from, to + 1) <= maxLength) to += 1;
  while (from > 0 && lengthOf(from - 1, to) <= maxLength) from -= 1;
  return `${from > 0 ? "… " : ""}${sentences.slice(from, to).join(" ")}${to < sentences.length ? " …" : ""}`;
}

/** Whether the first is an answer, and not only the closest that was found: a wrong one is worse than none. */
export function isSure(
  [first, ...others]: readonly SaidPassage[],
  request: Pick<PassageRequest, "agent" | "topic"> & ValueRequest & { readonly now: number },
): boolean {
  const { agent, language, topic, wanted, now } = request;
  const sentence = first?.sentences[first.best];
  // What the agent posted may name examples of questions, or repeat what others said.
  if (!first || sentence === undefined || isQuestion(sentence) || first.message.author.id === agent.id) return false;
  const told = valuesIn(sentence, request);
  if (has(first, "unsure", language) || told?.length === 0 || !SURE_OF.has(wanted)) return false;
  const own = stemsOf(sentence);
  // It has nothing of what is asked itself: then it answers all of it.
  if (first.stated < MIN_ANSWERED && !topic.some((word) => isIn(word, own))) return false;
  const rival = others.find(
    (one) => !one.isEarlier && !(told && isSaidBy(told, valuesIn(one.sentences[one.best] ?? "", request))),
  );
  const isAlone = !rival || first.coverage - rival.coverage >= MIN_LEAD;
  return isAlone && first.stated >= MIN_STATED && now - Date.parse(first.message.ts) < MAX_AGE_MS;
}

/** Whether another message tells values, and none that the sentence does not tell: "the 26th, not the 25th" and "it is the 26th". */
function isSaidBy(told: readonly string[], repeated: readonly string[] | null): boolean {
  return repeated !== null && repeated.length > 0 && repeated.every((value) => told.includes(value));
}

/** A reason, a person, a yes or no may answer another question. */
const SURE_OF: ReadonlySet<Wanted> = new Set(["said", "name", "when", "where", "how_many"]);
// Found on questions about rooms of Discord.
const MIN_LEAD = 0.165;
const MIN_STATED = 0.4;
const MIN_ANSWERED = 0.75;
const MAX_AGE_MS = 120 * 86_400_000;

function has({ sentences, best }: SaidPassage, what: "unsure" | "corrects", language: Pick<Language, "asks">): boolean {
  return [language, ENGLISH].some(({ asks }) => asks[what].test(sentences[best] ?? ""));
}

/** The words of what is asked for, each with all stems that stand for it, its own last. */
export type Topic = readonly (readonly string[])[];

/** A word of another language counts by what it means in English, too: a community writes mostly in one language. */
export function toTopicWords(topic: string, { glossary }: Pick<Language, "glossary">): Topic {
  const { rest, meant } = glossary(topic);
  const glossed = meant.map(({ written, english }) => [...english.map(toStem), ...toQueryTerms(written)]);
  const terms = toQueryTerms(rest);
  // Others write neighbours as one word: "time zone" is "timezone".
  const joined = (first = "", second = "") => toStem(first + second);
  const own = terms.map((stem, at) => [joined(terms[at - 1], stem), joined(stem, terms[at + 1]), stem]);
  return [...glossed, ...own];
}

export function glossed(topic: string, { glossary }: Pick<Language, "glossary">): string {
  const english = glossary(topic).meant.flatMap((word) => word.english);
  return [topic, ...new Set(english)].join(" ").trim();
}

/** Words joined with their neighbours among them. */
export function stemsOf(text: string): ReadonlySet<string> {
  const words = toWords(text);
  const joined = words.slice(1).map((word, index) => toStem((words[index]?.text ?? "") + word.text));
  return new Set([...words.flatMap((word) => toTerms(word).map(({ term }) => term)), ...joined]);
}

/** In shorter words, a typo makes another word: "launch" is not "lunch". */
const MIN_MISTYPED_LENGTH = 7;

/** With the words of the texts that a word of the topic, which is in none of them, is a misspelling of. */
function withTypos(topic: Topic, texts: readonly ReadonlySet<string>[]): Topic {
  const isTypo = (word: string, stem: string) =>
    word.length >= MIN_MISTYPED_LENGTH && typosBetween(word, stem, allowedTypos(word)) !== null;
  return topic.map((word) => {
    if (texts.some((text) => isIn(word, text))) return word;
    const known = new Set(texts.flatMap((text) => [...text]));
    return [...known].filter((stem) => isTypo(word.at(-1) ?? "", stem)).concat(word);
  });
}

export function isIn(stems: readonly string[], text: ReadonlySet<string>): boolean {
  return stems.some((stem) => text.has(stem));
}

/** How much each word counts, together 1: rare ones more. One that occurs nowhere counts as the rarest. */
function weighWords(topic: Topic, texts: readonly ReadonlySet<string>[]): number[] {
  const weights = topic.map((word) => {
    const count = Math.max(1, texts.filter((text) => isIn(word, text)).length);
    return MIN_WEIGHT + Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

const MIN_WEIGHT = 0.4;
