/** What a question asks for. `said`: whatever was said. */
export type Wanted = "when" | "who" | "where" | "how_many" | "name" | "why" | "yes_no" | "said";

/** A time as people say it, and what the tools call it; `{count}` and `{weekday}` in it stand for groups of the pattern. */
type TimeWords = readonly [pattern: RegExp, english: string];

/** Phrases that are compared in order: the first that matches counts. */
export type Phrases = Pick<RegExp, "test" | "exec">;

/** How questions are asked in one language. Patterns meet the question without the bot's name and without marks at its end. */
export interface QuestionWords {
  /** Each alone, or together with fillers, is no question. */
  readonly thanks: ReadonlySet<string>;
  readonly greetings: ReadonlySet<string>;
  readonly fillers: ReadonlySet<string>;
  /** What may stand before a question: "hey, quick question: …". */
  readonly openings: RegExp;
  readonly help: Phrases;
  /** Tells the bot to do something: "tell me", "find", "catch me up". */
  readonly requests: Phrases;
  /** Groups: `what`. */
  readonly remember: Phrases;
  /** Groups: `what`. */
  readonly forget: Phrases;
  /** Asks the bot to do something that others would see, such as to post, to react or to start a thread. */
  readonly act: Phrases;
  readonly aboutMe: Phrases;
  /** Asks what the person asked the bot before. Groups: `topic`, which may be absent. */
  readonly askedYou: Phrases;
  /** Groups: `name` and `topic`, each may be absent. */
  readonly bots: readonly Phrases[];
  readonly catchUp: RegExp;
  readonly latest: RegExp;
  /** Groups: `name`, and `topic` where there may be one. */
  readonly person: readonly Phrases[];
  /** Asks what somebody did, which others may tell. The same groups; what they did is part of the topic. */
  readonly deeds: readonly Phrases[];
  readonly me: ReadonlySet<string>;
  readonly pronouns: ReadonlySet<string>;
  /** Besides pronouns: words that stand for what was spoken of before. */
  readonly back: ReadonlySet<string>;
  /** Words that stand where a name could, and are none. */
  readonly noNames: ReadonlySet<string>;
  readonly thread: RegExp;
  /** Asks what a message means that the question answers or links to. */
  readonly aboutMessage: RegExp;
  /** Groups: `what`. */
  readonly myFact: Phrases;
  /** Groups: `name` and `what`. */
  readonly theirFact: Phrases;
  /** Asks what somebody has: "which roles does Sarah have". Groups: `name` and `what`. */
  readonly held: readonly Phrases[];
  /** Asks since when somebody is a member of the server. Groups: `name`. */
  readonly joined: readonly Phrases[];
  /** Asks who somebody is, or what is known about them. Groups: `name`. */
  readonly aboutPerson: readonly Phrases[];
  readonly sharedFacts: Phrases;
  readonly needsModel: readonly Phrases[];
  readonly wanted: readonly (readonly [Phrases, Wanted])[];
  readonly recent: RegExp;
  /** Asks for what holds now, or was decided in the end. */
  readonly latestState: RegExp;
  readonly here: RegExp;
  /** In what is said: who says so does not know. */
  readonly unsure: RegExp;
  /** In what is said: something else holds now. */
  readonly corrects: RegExp;
  /** Only times that have passed: "on Monday" may be a plan. */
  readonly times: readonly TimeWords[];
  readonly follow: FollowUpWords;
  /** Words that say nothing about what is looked for, besides small words. */
  readonly askingWords: ReadonlySet<string>;
  /** For scripts without spaces: what asks, wherever it stands. */
  readonly particles: RegExp | null;
  readonly smallTalk: Phrases;
  /** Words for any bot. */
  readonly botWords: ReadonlySet<string>;
  /** "My berth is C 12". Groups: `thing` as `what`, and `topic` for its value. */
  readonly myStatement: Phrases;
  readonly ourStatement: Phrases;
}

/** Short questions that change one part of the question before. */
interface FollowUpWords {
  /** Whether what was shown still holds, or what came of it. */
  readonly stillTrue: Phrases;
  readonly more: Phrases;
  readonly whoSaidIt: Phrases;
  readonly whenWasIt: Phrases;
  readonly whereWasIt: Phrases;
  readonly why: Phrases;
  /** Groups: `what`. */
  readonly and: Phrases;
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
  readonly channelsUnavailable: string;
  readonly notRemembered: (what: string) => string;
  /** Before what is closest. */
  readonly noClearAnswer: string;
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

/** What is known of the words of every language, also of one whose questions are not understood. */
export interface WordList {
  /** For `Intl`. */
  readonly code: string;
  /** Hold a sentence together or ask; without accents. */
  readonly small: ReadonlySet<string>;
  /** All words of the file, without accents: by these the language is recognised. */
  readonly vocabulary: ReadonlySet<string>;
  /** A text with a letter of its script is in the language. */
  readonly script: RegExp | null;
  /** Letters that are hardly used elsewhere. */
  readonly letters: ReadonlySet<string>;
  /** Endings of nouns, adjectives and verbs that often change, without accents. */
  readonly endings: readonly string[];
}

/** Words and their English, without accents. */
export interface GlossedWords {
  readonly exact: ReadonlyMap<string, readonly string[]>;
  /** By the word without its ending. */
  readonly stems: ReadonlyMap<string, readonly string[]>;
  /** Words of scripts without spaces, the longest first. */
  readonly dense: readonly (readonly [pattern: RegExp, english: readonly string[]])[];
  readonly endings: readonly string[];
  /** What joins the parts of compound words; empty where words are not joined. */
  readonly joints: readonly string[];
}

export interface Language extends WordList {
  readonly asks: QuestionWords;
  readonly says: AnswerWords;
  /** How people type in a hurry, and what they mean. */
  readonly spellings: ReadonlyMap<string, string>;
  readonly glossary: GlossedWords;
  /** A number or the English name of a weekday, by the word for it. */
  readonly counted: ReadonlyMap<string, string>;
  /** Common words that are meant as no name. */
  readonly common: ReadonlySet<string>;
}

/** Without case and accents. */
export function foldWord(word: string): string {
  if (/^[\x20-\x7e]*$/.test(word)) return word.toLowerCase();
  return word.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC").replaceAll("ß", "ss");
}

/** The name of a section as the key of an object: "about me" is `aboutMe`. */
export function toKey(section: string): string {
  return section.replaceAll(/ (\w)/gu, (_, letter: string) => letter.toUpperCase());
}
