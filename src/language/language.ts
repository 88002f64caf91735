import {
  foldWord,
  type KeyOf,
  type LanguageFile,
  type SectionOf,
  type Split,
  sectionsOf,
  toKey,
} from "./language-file.ts";
import { compileList, compilePhrase, type PhraseContext, Phrases } from "./phrase.ts";

/** What a question asks for. `said`: whatever was said. */
export type Wanted = "when" | "who" | "where" | "how_many" | "name" | "why" | "yes_no" | "said";

/** How questions are asked in one language. Phrases meet the question without the bot's name and without marks at its end. */
export type QuestionWords = Readonly<Record<KeyOf<SectionOf<"sets">>, ReadonlySet<string>>> &
  Readonly<Record<KeyOf<SectionOf<"phrases" | "forms">>, Phrases>> & {
    readonly wanted: readonly (readonly [Phrases, Wanted])[];
    /** Times that have passed, as people say them and as the tools call them. In the latter, `{count}` and `{weekday}` stand for groups of the pattern. */
    readonly times: readonly (readonly [pattern: RegExp, english: string])[];
    /** For scripts without spaces: what asks, wherever it stands. */
    readonly particles: RegExp | null;
    /** Ends a statement, whatever comes before. */
    readonly statementEnding: RegExp | null;
  };

const ENGLISH_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const PHRASE_MARKS = /\{\w+:|\{[\w ]+\}|[{}()[\]|…*]/gu;
const VOCABULARY = "small words,common words,asking words,thanks,greetings,me,pronouns,no names".split(",");

/** Of a language whose questions are not understood, `asks` is mostly empty, and `says` throws. */
export type Language = ReturnType<typeof toLanguage>;

/** Each part is made when it is first read, because patterns take long; reading it throws an error with the file and line of a wrong phrase. */
export function toLanguage(code: string, file: LanguageFile) {
  const setOf = (section: string): ReadonlySet<string> => new Set(file.words(section));
  const language = lazily({
    code: () => code,
    /** Hold a sentence together or ask; without accents. */
    small: (): ReadonlySet<string> => new Set(file.words("small words").map(foldWord)),
    /** Common words that are meant as no name. */
    common: (): ReadonlySet<string> => language.small.union(setOf("common words")).difference(setOf("also names")),
    /** All words of the file, without accents: by these the language is recognised. */
    vocabulary: () => toVocabulary(file),
    /** A text with a letter of its script is in the language. */
    script: () => toScript(file),
    /** Letters that are hardly used elsewhere. */
    letters: () => setOf("letters"),
    /** Endings of nouns, adjectives and verbs that often change, without accents. */
    endings: (): readonly string[] => file.words("endings").map(foldWord),
    asks: (): QuestionWords => toQuestionWords(file, language),
    says: () => toAnswerWords(file),
    /** How people type in a hurry, and what they mean. */
    spellings: () => new Map(file.pairs("spellings").map(([typed, meant]) => [typed, meant] as const)),
    glossary: (): Glossary => toGlossary(file, language.script === null ? language.endings : null),
    /** A number or the English name of a weekday, by the word for it. */
    counted: () => toCounted(file),
  });
  return language;
}

function toQuestionWords(file: LanguageFile, { script, small }: Pick<Language, "script" | "small">): QuestionWords {
  const context = toContext(file, script !== null);
  const sourcesOf = (section: string, end = "") =>
    file.entries(section).map(({ text, line }) => read(file, line, () => compilePhrase(`${text}${end}`, context)));
  const opening = new Phrases(sourcesOf("openings", " …"), null);
  const makers: Record<string, () => unknown> = { openings: () => opening };
  const setOf = (section: string) => new Set(file.words(section).flatMap((word) => [word, foldWord(word)]));
  for (const section of sectionsOf("sets")) makers[toKey(section)] = () => setOf(section);
  for (const section of [...sectionsOf("phrases"), ...sectionsOf("forms")])
    makers[toKey(section)] ??= () => new Phrases(sourcesOf(section), opening);
  return lazily({
    ...makers,
    noNames: () => setOf("no names").union(small),
    wanted: () =>
      sectionsOf("wanted").map((section) => [
        new Phrases(sourcesOf(section), opening),
        section.replace("wants ", "").replaceAll(" ", "_"),
      ]),
    times: () => toTimes(file, context),
    particles: () => toParticles(file, script !== null),
    statementEnding: () => {
      const endings = file.words("statement endings").join("|");
      return endings === "" ? null : new RegExp(`\\p{L}(?:${endings})[~〜]*$`, "iu");
    },
  }) as unknown as QuestionWords;
}

function toContext(file: LanguageFile, isDense: boolean): PhraseContext {
  const lists = new Map<string, string>();
  const context = { lists, isDense };
  for (const [name, phrases, line] of file.pairs("lists")) {
    const source = read(file, line, () => compileList(phrases, context));
    lists.set(name, source);
  }
  return context;
}

function toTimes(file: LanguageFile, { lists, isDense }: PhraseContext): QuestionWords["times"] {
  const oneOf = (section: string) => file.words(section).join("|");
  const groups = new Map([
    ...lists,
    ["count", String.raw`(?<count>\d{1,3}|${oneOf("numbers")})`],
    ["weekday", `(?<weekday>${oneOf("weekdays")})`],
  ]);
  const compile = (phrase: string) => new RegExp(compilePhrase(`… ${phrase} …`, { lists: groups, isDense }), "iu");
  return file.pairs("times").map(([phrase, english, line]) => [read(file, line, () => compile(phrase)), english]);
}

function toCounted(file: LanguageFile): ReadonlyMap<string, string> {
  const numbers = file.words("numbers").map((words, index) => [words, String(index + 1)] as const);
  const weekdays = file.words("weekdays").map((words, index) => [words, ENGLISH_WEEKDAYS[index] ?? ""] as const);
  return new Map([...numbers, ...weekdays].flatMap(([words, meant]) => words.split("|").map((word) => [word, meant])));
}

/** Glued to words or between them: wherever they stand, and endings where a word ends. */
function toParticles(file: LanguageFile, isDense: boolean): RegExp | null {
  const longestFirst = (section: string) => file.words(section).toSorted((a, b) => b.length - a.length);
  const ends = longestFirst("endings").map((ending) => String.raw`${ending}(?=\s|$)`);
  const sources = isDense ? [...longestFirst("particles"), ...ends] : [];
  return sources.length === 0 ? null : new RegExp(sources.join("|"), "gu");
}

function toScript(file: LanguageFile): RegExp | null {
  const [first] = file.entries("script");
  const scripts = file.words("script").map((name) => `\\p{sc=${name}}`);
  return first ? read(file, first.line, () => new RegExp(`[${scripts.join("")}]`, "u")) : null;
}

function toVocabulary(file: LanguageFile): ReadonlySet<string> {
  const phrases = [...sectionsOf("phrases"), ...sectionsOf("wanted")].flatMap((section) => file.words(section));
  const lists = file.pairs("lists").map(([, right]) => right);
  const times = file.pairs("times").map(([left]) => left);
  // A word that is the same in English tells nothing.
  const glossed = file
    .pairs("glossary")
    .flatMap(([words, english]) => words.split(" ").filter((word) => !english.split(" ").includes(foldWord(word))));
  const words = [
    ...VOCABULARY.flatMap((section) => file.words(section)),
    ...[...phrases, ...lists, ...times].map((phrase) => phrase.replaceAll(PHRASE_MARKS, " ")),
    ...glossed,
    ...file.pairs("spellings").map(([typed]) => typed),
  ];
  return new Set(words.flatMap((word) => foldWord(word).match(/[\p{L}\p{N}]+/gu) ?? []));
}

function lazily<Makers extends Readonly<Record<string, () => unknown>>>(makers: Makers) {
  const made = {};
  for (const [key, make] of Object.entries(makers))
    Object.defineProperty(made, key, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make();
        Object.defineProperty(made, key, { value, enumerable: true });
        return value;
      },
    });
  return made as { readonly [Key in keyof Makers]: ReturnType<Makers[Key]> };
}

function read<T>(file: LanguageFile, line: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    return file.refuse(line, error instanceof Error ? error.message : String(error));
  }
}

/** Every sentence of ours by the holes it needs. */
const SENTENCES = {
  // `examples`: three questions, with ` | ` between. `profile known` stands instead of `remembered` where some of it was not. `no clear answer`: before
  // what is closest. `model …`: where there is a model, and it does not answer; `model working`: after a while without a word.
  "": [
    "greeting, help, examples, needs model, what to remember, nothing remembered, remembered, profile known, profile discord",
    "profile service, profile otherwise, profile unavailable, documents unavailable, channels unavailable, no clear answer",
    "earlier, in direct messages, everywhere, none in thread, no activity, no more, who is meant, message not found, isolated, only here, talks off, not theirs",
    "not everything, no model asked, model unreachable, model slow, model silent, model busy, model too much, model wait",
    "model found without, model no pictures, model working",
  ],
  what: ["waiting, waiting to forget, not remembered, none matching"],
  name: ["in place, unknown person, which person, none from"],
  place: ["in short"],
  time: ["model spent"],
  messages: ["looked at"],
  "name what": ["none from about"],
  "messages since": ["looked at since"],
} as const;
type Table = typeof SENTENCES;
type Sentence = Split<Table[keyof Table][number]>;
type HolesOf<Key> = { [Holes in keyof Table]: Key extends Split<Table[Holes][number]> ? Holes : never }[keyof Table];
type Fill = (filling: string, second?: string) => string;

export type AnswerWords = { readonly [Key in Sentence as KeyOf<Key>]: HolesOf<Key> extends "" ? string : Fill };

/** Throws a `LanguageFileError` where a sentence is missing, unknown, or lacks a hole: an answer is in one language as a whole. */
function toAnswerWords(file: LanguageFile): AnswerWords {
  const written = new Map(file.pairs("answers").map(([key, text, line]) => [key, { text, line }]));
  const says = Object.entries(SENTENCES).flatMap(([list, keys]) => {
    const holes = list.split(" ").filter(Boolean);
    return keys
      .flatMap((some) => some.split(", "))
      .map((key) => {
        const { text, line } = written.get(key) ?? file.refuse(1, `The sentence “${key}” is missing in [answers].`);
        written.delete(key);
        const missing = holes.find((hole) => !text.includes(`{${hole}}`));
        if (missing !== undefined) file.refuse(line, `“${key}” needs {${missing}}.`);
        const fill = (...values: readonly string[]) =>
          text.replaceAll(/\{(\w+)\}/gu, (hole, of) => values[holes.indexOf(of)] ?? hole);
        return [toKey(key), holes.length === 0 ? text : fill];
      });
  });
  for (const [key, { line }] of written) file.refuse(line, `There is no sentence “${key}”.`);
  return Object.fromEntries(says);
}

/** Takes the words out of a text that it knows, with what each may mean in English. Names, numbers and what it does not know are left. */
type Glossary = (text: string) => {
  readonly rest: string;
  readonly meant: readonly { readonly written: string; readonly english: readonly string[] }[];
};

const MIN_STEM_LENGTH = 3;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

/** `endings`: null for a script without spaces. */
function toGlossary(file: LanguageFile, endings: readonly string[] | null): Glossary {
  /** The word, and without endings: too coarse for grammar, and enough to look a word up. */
  const stemsOf = (word: string): string[] => {
    const stems = (endings ?? []).flatMap((ending) => (word.endsWith(ending) ? word.slice(0, -ending.length) : []));
    const known = stems.filter(({ length }) => length >= MIN_STEM_LENGTH);
    return [word, ...known.sort((a, b) => b.length - a.length)];
  };
  const exact = file
    .pairs("glossary")
    .flatMap(([words, meant]) => words.split(" ").map((word) => [foldWord(word), meant.split(" ")] as const));
  const stems = exact.flatMap(([word, meant]) => stemsOf(word).map((stem) => [stem, meant] as const));
  const english = new Map([...stems.reverse(), ...exact]);
  // A single Korean syllable has at least to begin a word.
  const sources = [...english.keys()]
    .sort((a, b) => b.length - a.length)
    .map((word) => (/^\p{sc=Hangul}$/u.test(word) ? String.raw`(?<!\p{L})${word}` : word));
  const pattern = endings ? WORD : new RegExp(sources.join("|") || "(?!)", "gu");
  return (text) => {
    const meant: { written: string; english: readonly string[] }[] = [];
    const rest = text.replaceAll(pattern, (written) => {
      // "l'heure" is an hour.
      const known = stemsOf(foldWord(written.replace(/^\p{L}{1,2}['’]/u, ""))).find((stem) => english.has(stem));
      if (known !== undefined) meant.push({ written, english: english.get(known) ?? [] });
      return known === undefined ? written : " ";
    });
    return { rest: rest.replaceAll(/\s+/gu, " ").trim(), meant };
  };
}
