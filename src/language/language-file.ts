/** All sections that a file may have, by what they hold. docs/guide/languages.md tells what each is for. */
const SECTIONS = {
  words: [
    "script, letters, small words, common words, also names, endings, particles, numbers, weekdays",
    "statement endings",
  ],
  /** Words that those of a question are compared with. */
  sets: [
    "thanks, greetings, fillers, me, pronouns, back, no names, bot words, asking words",
    "no focus, clause words, articles",
  ],
  /** `one thing = another`. */
  pairs: ["lists, spellings, times, glossary, answers"],
  /** One a line. Of those with holes, the first that fits counts. */
  phrases: [
    "openings, small talk, help, requests, remember, forget, act, about me, asked you, bots, catch up, missed, latest, person",
    "thread, about message, my fact, their fact, held, joined, about person, shared facts, needs model",
    "my statement, our statement, latest state, here, unsure, corrects",
    // What follows a question.
    "more, who said it, when was it, where was it, why, and",
  ],
  /** The same for what people say, in whichever language: its words are no sign of one. */
  forms: ["also asks, asks nothing, placed, asks, always asks, asks later, exclaims"],
  /** Phrases that tell what a question asks for, in the order in which they exclude each other. */
  wanted: ["wants said, wants name, wants when, wants who, wants where, wants how many, wants why, wants yes no"],
} as const;
type SectionKind = keyof typeof SECTIONS;
export type Split<List extends string> = List extends `${infer First}, ${infer Rest}` ? First | Split<Rest> : List;
export type SectionOf<Kind extends SectionKind> = Split<(typeof SECTIONS)[Kind][number]>;

/** The name of a section or sentence as the key of an object: "about me" is `aboutMe`. */
export type KeyOf<Name extends string> = Name extends `${infer Word} ${infer Rest}`
  ? `${Word}${Capitalize<KeyOf<Rest>>}`
  : Name;

export function toKey(name: string): string {
  return name.replaceAll(/ (\w)/gu, (_, letter: string) => letter.toUpperCase());
}

export function sectionsOf(kind: SectionKind): string[] {
  return SECTIONS[kind].flatMap((list) => list.split(", "));
}

interface FileEntry {
  readonly text: string;
  readonly line: number;
}

/** A file of words, as it is written. */
export type LanguageFile = ReturnType<typeof parseLanguageFile>;

/** A language file that cannot be used; the message names the file and the line. */
export class LanguageFileError extends Error {}

/** Throws a `LanguageFileError` for text that is not UTF-8, an unknown section, and anything that is there twice. */
export function parseLanguageFile(path: string, bytes: Uint8Array) {
  const refuse = (line: number, problem: string): never => {
    throw new LanguageFileError(`${path}:${line}: ${problem}`);
  };
  const sections = new Map<string, FileEntry[]>();
  const seen = new Set<string>();
  let section: string | null = null;
  let kind: SectionKind | undefined;
  for (const [index, raw] of new TextDecoder().decode(bytes).split("\n").entries()) {
    const [text, line] = [raw.trim().normalize("NFC"), index + 1];
    if (text.includes("\ufffd")) refuse(line, "This is not UTF-8. Save the file as UTF-8.");
    if (text === "" || text.startsWith("#")) continue;
    const header = /^\[([^[\]{}|]+)\]$/u.exec(text)?.[1];
    // A phrase may be optional words in brackets too, but never as a whole.
    if (header !== undefined) {
      kind = (Object.keys(SECTIONS) as SectionKind[]).find((each) => sectionsOf(each).includes(header));
      if (!kind) refuse(line, `There is no section [${header}].`);
      if (sections.has(header)) refuse(line, `The section [${header}] is there twice.`);
      section = header;
      sections.set(header, []);
      continue;
    }
    if (section === null) return refuse(line, "The first line has to be a section, such as [small words].");
    for (const entry of kind === "words" || kind === "sets" ? text.split(/\s+/u) : [text]) {
      const [left] = splitPair(entry);
      if (kind === "pairs" && left === entry) refuse(line, "`=` is missing.");
      const key = `${section} ${kind === "pairs" ? left : entry}`;
      if (seen.has(key)) refuse(line, `“${entry}” is in [${section}] twice.`);
      seen.add(key);
      sections.get(section)?.push({ text: entry, line });
    }
  }
  const entries = (name: string): readonly FileEntry[] => sections.get(name) ?? [];
  return {
    entries,
    words: (name: string) => entries(name).map(({ text }) => text),
    pairs: (name: string) => entries(name).map(({ text, line }) => [...splitPair(text), line] as const),
    /** Throws an error that tells the file and the line. */
    refuse,
  };
}

function splitPair(pair: string): [left: string, right: string] {
  const [left = "", ...right] = pair.split(" = ");
  return [left.trim(), right.join(" = ").trim()];
}

/** Without case and accents. */
export function foldWord(word: string): string {
  if (/^[\x20-\x7e]*$/.test(word)) return word.toLowerCase();
  return word.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC").replaceAll("ß", "ss");
}
