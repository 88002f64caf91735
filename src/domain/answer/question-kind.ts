import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { MESSAGE_LINK } from "../text/message-link.ts";
import type { Language, QuestionWords } from "./languages/language-words.ts";
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
  /** `name` is "me" for the person asking, or a pronoun. `isDeed`: what they did, which others may tell. */
  | { readonly kind: "person"; readonly name: string; readonly topic: string; readonly isDeed: boolean }
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
  if (asks.needsModel.some((pattern) => pattern.test(question))) return { kind: "needs_model" };
  return toFact(question, asks) ?? toAboutPerson(question, asks) ?? { kind: "search" };
}

/** Whether every word belongs to thanking, or to greeting. */
export function toSocial(
  question: string,
  { thanks, greetings, fillers }: QuestionWords,
): "thanks" | "greeting" | null {
  const words = wordsOf(question).map((word) => word.toLowerCase());
  if (words.length > MAX_SOCIAL_WORDS) return null;
  // "thaaanks", "okkk"
  const short = (word: string) => word.replaceAll(/(\p{L})\1{2,}/gu, "$1");
  const isIn = (set: ReadonlySet<string>, word: string) => set.has(word) || set.has(short(word));
  const isSocial = (word: string) => isIn(thanks, word) || LAUGHTER.test(word);
  if (!words.every((word) => isSocial(word) || isIn(greetings, word) || isIn(fillers, word))) return null;
  if (words.some((word) => isIn(greetings, word)))
    return words.some((word) => isIn(thanks, word) && /^th|^dank|^gra|^mer|^obr/u.test(word)) ? "thanks" : "greeting";
  if (words.some(isSocial) && !ASKS.test(question)) return "thanks";
  if (SMALL_TALK.test(question)) return "greeting";
  return words.length <= MAX_REMARK_WORDS && !ASKS.test(question) ? "thanks" : null;
}

const MAX_SOCIAL_WORDS = 12;
/** "haha", "jajaja", "lolol", "kkkk", "xD" */
const LAUGHTER =
  /^(?:a?(?:ha|he|hi|ho|ja|je|ah|eh){2,}[hj]?|(?:lo)+l+z?|lmf?ao+|rofl+|k{3,}|x+d+|rs(?:rs)+|ㅋ+|ㅎ+|w{3,})$/iu;
/** "got it", "will do" */
const MAX_REMARK_WORDS = 3;
const ASKS = /^(?:what|who|when|where|why|how|which|is|are|was|do|does|did|can|help|new|info)(?![\p{L}])/iu;
const SMALL_TALK = /^(?:and |so )?(?:how are|how's it|what's up|whats up|how do you do)\b/iu;

function toBots(question: string, { bots, me, pronouns }: QuestionWords): QuestionKind | null {
  for (const pattern of bots) {
    const { groups } = pattern.exec(question) ?? {};
    const name = groups?.["name"];
    if (!groups || name === undefined) continue;
    const isAny = /\bbots?\b|\bais?\b|\bmachines\b|ボット|봇/iu.test(name);
    const lower = name.toLowerCase();
    if (!isAny && (me.has(lower) || pronouns.has(lower) || isOrdinaryWord(lower))) return null;
    return { kind: "bots", name: isAny ? null : stripName(name), topic: groups["topic"] ?? "" };
  }
  return null;
}

/** "which dentist did Lena recommend": what it is about comes first. */
const OBJECT =
  /^(?:which|what) (?!else |exactly |all |stuff |things? )(?<what>[\p{L}\p{N}' -]+?) (?:did|does|do|has|have|had|is|was) /iu;

function toPerson(question: string, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, [...asks.person, ...asks.deeds], asks);
  if (!found) return null;
  const { pattern, name, groups } = found;
  const topic = groups["topic"]?.trim() || (OBJECT.exec(question)?.groups?.["what"] ?? "");
  return { kind: "person", name, topic, isDeed: asks.deeds.includes(pattern) };
}

/** Asks for one thing that somebody has. */
function toHeld(question: string, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, asks.held ?? [], asks);
  return found && { kind: "fact", name: found.name === "me" ? null : found.name, what: found.groups["what"] ?? "" };
}

function toFact(question: string, asks: QuestionWords): QuestionKind | null {
  const { myFact, theirFact, notNames } = asks;
  const mine = myFact.exec(question)?.groups?.["what"];
  if (mine) return { kind: "fact", name: null, what: mine };
  const joined = findNamed(question, asks.joined ?? [], asks);
  if (joined) return { kind: "fact", name: joined.name === "me" ? null : joined.name, what: JOINED };
  const { name, what } = theirFact.exec(question)?.groups ?? {};
  const isName =
    name && ![name, `${name}s`].some((each) => notNames.has(each.toLowerCase()) || isOrdinaryWord(each.toLowerCase()));
  if (!isName || !what) return null;
  return { kind: "fact", name: stripName(name), what };
}

/** As profiles from Discord call the day on which somebody joined. */
const JOINED = "joined";

function toAboutPerson(question: string, asks: QuestionWords): QuestionKind | null {
  const found = findNamed(question, asks.aboutPerson ?? [], asks);
  return found && (found.name === "me" ? { kind: "about_me" } : { kind: "about_person", name: found.name });
}

interface NamedMatch {
  readonly pattern: RegExp;
  /** "me" for the person asking, a pronoun, or a name. */
  readonly name: string;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** The first pattern that matches with something that may be a name. */
function findNamed(
  question: string,
  patterns: readonly RegExp[],
  { me, pronouns, notNames }: QuestionWords,
): NamedMatch | null {
  for (const pattern of patterns) {
    const { groups } = pattern.exec(question) ?? {};
    const name = groups?.["name"] && stripName(groups["name"]);
    if (!groups || !name) continue;
    const lower = name.toLowerCase();
    if (me.has(lower)) return { pattern, name: "me", groups };
    if (pronouns.has(lower)) return { pattern, name: lower, groups };
    if (notNames.has(lower) || isOrdinaryWord(lower.replaceAll("'", ""))) continue;
    return { pattern, name, groups };
  }
  return null;
}

/** "@Sarah's" is Sarah. */
export function stripName(name: string): string {
  return name.replace(/^@/u, "").replace(/(?:'s|s'|[.,:;-]+)$/iu, "");
}
