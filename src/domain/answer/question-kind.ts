import type { Language, QuestionWords } from "../../language/language.ts";
import type { Phrases } from "../../language/phrase.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { MESSAGE_LINK } from "../text/message-link.ts";
import { hasWords, wordsOf } from "./question-text.ts";

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
  if (!hasWords(question)) return { kind: question === "" ? "empty" : "thanks" };
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
  const person = toHeld(question, asks) ?? toPerson(question, asks);
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

/** Asks for one thing that somebody has. */
function toHeld(question: string, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, asks.held, asks);
  return found && { kind: "fact", name: found.name === "me" ? null : found.name, what: found.groups["what"] ?? "" };
}

function toFact(question: string, asks: QuestionWords): QuestionKind | null {
  const { myFact, theirFact, noNames } = asks;
  const mine = myFact.exec(question)?.groups?.["what"];
  if (mine) return { kind: "fact", name: null, what: mine };
  const joined = findNamed(question, asks.joined, asks);
  if (joined) return { kind: "fact", name: joined.name === "me" ? null : joined.name, what: JOINED };
  const { name, what } = theirFact.exec(question)?.groups ?? {};
  const isName =
    name && ![name, `${name}s`].some((each) => noNames.has(each.toLowerCase()) || isOrdinaryWord(each.toLowerCase()));
  if (!isName || !what) return null;
  return { kind: "fact", name: stripName(name), what };
}

/** As profiles from Discord call the day on which somebody joined. */
const JOINED = "joined";

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
