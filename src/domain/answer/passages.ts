import type { Language, Wanted } from "../../language/language.ts";
import { ENGLISH } from "../../language/languages.ts";
import { compareIds } from "../ids.ts";
import type { Message } from "../message.ts";
import { isStopWord } from "../search/stop-words.ts";
import { findCues } from "../summary/cue-phrases.ts";
import { EvidenceJudge, type Unwanted } from "./echoes.ts";
import { isQuestion, toSentences } from "./sentences.ts";
import { isIn, stemsOf, type Topic, weighWords, withTypos } from "./topic.ts";

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
  /** In order; none for a message without words. */
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
  /** It asks itself, and nothing that was found answers it. */
  readonly asks: boolean;
  /** Something later corrects it. */
  readonly isEarlier: boolean;
}

export interface PassageRequest extends Unwanted {
  readonly topic: Topic;
  /** Of the question; what was said may also be in English. */
  readonly language: Pick<Language, "asks">;
  /** Only what this person wrote; what others wrote is context. */
  readonly by?: string | null;
  readonly wanted: Wanted;
  /** Asks for what holds now. */
  readonly isLatest?: boolean;
  /** Of what is about it equally, the latest comes first. */
  readonly isNewestFirst?: boolean;
  /** Shown before. */
  readonly except?: ReadonlySet<string>;
}

/** What a hit is about besides its own words. */
const CONTEXT_COUNTS = 0.8;
/** As much about it as the best. */
const SAME_COVERAGE = 0.85;
const ANSWERED_WITHIN_MS = 30 * 60_000;
const MIN_COPY_LENGTH = 20;
/** What was found further down may be about something else. */
const CORRECTED_AMONG = 6;

/** The best passages of a search: the answer to a question that was found instead of the question. */
export function pickPassages(hits: readonly FoundHit[], request: PassageRequest): SaidPassage[] {
  const picker = new Picker(hits, request);
  const seen = new Set<string>();
  const passages = hits.flatMap((hit, rank) => {
    const found = request.except?.has(hit.message.message_id) ? null : picker.toAnswer(hit);
    if (!found) return [];
    const passage = picker.measure(found);
    const text = passage.text.toLowerCase();
    const isCopy = seen.has(found.message.message_id) || (text.length > MIN_COPY_LENGTH && seen.has(text));
    seen.add(found.message.message_id).add(text);
    // It was found by what stands around it, and has nothing of what is asked.
    const isOther = request.topic.length > 0 && passage.coverage === 0;
    if (isCopy || isOther || passage.sentences.length === 0) return [];
    return [{ passage, worth: passage.worth + RANK_COUNTS / (1 + rank / RANK_HALF) }];
  });
  if (!request.isNewestFirst)
    return correct(
      passages.sort((a, b) => b.worth - a.worth).map(({ passage }) => passage),
      request,
    );
  // What is about all of it is about it equally, and so is the rest.
  const levelOf = ({ coverage, asks }: SaidPassage) => (asks ? 0 : coverage >= SAME_COVERAGE ? 2 : 1);
  return passages
    .map(({ passage }) => passage)
    .sort((a, b) => levelOf(b) - levelOf(a) || compareIds(b.message.message_id, a.message.message_id));
}

// How good a passage is: by its place in the search, by how much of what is asked it is about, by whether it tells what kind of thing is asked for, and by
// whether it says what was decided. Found on questions about rooms of Discord and about the sample community.
const RANK_COUNTS = 1.5;
const RANK_HALF = 8;
const ASKED_COUNTS = 0.4;
const VALUE_COUNTS = 0.8;
const BARE_COUNTS = 0.3;
const DECISION_COUNTS = 0.3;
const MAX_BARE_LENGTH = 60;
const MIN_TELLING_WORDS = 2;
/** What a sentence has that tells a number, a time or a name. */
const VALUES: Partial<Record<Wanted, RegExp>> = {
  how_many: /\p{Nd}/u,
  when: /\p{Nd}|(?<![\p{L}])(?:noon|midnight|tomorrow|tonight|\p{L}+day|week|month|year)s?(?![\p{L}])/iu,
  name: /(?<=[\p{L}\p{N},:)] )(?!I\b|OK\b)\p{Lu}\p{Ll}+|["“'][^"”']{2,40}["”']/u,
};

type Found = Pick<SaidPassage, "message" | "place" | "before" | "after" | "asks">;

interface Words {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  readonly sentences: readonly { readonly text: string; readonly stems: ReadonlySet<string> }[];
  /** Which sentence is most about what is asked; of equal ones, one that states something. */
  readonly best: number;
}

const NO_WORDS: ReadonlySet<string> = new Set();

/** The hits of one search, as they are compared with what is asked. */
class Picker {
  readonly #hits: readonly FoundHit[];
  readonly #request: PassageRequest;
  readonly #judge: EvidenceJudge;
  readonly #topic: Topic;
  readonly #weights: readonly number[];
  readonly #words = new Map<Message, Words>();

  constructor(hits: readonly FoundHit[], request: PassageRequest) {
    this.#hits = hits;
    this.#request = request;
    this.#judge = new EvidenceJudge(request);
    for (const { message, around } of hits) for (const one of [message, ...around]) this.#judge.see(one);
    const texts = hits.map(({ message }) => stemsOf(this.#textOf(message)));
    this.#topic = withTypos(request.topic, texts);
    this.#weights = weighWords(this.#topic, texts);
  }

  /** A hit as it is shown: a question gives way to what answered it, if anything did. */
  toAnswer({ message, channel, question = null, around }: FoundHit): Found | null {
    const place = channel.name;
    // What was found itself stands around no other hit.
    const others = this.#hits.map((hit) => hit.message).filter((one) => one.channel_id === message.channel_id);
    const talk = [...new Map([...around, ...others].map((one) => [one.message_id, one])).values()]
      .filter(({ message_id }) => message_id !== message.message_id)
      .sort((a, b) => compareIds(a.message_id, b.message_id));
    const replyTo = ({ message_id }: Message) =>
      talk.find(({ reply_to }) => reply_to?.message_id === message_id) ?? null;
    if (!this.#asks(message) && this.#isWanted(message)) {
      const replied = talk.find(({ message_id }) => message_id === message.reply_to?.message_id);
      const before = question ?? replied ?? this.#askedBefore(message, talk);
      return { message, place, before, after: replyTo(message), asks: false };
    }
    const said = talk.filter((one) => this.#isWanted(one) && !this.#asks(one));
    const answer =
      said.find(({ reply_to }) => reply_to?.message_id === message.message_id) ??
      said.find((one) => isNext(one, message));
    if (answer) return { message: answer, place, before: message, after: replyTo(answer), asks: false };
    return this.#isWanted(message) ? { message, place, before: null, after: null, asks: true } : null;
  }

  measure(found: Found): SaidPassage & { readonly worth: number } {
    const { message, place, before, asks } = found;
    const { text, stems, best, ...read } = this.#read(message);
    const placed = stemsOf(place?.replaceAll("-", " ") ?? "");
    const beside = stemsOf(message.author.name).union(placed);
    const own = read.sentences[best]?.stems ?? NO_WORDS;
    const asked = before ? this.#read(before).stems : NO_WORDS;
    // What was said next may be about something else: only a reply answers for certain.
    const answered = before && isReply(message, before) ? asked : NO_WORDS;
    const coverage = this.#weigh(stems, beside.union(asked));
    const sentences = read.sentences.map((sentence) => sentence.text);
    const worth =
      coverage +
      (before && this.#asks(before) ? ASKED_COUNTS * this.#weigh(asked) : 0) +
      (VALUES[this.#request.wanted]?.test(sentences[best] ?? "") ? VALUE_COUNTS : 0) +
      (findCues(text).isDecision ? DECISION_COUNTS : 0) -
      (asks ? 1 : before === null && this.#isBare(text) ? BARE_COUNTS : 0);
    // In #tideboard, "the demo is on the 26th" need not say of what.
    const stated = this.#weigh(own, this.#find(own).size > 0 ? placed.union(answered) : answered);
    return { ...found, text, sentences, best, coverage, stated, said: this.#find(stems), isEarlier: false, worth };
  }

  #isWanted(message: Message): boolean {
    const { by, except } = this.#request;
    const isBy = by == null || message.author.id === by;
    return this.#judge.isEvidence(message) && isBy && !except?.has(message.message_id);
  }

  /** What it says about it is a question. */
  #asks(message: Message): boolean {
    const { sentences, best } = this.#read(message);
    return isQuestion(sentences[best]?.text ?? "");
  }

  #askedBefore(message: Message, talk: readonly Message[]): Message | null {
    const isBefore = (one: Message) => compareIds(one.message_id, message.message_id) < 0;
    const last = talk.findLast((one) => isBefore(one) && one.author.id !== message.author.id);
    return last && this.#asks(last) && isNext(message, last) ? last : null;
  }

  /** How the agent is addressed says nothing. */
  #textOf(message: Message): string {
    const call = new RegExp(`<@!?${this.#request.agent.id}>[,:]?\\s*`, "gu");
    return wordsOf(message)
      .replaceAll(call, "")
      .replaceAll(/\*\*|__|~~/gu, "")
      .trim();
  }

  #read(message: Message): Words {
    const known = this.#words.get(message);
    if (known) return known;
    const text = this.#textOf(message);
    const files = message.attachments.map(({ filename }) => filename.replaceAll(/[_.-]+/gu, " "));
    // Code and quotations are no sentences, but all that a message may say.
    const said = toSentences(text);
    const sentences = (said.length > 0 || text === "" ? said : [text]).map((sentence) => {
      return { text: sentence, stems: stemsOf(sentence) };
    });
    const grades = sentences.map((one) => this.#weigh(one.stems) - (isQuestion(one.text) ? 0.01 : 0));
    const best = Math.max(0, grades.indexOf(Math.max(...grades)));
    const words = { text, stems: stemsOf([text, ...files].join(" ")), sentences, best };
    this.#words.set(message, words);
    return words;
  }

  /** Which words of the topic a text has. */
  #find(text: ReadonlySet<string>): ReadonlySet<number> {
    return new Set(this.#topic.flatMap((word, index) => (isIn(word, text) ? [index] : [])));
  }

  /** How much of what is asked a text is about, 0 to 1. Words that only stand in `beside` count less. */
  #weigh(text: ReadonlySet<string>, beside = NO_WORDS): number {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0) || 1;
    const counted = this.#topic.map((word) => (isIn(word, text) ? 1 : isIn(word, beside) ? CONTEXT_COUNTS : 0));
    return counted.reduce<number>((sum, count, index) => sum + count * (this.#weights[index] ?? 0), 0) / total;
  }

  /** It says hardly more than what is asked. */
  #isBare(text: string): boolean {
    if (text.length > MAX_BARE_LENGTH || /\p{Nd}/u.test(text)) return false;
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const isTelling = (word: string) => !isStopWord(word.toLowerCase()) && this.#find(stemsOf(word)).size === 0;
    return words.filter(isTelling).length < MIN_TELLING_WORDS;
  }
}

/** Said soon after it by somebody else, and in reply to nothing. */
function isNext(one: Message, question: Message): boolean {
  const after = Date.parse(one.ts) - Date.parse(question.ts);
  const isSoon = after >= 0 && after < ANSWERED_WITHIN_MS;
  return isSoon && one.reply_to === null && one.author.id !== question.author.id;
}

function isReply(message: Message, before: Message): boolean {
  return message.reply_to?.message_id === before.message_id;
}

/** What somebody wrote themselves: what is forwarded was said by somebody else. */
export function wordsOf({ parts }: Message): string {
  const own = parts.flatMap(({ kind, text }) => (kind === "forward" ? [] : [text]));
  return own.join("\n").replaceAll(SPOILER, "▒▒▒");
}

/** Who wants to know follows the link. */
const SPOILER = /\|\|(?!\|)[^|]{1,2000}\|\|/gu;

/** What somebody said first that was no question, or else their first words; empty for a message without words. */
export function leadOf(message: Message, isTold: (sentence: string) => boolean = (one) => !isQuestion(one)): string {
  const sentences = toSentences(wordsOf(message));
  return sentences.find(isTold) ?? sentences[0] ?? "";
}

/** What corrects something comes before it; and before all that is about as much of what is asked, wherever the search ranks it. */
function correct(passages: readonly SaidPassage[], request: PassageRequest): SaidPassage[] {
  const top = passages.slice(0, CORRECTED_AMONG);
  const ordered = new Map<Message, SaidPassage>();
  const place = (one: SaidPassage): void => {
    if (ordered.has(one.message)) return;
    const by = top.find((later) => isCorrection(later, one, request));
    if (by) place(by);
    ordered.set(one.message, { ...one, isEarlier: by !== undefined });
  };
  const corrects = (one: SaidPassage) => top.some((earlier) => isCorrection(one, earlier, request));
  const least = Math.max(0, ...top.map(({ coverage }) => coverage)) * SAME_COVERAGE;
  const first = top.find((one) => one.coverage >= least && corrects(one));
  for (const one of first ? [first, ...top] : top) place(one);
  return [...ordered.values(), ...passages.slice(CORRECTED_AMONG)];
}

function isCorrection(one: SaidPassage, earlier: SaidPassage, { isLatest, language }: PassageRequest): boolean {
  if (compareIds(one.message.message_id, earlier.message.message_id) <= 0) return false;
  // Both speak of the same.
  if (one.coverage < earlier.coverage * SAME_COVERAGE || one.said.isDisjointFrom(earlier.said)) return false;
  const isSamePlace = isReply(one.message, earlier.message) || one.message.channel_id === earlier.message.channel_id;
  return isSamePlace && (isLatest || has(one.sentences[one.best] ?? "", "corrects", language));
}

/** How much of a passage is shown: all of it where it fits, or what stands around its best sentence. */
export function shownWords({ text, sentences, best }: SaidPassage, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let [from, to] = [best, best + 1];
  const lengthOf = (start: number, end: number) => sentences.slice(start, end).join(" ").length;
  // What follows explains more than what comes before.
  while (to < sentences.length && lengthOf(from, to + 1) <= maxLength) to += 1;
  while (from > 0 && lengthOf(from - 1, to) <= maxLength) from -= 1;
  return `${from > 0 ? "… " : ""}${sentences.slice(from, to).join(" ")}${to < sentences.length ? " …" : ""}`;
}

export interface Certainty extends Pick<PassageRequest, "agent" | "topic" | "language" | "wanted"> {
  readonly now: number;
}

/**
 * Whether the first is an answer, and not only the closest that was found: a wrong one is worse than none. A number or a time that stands beside what was asked
 * about mostly is one; other statements if they are about all of it, and not old; a reason, a name, a yes or no may answer another question.
 */
export function isSure([first, ...others]: readonly SaidPassage[], certainty: Certainty): boolean {
  const { agent, topic, language, wanted, now } = certainty;
  const sentence = first?.sentences[first.best];
  if (!first || sentence === undefined || first.asks || isQuestion(sentence)) return false;
  // What the agent posted may name examples of questions, or repeat what others said.
  if (first.message.author.id === agent.id) return false;
  if (has(sentence, "unsure", language)) return false;
  const values = VALUES[wanted];
  const rival = others.find((other) => !values || !isSaidBy(sentence, other, values));
  const isAlone = !rival || rival.isEarlier || first.coverage - rival.coverage >= MIN_LEAD;
  const { length } = topic;
  if (wanted === "how_many" || wanted === "when") {
    const isTold = first.stated >= MIN_STATED_OF_VALUE && values?.test(sentence) === true;
    return isAlone && isTold && length >= FEW_WORDS;
  }
  if (wanted === "why" || wanted === "who" || wanted === "yes_no") return false;
  const isNew = now - Date.parse(first.message.ts) < MAX_AGE_MS;
  return isAlone && isNew && length >= MANY_WORDS && first.stated >= MIN_STATED;
}

/** Whether another message tells values, and none that the sentence does not tell: "the 26th, not the 25th" and "it is the 26th". */
function isSaidBy(sentence: string, { sentences, best }: SaidPassage, values: RegExp): boolean {
  const valuesIn = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.filter((word) => values.test(word)) ?? [];
  const [told, repeated] = [new Set(valuesIn(sentence)), valuesIn(sentences[best] ?? "")];
  return repeated.length > 0 && repeated.every((value) => told.has(value));
}

const MIN_LEAD = 0.05;
const FEW_WORDS = 2;
const MANY_WORDS = 3;
const MIN_STATED_OF_VALUE = 0.6;
const MIN_STATED = 0.8;
const MAX_AGE_MS = 60 * 86_400_000;

function has(sentence: string, what: "unsure" | "corrects", language: PassageRequest["language"]): boolean {
  return [language, ENGLISH].some(({ asks }) => asks[what].test(sentence));
}
