import { type LanguageFile, SECTIONS } from "./language-file.ts";
import { foldWord, type Language, type Phrases, type QuestionWords, toKey } from "./language-words.ts";
import { compileList, compileOpening, compilePhrase, type PhraseContext, toReadings } from "./phrase.ts";
import { toAnswerWords } from "./to-answer-words.ts";
import { toGlossary } from "./to-glossary.ts";

const ENGLISH_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NEVER = /(?!)/u;
const PHRASE_MARKS = /\{\w+:|\{[\w ]+\}|[{}()[\]|…*]/gu;
const WORD_SECTIONS = "small words,common words,asking words,thanks,greetings,me,pronouns,no names".split(",");

/**
 * What a file says, each part made when it is first used: patterns take longer than all the rest. Reading a part throws an error that names the file
 * and the line where a phrase cannot be understood.
 */
export function toLanguage(code: string, file: LanguageFile): Language {
  const language: Language = lazily<Language>({
    code: () => code,
    small: () => new Set(file.words("small words").map(foldWord)),
    vocabulary: () => toVocabulary(file),
    script: () => toScript(file),
    letters: () => new Set(file.words("letters")),
    endings: () => file.words("endings").map(foldWord),
    asks: () => toQuestionWords(file, language),
    says: () => toAnswerWords(file),
    spellings: () => new Map(file.pairs("spellings").map(([typed, meant]) => [typed, meant])),
    glossary: () => toGlossary(file, language),
    counted: () => toCounted(file),
    common: () => {
      const alsoNames = new Set(file.words("also names"));
      return new Set([...language.small, ...file.words("common words")].filter((word) => !alsoNames.has(word)));
    },
  });
  return language;
}

/** The sections of a file under their names, and what is made of several. */
function toQuestionWords(file: LanguageFile, { script, small }: Language): QuestionWords {
  const context = toContext(file, script !== null);
  const setOf = (section: string) => new Set(file.words(section).flatMap((word) => [word, foldWord(word)]));
  const sourcesOf = (section: string, compile = compilePhrase) =>
    file.entries(section).map(({ text, line }) => read(file, line, () => compile(text, context)));
  // Which words filled a hole does not matter here, and one pattern cannot have a group twice.
  const patternOf = (section: string, compile = compilePhrase) => {
    const sources = sourcesOf(section, compile).map((source) => source.replaceAll(/\(\?<\w+>/gu, "(?:"));
    return sources.length === 0 ? NEVER : new RegExp(sources.join("|"), "iu");
  };
  const patternsOf = (section: string) => sourcesOf(section).map((source) => new RegExp(source, "iu"));
  const opening = patternOf("openings", compileOpening);
  const phrasesOf = (section: string) => toPhrases([patternOf(section)], opening);
  const listOf = (section: string) => patternsOf(section).map((pattern) => toPhrases([pattern], opening));
  const firstOf = (section: string) => toPhrases(patternsOf(section), opening);
  const allOf = (kind: string, make: (section: string) => unknown) =>
    Object.fromEntries(
      [...SECTIONS].filter(([, each]) => each === kind).map(([section]) => [toKey(section), () => make(section)]),
    );
  const made = {
    ...allOf("sets", setOf),
    ...allOf("pattern", patternOf),
    ...allOf("phrases", phrasesOf),
    ...allOf("list", listOf),
    ...allOf("first", firstOf),
    openings: () => opening,
    noNames: () => new Set([...setOf("no names"), ...small]),
    times: () => toTimes(file, context).map(([source, english]) => [new RegExp(source, "iu"), english] as const),
    particles: () => toParticles(file, script !== null),
    follow: () => lazily(allOf("follow", firstOf)),
    wanted: () =>
      [...SECTIONS].flatMap(([section, kind]) =>
        kind === "wanted" ? [[phrasesOf(section), section.replace("wants ", "").replaceAll(" ", "_")]] : [],
      ),
  };
  return lazily(made as unknown as MakersOf<QuestionWords>);
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

/** As one source each, with what it means in English. Numbers and weekdays are groups. */
function toTimes(
  file: LanguageFile,
  { lists, isDense }: PhraseContext,
): (readonly [source: string, english: string])[] {
  const oneOf = (section: string) => file.words(section).flatMap((words) => words.split("|"));
  const groups = new Map([
    ...lists,
    ["count", String.raw`(?<count>\d{1,3}|${oneOf("numbers").join("|")})`],
    ["weekday", `(?<weekday>${oneOf("weekdays").join("|")})`],
  ]);
  const context = { lists: groups, isDense };
  return file
    .pairs("times")
    .map(([phrase, english, line]) => [read(file, line, () => compilePhrase(`… ${phrase} …`, context)), english]);
}

function toCounted(file: LanguageFile): ReadonlyMap<string, string> {
  const numbers = file.words("numbers").map((words, index) => [words, String(index + 1)] as const);
  const weekdays = file.words("weekdays").map((words, index) => [words, ENGLISH_WEEKDAYS[index] ?? ""] as const);
  return new Map([...numbers, ...weekdays].flatMap(([words, meant]) => words.split("|").map((word) => [word, meant])));
}

/** Glued to words or between them: wherever they stand, and endings where a word ends. */
function toParticles(file: LanguageFile, isDense: boolean): RegExp | null {
  if (!isDense) return null;
  const longestFirst = (section: string) => file.words(section).toSorted((a, b) => b.length - a.length);
  const ends = longestFirst("endings").map((ending) => String.raw`${ending}(?=\s|$)`);
  const sources = [...longestFirst("particles"), ...ends];
  return sources.length === 0 ? null : new RegExp(sources.join("|"), "gu");
}

function toScript(file: LanguageFile): RegExp | null {
  const scripts = file.words("script");
  const [{ line } = { line: 1 }] = file.entries("script");
  if (scripts.length === 0) return null;
  return read(file, line, () => new RegExp(`[${scripts.map((name) => `\\p{sc=${name}}`).join("")}]`, "u"));
}

function toVocabulary(file: LanguageFile): ReadonlySet<string> {
  const phrases = file.phrases().flatMap((phrase) => phrase.replaceAll(PHRASE_MARKS, " ").split(" "));
  // A word that is the same in English tells nothing.
  const glossed = file
    .pairs("glossary")
    .flatMap(([words, english]) => words.split(" ").filter((word) => !english.split(" ").includes(foldWord(word))));
  const spelled = file.pairs("spellings").map(([typed]) => typed);
  const words = [...WORD_SECTIONS.flatMap((section) => file.words(section)), ...phrases, ...glossed, ...spelled];
  return new Set(words.flatMap((word) => foldWord(word).match(/[\p{L}\p{N}]+/gu) ?? []));
}

/** Compares a question as it is, and without what it opens with. */
function toPhrases(patterns: readonly RegExp[], opening: RegExp): Phrases {
  const exec = (text: string) => {
    for (const reading of toReadings(text, opening))
      for (const pattern of patterns) {
        const found = pattern.exec(reading);
        if (found) return found;
      }
    return null;
  };
  return { exec, test: (text) => exec(text) !== null };
}

type MakersOf<T> = { readonly [Key in keyof T]-?: () => T[Key] };

/** An object whose values are made when they are first read. */
function lazily<T extends object>(makers: MakersOf<T>): T {
  const made = {} as T;
  for (const key of Object.keys(makers) as (keyof T)[])
    Object.defineProperty(made, key, {
      enumerable: true,
      configurable: true,
      get() {
        const value = makers[key]();
        Object.defineProperty(made, key, { value, enumerable: true });
        return value;
      },
    });
  return made;
}

function read<T>(file: LanguageFile, line: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    return file.refuse(line, error instanceof Error ? error.message : String(error));
  }
}
