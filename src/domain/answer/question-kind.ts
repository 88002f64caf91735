import type { Language, QuestionWords, Wanted } from "../../language/language.ts";
import { foldWord } from "../../language/language-file.ts";
import { ENGLISH, LANGUAGES } from "../../language/languages.ts";
import type { Phrases } from "../../language/phrase.ts";
import { listStatedFacts } from "../memory/stated-fact.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { MESSAGE_LINK } from "../text/message-link.ts";
import { toSpan } from "../time/time-span.ts";

/** A question as it is compared with patterns: without the bot's name, greetings before the question, and marks around it. */
export function tidyQuestion(
  text: string,
  agent: { readonly id: string; readonly name: string },
  language: Language = ENGLISH,
): string {
  const name = agent.name.replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);
  const called = new RegExp(`^(?:(\\p{L}+)[, ]+)?@?${name}(?![\\p{L}\\p{N}])[\\s,:;!.…-]*`, "iu");
  const { greetings, thanks } = language.asks;
  const plain = text
    .slice(0, MAX_QUESTION_LENGTH)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[’ʼ`´]/gu, "'")
    .replaceAll(new RegExp(`<@!?${agent.id}>`, "gu"), " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const bare = plain
    .replace(called, (before, word: string | undefined) => {
      const isSocial = greetings.has(word?.toLowerCase() ?? "") || thanks.has(word?.toLowerCase() ?? "");
      return word === undefined ? "" : isSocial ? `${word} ` : before;
    })
    .replace(new RegExp(`[,\\s]+@?${name}[\\s?!.…\\p{ExtPict}\\u{fe0f}]*$`, "iu"), "")
    .replace(/^[¿¡\s]+/u, "")
    .replace(/(?<=[\p{L}\p{N}].*)(?:[\s?!.…？！。\p{ExtPict}]|\u{fe0f}|\u{200d})+$/u, "")
    .replace(/^[?!.…？！。]+$/u, "")
    .trim();
  return repairSpelling(bare, language);
}

/** Longer texts are no question of a form that is known; patterns would take long on them. */
const MAX_QUESTION_LENGTH = 400;
const WORD = /(?<![\p{L}\p{N}_@#<:-])[\p{L}\p{N}][\p{L}\p{M}\p{N}']*/gu;
const DRAWN_OUT = /(\p{L})\1{2,}/gu;

/** With chat spellings written out, and letters that were drawn out as often as they belong there: "whaaats up" is "what's up". */
export function repairSpelling(text: string, { spellings, vocabulary }: Language): string {
  return text.replaceAll(WORD, (written) => {
    const lower = written.toLowerCase();
    // A short one with a capital may be a name.
    const meant = written.length < 3 && written !== lower ? undefined : spellings.get(lower);
    if (meant !== undefined) return meant;
    const shorter = [lower.replaceAll(DRAWN_OUT, "$1$1"), lower.replaceAll(DRAWN_OUT, "$1")];
    return shorter.find((word) => word !== lower && (vocabulary.has(foldWord(word)) || spellings.has(word))) ?? written;
  });
}

/** The words of a question as they were typed, without marks around them. */
export function wordsOf(text: string): string[] {
  return text.match(/<[@#][!&]?\d+>|[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_'.-]*[\p{L}\p{M}\p{N}_]|[\p{L}\p{N}]/gu) ?? [];
}

/** What somebody who speaks to the bot wants. */
export type QuestionKind =
  | { readonly kind: "empty" | "thanks" | "greeting" | "help" | "about_me" | "needs_model" | "act" }
  | { readonly kind: "latest" | "shared_facts" | "thread" | "message" | "search" | "catch_up" }
  | { readonly kind: "remember" | "forget"; readonly what: string }
  /** What the person asking asked the bot before. */
  | { readonly kind: "own_questions"; readonly topic: string }
  /** `name` is null for "the bots". */
  | { readonly kind: "bots"; readonly name: string | null; readonly topic: string }
  /** `name` is "me" for the person asking, or a pronoun. */
  | { readonly kind: "person"; readonly name: string; readonly topic: string }
  /** `name` may be a pronoun. */
  | { readonly kind: "about_person"; readonly name: string }
  /** `name` is null for the person asking, and may be a pronoun. */
  | { readonly kind: "fact"; readonly name: string | null; readonly what: string };

export interface QuestionKindContext {
  readonly language: Language;
  /** The question answers a message, or was asked in the menu of one. */
  readonly hasMessage: boolean;
}

const SUM = /^(?:\p{L}+(?:'s)? ){0,3}[\d(][\d\s.,()]*(?:[-+*/x×÷^%][\d\s.,()]*)+=?$/iu;

/** In the order in which the kinds exclude each other; whatever is nothing else is a search. */
export function toQuestionKind(question: string, { language, hasMessage }: QuestionKindContext): QuestionKind {
  const { asks } = language;
  if (!/[\p{L}\p{N}]/u.test(question)) return { kind: question === "" ? "empty" : "thanks" };
  const social = toSocial(question, asks);
  if (social) return { kind: social };
  if (asks.help.test(question)) return { kind: "help" };
  if (asks.aboutMe.test(question)) return { kind: "about_me" };
  const remember = asks.remember.exec(question)?.groups?.["what"];
  if (remember) return { kind: "remember", what: remember };
  const forget = asks.forget.exec(question)?.groups?.["what"];
  if (forget) return { kind: "forget", what: forget };
  if (asks.act.test(question)) return { kind: "act" };
  if (MESSAGE_LINK.test(question)) return { kind: "message" };
  if (SUM.test(question)) return { kind: "needs_model" };
  const own = asks.askedYou.exec(question);
  if (own) return { kind: "own_questions", topic: own.groups?.["topic"] ?? "" };
  const bots = toBots(question, asks);
  if (bots) return bots;
  const person = toFactOf(question, asks.held, asks) ?? toPerson(question, asks);
  if (hasMessage && asks.aboutMessage.test(question)) return { kind: "message" };
  if (asks.latest.test(question) && !person) return { kind: "latest" };
  if (asks.sharedFacts.test(question)) return { kind: "shared_facts" };
  if (asks.catchUp.test(question) && !person) return { kind: asks.thread.test(question) ? "thread" : "catch_up" };
  // A question that is nothing else asks about a message even if none is named: the one before it.
  if (asks.aboutMessage.exec(question)?.[0] === question) return { kind: "message" };
  if (person) return person;
  if (asks.thread.test(question)) return { kind: "thread" };
  if (asks.needsModel.test(question)) return { kind: "needs_model" };
  return toFact(question, asks) ?? toAboutPerson(question, asks) ?? { kind: "search" };
}

/** Whether every word belongs to thanking, or to greeting. */
export function toSocial(
  question: string,
  { thanks, greetings, fillers, smallTalk, requests, help, catchUp, wanted }: QuestionWords,
): "thanks" | "greeting" | null {
  const words = wordsOf(question).map((word) => word.toLowerCase());
  if (words.length > MAX_SOCIAL_WORDS) return null;
  const isSocial = (word: string) => thanks.has(word) || LAUGHTER.test(word);
  if (!words.every((word) => isSocial(word) || greetings.has(word) || fillers.has(word))) return null;
  if (
    words.some((word) => greetings.has(word)) &&
    !words.some((word) => thanks.has(word) && !greetings.has(word) && !fillers.has(word))
  )
    return "greeting";
  if (smallTalk.test(question)) return "greeting";
  const isAsked =
    [requests, help, catchUp].some((pattern) => pattern.test(question)) ||
    wanted.some(([pattern, each]) => each !== "yes_no" && pattern.test(question));
  return !isAsked && (words.some(isSocial) || words.length <= MAX_REMARK_WORDS) ? "thanks" : null;
}

const MAX_SOCIAL_WORDS = 12;
/** "haha", "jajaja", "lolol", "kkkk", "xD" */
const LAUGHTER =
  /^(?:a?(?:ha|he|hi|ho|ja|je|ah|eh){2,}[hj]?|(?:lo)+l+z?|lmf?ao+|rofl+|k{3,}|x+d+|rs(?:rs)+|ㅋ+|ㅎ+|w{3,})$/iu;
/** "got it", "will do" */
const MAX_REMARK_WORDS = 3;

/** A phrase about bots names one, or says "the bots". */
function toBots(question: string, { bots, botWords, me, pronouns }: QuestionWords): QuestionKind | null {
  for (const { groups } of bots.all(question)) {
    const name = groups?.["name"] ?? "";
    const lower = name.toLowerCase();
    const isAny = name === "" || botWords.has(lower);
    if (!isAny && (me.has(lower) || pronouns.has(lower) || isOrdinaryWord(lower))) return null;
    return { kind: "bots", name: isAny ? null : stripName(name), topic: groups?.["topic"] ?? "" };
  }
  return null;
}

function toPerson(question: string, asks: QuestionWords): QuestionKind | null {
  // When it was said may stand anywhere: "what did Sarah say last week about …".
  const timeless = asks.times
    .reduce((text, [pattern]) => text.replace(pattern, " "), question)
    .replaceAll(/\s+/gu, " ");
  const said = findNamed(question, asks.person, asks) ?? findNamed(timeless.trim(), asks.person, asks);
  if (said)
    return { kind: "person", name: said.name, topic: (said.groups["topic"] ?? said.groups["what"] ?? "").trim() };
  const did = findNamed(question, asks.deeds, asks);
  // What somebody did is said after their name; "which dentist did Lena recommend" asks for what comes first.
  const { name: typed = "" } = did?.groups ?? {};
  return (
    did && { kind: "person", name: did.name, topic: question.slice(question.indexOf(typed) + typed.length).trim() }
  );
}

/** Asks for one thing that somebody has, of these phrases. */
function toFactOf(question: string, phrases: Phrases, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, phrases, asks);
  const { what = JOINED } = found?.groups ?? {};
  return found && { kind: "fact", name: found.name === "me" ? null : found.name, what };
}

/** As profiles from Discord call the day on which somebody joined. */
const JOINED = "joined";

function toFact(question: string, asks: QuestionWords): QuestionKind | null {
  const mine = asks.myFact.exec(question)?.groups?.["what"];
  if (mine) return { kind: "fact", name: null, what: mine };
  const joined = toFactOf(question, asks.joined, asks);
  if (joined) return joined;
  const { name = "", what } = asks.theirFact.exec(question)?.groups ?? {};
  const isWord = [name, `${name}s`].some(
    (each) => asks.noNames.has(each.toLowerCase()) || isOrdinaryWord(each.toLowerCase()),
  );
  return name === "" || isWord || !what ? null : { kind: "fact", name: stripName(name), what };
}

function toAboutPerson(question: string, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, asks.aboutPerson, asks);
  return found && (found.name === "me" ? { kind: "about_me" } : { kind: "about_person", name: found.name });
}

interface NamedMatch {
  /** "me" for the person asking, a pronoun, or a name. */
  readonly name: string;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** The first phrase that fits with something that may be a name. */
function findNamed(question: string, phrases: Phrases, { me, pronouns, noNames }: QuestionWords): NamedMatch | null {
  for (const { groups = {} } of phrases.all(question)) {
    const name = stripName(groups["name"] ?? "");
    const lower = name.toLowerCase();
    if (me.has(lower)) return { name: "me", groups };
    if (pronouns.has(lower)) return { name: lower, groups };
    if (name !== "" && !noNames.has(lower) && !isOrdinaryWord(lower.replaceAll("'", ""))) return { name, groups };
  }
  return null;
}

/** "@Sarah's" is Sarah. */
export function stripName(name: string): string {
  return name.replace(/^@/u, "").replace(/(?:'s|s'|[.,:;-]+)$/iu, "");
}

/** The parts of a question that a call is made from. */
export interface Slots {
  readonly wanted: Wanted;
  /** In the words of the tools. */
  readonly time: string | null;
  /** A channel as it was named; `here` for where the question was asked. */
  readonly place: string | null;
  readonly isHere: boolean;
  /** Speaks of what was said a short while ago. */
  readonly isRecent: boolean;
  /** Asks for what holds now, or was decided in the end. */
  readonly isLatest: boolean;
  /** What is left of the question: the words to look for. */
  readonly topic: string;
}

export interface SlotContext {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
}

export function toSlots(question: string, context: SlotContext): Slots {
  const { asks } = context.language;
  const time = findTime(question, context);
  // "In this channel" names none.
  const elsewhere = asks.here.takenOut(question);
  const place = findPlace(elsewhere);
  const rest = [time?.written, place?.written].reduce<string>(
    (text, part) => (part ? text.replace(part, " ") : text),
    elsewhere,
  );
  return {
    wanted: asks.wanted.find(([pattern]) => pattern.test(question))?.[1] ?? "said",
    time: time?.words ?? null,
    place: place?.name ?? null,
    isHere: asks.here.test(question),
    isRecent: asks.recent.test(question),
    isLatest: asks.latestState.test(question),
    topic: toTopic(asks.openings.readings(rest.trim()).at(-1) ?? "", context.language),
  };
}

/** Without words that only ask. In the order typed; empty when nothing is left. */
export function toTopic(text: string, { asks, small }: Language): string {
  // In scripts without spaces the words that ask are part of what is typed.
  const spaced = asks.particles ? text.replaceAll(asks.particles, " ") : text;
  const isSmall = (word: string) =>
    small.has(word.replaceAll("'", "")) || word.split("'").every((part) => small.has(part));
  return wordsOf(spaced)
    .filter((word) => !asks.askingWords.has(word.toLowerCase()) && !isSmall(foldWord(word)))
    .join(" ");
}

interface Found {
  readonly written: string;
}

/** Only times that the tools understand. */
export function findTime(
  question: string,
  { language, now, zone }: SlotContext,
): (Found & { readonly words: string }) | null {
  for (const [pattern, english] of language.asks.times) {
    const found = pattern.exec(question);
    if (!found) continue;
    const { 0: written, groups = {} } = found;
    const words = english.replaceAll(/\{(\w+)\}/gu, (_, hole: string) => {
      const typed = (groups[hole] ?? "").toLowerCase();
      return language.counted.get(typed) ?? typed;
    });
    if (toSpan(words, { now, zone })) return { written, words };
  }
  return null;
}

const CHANNEL = /(?:\b(?:in|from|on|at|dans|en|em|aus|im) )?(<#\d{1,20}>|#[\p{L}\p{N}_-]{2,})/iu;
const NAMED_CHANNEL = /\b(?:in|from|on) (?:the )?([\p{L}\p{N}_-]{2,}(?: [\p{L}\p{N}_-]+)?) channel\b/iu;

/** A channel that is named as one: `#general`, a mention, "in the general channel". */
export function findPlace(question: string): (Found & { readonly name: string }) | null {
  const [written, name] = CHANNEL.exec(question) ?? NAMED_CHANNEL.exec(question) ?? [];
  return written === undefined || name === undefined ? null : { written, name };
}

/** A statement as a fact: a short name, and the words of the person who made it. */
interface StatedFact {
  readonly about: "me" | "server";
  readonly key: string;
  readonly value: string;
}

const MAX_KEY_LENGTH = 60;

/** "my berth is C 12" is about me: berth, C 12. What has no such form is kept whole, under its first words. */
export function toStatedFact(statement: string): StatedFact {
  for (const { asks } of LANGUAGES)
    for (const [about, phrases] of [
      ["me", asks.myStatement],
      ["server", asks.ourStatement],
    ] as const) {
      const { what: key, topic: value } = phrases.exec(statement)?.groups ?? {};
      if (key !== undefined && value !== undefined) return { about, key, value };
    }
  const [stated] = listStatedFacts(statement);
  if (stated) return { about: "me", ...stated };
  const words = statement.replace(/^(?:i(?:'m| am| have| like| prefer)?|ich|yo|je|eu) /iu, "").split(" ");
  return { about: "me", key: words.slice(0, 4).join(" ").slice(0, MAX_KEY_LENGTH), value: statement };
}
