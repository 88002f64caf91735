import type { Language, QuestionWords } from "../../language/language.ts";
import { foldWord } from "../../language/language-file.ts";
import { ENGLISH, LANGUAGES } from "../../language/languages.ts";
import type { Phrases } from "../../language/phrase.ts";
import { listStatedFacts } from "../memory/stated-fact.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { MESSAGE_LINK } from "../text/message-link.ts";
import { toSpan } from "../time/time-span.ts";
import type { AnswerContext } from "./compose.ts";

type Agent = { readonly id: string; readonly name: string };

/** A question as it is compared with patterns: without the bot's name, greetings before the question, and marks around it. */
export function tidyQuestion(text: string, agent: Agent, language: Language = ENGLISH): string {
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

export function wordsOf(text: string): string[] {
  return text.match(/<[@#][!&]?\d+>|[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_'.-]*[\p{L}\p{M}\p{N}_]|[\p{L}\p{N}]/gu) ?? [];
}

export interface QuestionKind {
  readonly kind:
    | ("thanks" | "greeting" | "help" | "about_me" | "needs_model" | "act" | "remember" | "forget")
    | ("latest" | "shared_facts" | "thread" | "message" | "search" | "catch_up" | "own_questions" | "bots")
    | ("person" | "about_person" | "fact");
  /** Of a person or a bot: "me" for the person asking, or a pronoun. Empty for "the bots". */
  readonly name: string;
  readonly topic: string;
  /** To be remembered or forgotten, or the one thing about a person. */
  readonly what: string;
}

const SUM = /^(?:\p{L}+(?:'s)? ){0,3}[\d(][\d\s.,()]*(?:[-+*/x×÷^%][\d\s.,()]*)+=?$/iu;
/** As profiles from Discord call the day on which somebody joined. */
const JOINED = "joined";

/** Whatever is nothing else is a search. `hasMessage`: the question answers a message, or was asked in the menu of one. */
export function toQuestionKind(question: string, { asks }: Language, hasMessage: boolean): QuestionKind {
  const is = (kind: QuestionKind["kind"], { name = "", topic = "", what = "" }: Partial<QuestionKind> = {}) => {
    return { kind, name, topic: topic.trim(), what };
  };
  const fits = (kind: QuestionKind["kind"], phrases: Pick<Phrases, "exec">): QuestionKind | null => {
    const found = phrases.exec(question);
    return found && is(kind, found.groups);
  };
  /** By the first phrase that fits with something that may be a name. */
  const named = (kind: QuestionKind["kind"], phrases: Phrases, text = question): QuestionKind | null => {
    for (const { groups = {} } of phrases.all(text)) {
      const typed = groups["name"] ?? "";
      // Chat leaves out apostrophes, but "is" belongs to no "I".
      const isWord = phrases === asks.theirFact && toName(`${typed}s`, asks) === "";
      const name = isWord ? "" : toName(typed, asks);
      const { what, topic = what ?? "" } = groups;
      if (name !== "") return is(kind, { topic, what: what ?? JOINED, name });
    }
    return null;
  };
  if (!/[\p{L}\p{N}]/u.test(question)) return is(question === "" ? "help" : "thanks");
  const social = toSocial(question, asks);
  if (social) return is(social);
  const first =
    fits("help", asks.help) ??
    fits("about_me", asks.aboutMe) ??
    fits("remember", asks.remember) ??
    fits("forget", asks.forget) ??
    fits("act", asks.act) ??
    fits("message", MESSAGE_LINK) ??
    fits("needs_model", SUM) ??
    fits("own_questions", asks.askedYou) ??
    toBots(question, asks);
  if (first) return first;
  // When it was said may stand anywhere: "what did Sarah say last week about …".
  const timeless = asks.times.reduce((text, [time]) => text.replace(time, " "), question).replaceAll(/\s+/gu, " ");
  const person =
    named("fact", asks.held) ?? named("person", asks.person) ?? named("person", asks.person, timeless.trim());
  const mine = fits("fact", asks.myFact);
  const known =
    (mine && { ...mine, name: "me" }) ??
    named("fact", asks.joined) ??
    named("fact", asks.theirFact) ??
    named("about_person", asks.aboutPerson);
  return (
    (hasMessage ? fits("message", asks.aboutMessage) : null) ??
    (person ? null : fits("latest", asks.latest)) ??
    fits("shared_facts", asks.sharedFacts) ??
    (person ? null : fits(asks.thread.test(question) ? "thread" : "catch_up", asks.catchUp)) ??
    // A question that is nothing else asks about a message even if none is named: the one before it.
    (asks.aboutMessage.exec(question)?.[0] === question ? is("message") : person) ??
    fits("thread", asks.thread) ??
    fits("needs_model", asks.needsModel) ??
    (known?.name === "me" && known.kind === "about_person" ? is("about_me") : known) ??
    is("search")
  );
}

/** "me" for the person asking, a pronoun, or a name; empty for any other word. */
export function toName(typed: string, { me, pronouns, noNames }: QuestionWords): string {
  const name = stripName(typed);
  const lower = name.toLowerCase();
  if (me.has(lower)) return "me";
  if (pronouns.has(lower)) return lower;
  return noNames.has(lower) || isOrdinaryWord(lower.replaceAll("'", "")) ? "" : name;
}

/** Whether every word belongs to thanking, or to greeting. */
export function toSocial(
  question: string,
  { thanks, greetings, fillers, smallTalk, requests, help, catchUp, wanted }: QuestionWords,
): "thanks" | "greeting" | null {
  const words = wordsOf(question).map((word) => word.toLowerCase());
  const isSocial = (word: string) => thanks.has(word) || LAUGHTER.test(word);
  const isOther = (word: string) => !isSocial(word) && !greetings.has(word) && !fillers.has(word);
  if (words.length > MAX_SOCIAL_WORDS || words.some(isOther)) return null;
  const isThanks = (word: string) => thanks.has(word) && !greetings.has(word) && !fillers.has(word);
  const isGreeting = words.some((word) => greetings.has(word)) && !words.some(isThanks);
  if (isGreeting || smallTalk.test(question)) return "greeting";
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
  for (const { groups: { name = "", topic = "" } = {} } of bots.all(question)) {
    const lower = name.toLowerCase();
    const isAny = name === "" || botWords.has(lower);
    if (!isAny && (me.has(lower) || pronouns.has(lower) || isOrdinaryWord(lower))) return null;
    return { kind: "bots", name: isAny ? "" : stripName(name), topic, what: "" };
  }
  return null;
}

function stripName(name: string): string {
  return name.replace(/^@/u, "").replace(/(?:'s|s'|[.,:;-]+)$/iu, "");
}

export function toSlots(question: string, context: AnswerContext) {
  const { asks } = context.language;
  const time = findTime(question, context);
  // "In this channel" names none.
  const elsewhere = asks.here.takenOut(question);
  const place = findPlace(elsewhere);
  const rest = elsewhere.replace(time?.written ?? "", " ").replace(place?.written ?? "", " ");
  return {
    wanted: asks.wanted.find(([pattern]) => pattern.test(question))?.[1] ?? "said",
    /** In the words of the tools. */
    time: time?.words ?? null,
    place: place?.name ?? null,
    isHere: asks.here.test(question),
    /** Asks for what holds now, or was decided in the end. */
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

/** Only times that the tools understand. */
export function findTime(question: string, { language, now, zone }: AnswerContext) {
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
export function findPlace(question: string) {
  const [written, name] = CHANNEL.exec(question) ?? NAMED_CHANNEL.exec(question) ?? [];
  return written === undefined || name === undefined ? null : { written, name };
}

const MAX_KEY_LENGTH = 60;

/** "my berth is C 12" is about me: berth, C 12. What has no such form is kept whole, under its first words. */
export function toStatedFact(statement: string): { about: "me" | "server"; key: string; value: string } {
  for (const { asks } of LANGUAGES)
    for (const about of ["me", "server"] as const) {
      const { groups } = asks[about === "me" ? "myStatement" : "ourStatement"].exec(statement) ?? {};
      if (groups?.["what"] && groups["topic"]) return { about, key: groups["what"], value: groups["topic"] };
    }
  const [stated] = listStatedFacts(statement);
  if (stated) return { about: "me", ...stated };
  const words = statement.replace(/^(?:i(?:'m| am| have| like| prefer)?|ich|yo|je|eu) /iu, "").split(" ");
  return { about: "me", key: words.slice(0, 4).join(" ").slice(0, MAX_KEY_LENGTH), value: statement };
}
