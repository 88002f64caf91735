/** What a question asks for. `said`: whatever was said. */
export type Wanted = "when" | "who" | "where" | "how_many" | "name" | "why" | "yes_no" | "said";

/** A time as people say it, and what the tools call it. */
type TimeWords = readonly [pattern: RegExp, english: string];

/** How questions are asked in one language. Patterns meet the question without the bot's name and without marks at its end. */
export interface QuestionWords {
  /** Each alone, or together with fillers, is no question. */
  readonly thanks: ReadonlySet<string>;
  readonly greetings: ReadonlySet<string>;
  readonly fillers: ReadonlySet<string>;
  readonly help: RegExp;
  /** Tells the bot to do something: "tell me", "find", "catch me up". */
  readonly imperative: RegExp;
  /** Groups: `what`. */
  readonly remember: RegExp;
  /** Groups: `what`. */
  readonly forget: RegExp;
  /** Asks the bot to do something that others would see, such as to post, to react or to start a thread. */
  readonly act: RegExp;
  readonly aboutMe: RegExp;
  /** Asks what the person asked the bot before. Groups: `topic`, which may be absent. */
  readonly askedYou: RegExp;
  /** Groups: `name` and `topic`, each may be absent. */
  readonly bots: readonly RegExp[];
  readonly catchUp: RegExp;
  readonly latest: RegExp;
  /** Groups: `name`, and `topic` where there may be one. */
  readonly person: readonly RegExp[];
  /** Asks what somebody did, which others may tell. The same groups; what they did is part of the topic. */
  readonly deeds: readonly RegExp[];
  readonly me: ReadonlySet<string>;
  readonly pronouns: ReadonlySet<string>;
  /** Words that stand where a name could, and are none. */
  readonly notNames: ReadonlySet<string>;
  readonly thread: RegExp;
  /** Asks what a message means that the question answers or links to. */
  readonly aboutMessage: RegExp;
  /** Groups: `what`. */
  readonly myFact: RegExp;
  /** Groups: `name` and `what`. */
  readonly theirFact: RegExp;
  /** Asks what somebody has: "which roles does Sarah have". Groups: `name` and `what`. */
  readonly held?: readonly RegExp[];
  /** Asks since when somebody is a member of the server. Groups: `name`. */
  readonly joined?: readonly RegExp[];
  /** Asks who somebody is, or what is known about them. Groups: `name`. */
  readonly aboutPerson?: readonly RegExp[];
  readonly sharedFacts: RegExp;
  readonly needsModel: readonly RegExp[];
  readonly wanted: readonly (readonly [RegExp, Wanted])[];
  readonly recent: RegExp;
  /** Asks for what holds now, or was decided in the end. */
  readonly latestState?: RegExp;
  readonly here: RegExp;
  /** Only times that have passed: "on Monday" may be a plan. */
  readonly times: readonly TimeWords[];
  readonly follow: FollowUpWords;
  /** Words that say nothing about what is looked for. */
  readonly ignored: ReadonlySet<string>;
  /** For scripts without spaces: what asks, wherever it stands. */
  readonly requests?: RegExp;
}

/** Short questions that change one part of the question before. */
interface FollowUpWords {
  /** Whether what was shown still holds, or what came of it. */
  readonly stillTrue?: RegExp;
  readonly more: RegExp;
  readonly whoSaidIt: RegExp;
  readonly whenWasIt: RegExp;
  readonly whereWasIt: RegExp;
  readonly why: RegExp;
  /** Groups: `what`. */
  readonly and: RegExp;
}

/** Our own words in an answer. */
export interface AnswerWords {
  readonly greeting: string;
  readonly help: string;
  readonly examples: readonly [string, string, string];
  readonly needsModel: string;
  readonly waiting: (what: string) => string;
  readonly waitingToForget: (what: string) => string;
  readonly whatToRemember: string;
  readonly nothingRemembered: string;
  readonly remembered: string;
  readonly profile: {
    /** Instead of `remembered` where some of it was not. */
    readonly known: string;
    readonly discord: string;
    readonly service: string;
    readonly otherwise: string;
    readonly unavailable: string;
  };
  readonly documentsUnavailable: string;
  readonly notRemembered: (what: string) => string;
  readonly saidAboutIt: string;
  readonly earlier: string;
  readonly inPlace: (name: string) => string;
  readonly inDirectMessages: string;
  readonly noneMatching: (what: string) => string;
  readonly noneFrom: (name: string, what: string | null) => string;
  readonly noneInThread: string;
  readonly noActivity: string;
  readonly noMore: string;
  readonly unknownPerson: (name: string) => string;
  readonly whichPerson: (name: string) => string;
  readonly whoIsMeant: string;
  readonly messageNotFound: string;
  readonly noBots: string;
  readonly isolated: string;
  readonly inShort: (place: string) => string;
  readonly lookedAt: (messages: string, since: string | null) => string;
  readonly notEverything: string;
  readonly noModelAsked: string;
  /** Where there is a model, and it does not answer. */
  readonly model: {
    readonly unreachable: string;
    readonly slow: string;
    readonly silent: string;
    readonly busy: string;
    readonly spent: (time: string) => string;
    readonly tooMuch: string;
    /** Before extracts. */
    readonly foundWithout: string;
    readonly noPictures: string;
    /** While others are answered. */
    readonly wait: string;
    /** After a while without a word. */
    readonly working: string;
  };
  readonly onlyHere: string;
}

export interface Language {
  /** For `Intl`. */
  readonly code: string;
  /** Common words that few other languages have. */
  readonly marks: ReadonlySet<string>;
  /** Letters that are hardly used elsewhere. */
  readonly letters?: RegExp;
  readonly asks: QuestionWords;
  readonly says: AnswerWords;
}

/** A list of words as it is easiest to read: one string with spaces. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/u).filter(Boolean));
}

const BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const AFTER = String.raw`(?![\p{L}\p{N}])`;

/** The sources of patterns as one, in which accents may be missing: chat often leaves them out. */
function join(sources: readonly string[]): string {
  return `(?:${sources.join("|").replaceAll(/[à-öø-ÿ]/gu, (letter) => `(?:${letter}|${letter.normalize("NFD")[0] ?? ""})`)})`;
}

/** One of these stands somewhere, as whole words. Each is the source of a pattern. */
export function somewhere(...sources: readonly string[]): RegExp {
  return new RegExp(`${BEFORE}${join(sources)}${AFTER}`, "iu");
}

/** The whole question is one of these. */
export function wholly(...sources: readonly string[]): RegExp {
  return new RegExp(`^${join(sources)}$`, "iu");
}

/** The question begins with one of these. */
export function begins(...sources: readonly string[]): RegExp {
  return new RegExp(`^${join(sources)}${AFTER}`, "iu");
}

/** A person's name as it is typed, as a group: a mention, or one word. */
export const NAME = String.raw`(?<name><@!?\d+>|@?[\p{L}\p{N}_.\-]+)`;
