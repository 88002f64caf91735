/**
 * All sections that a file may have, in the order in which they exclude each other, by what they hold: words, of which some are sets that questions
 * are compared with; lines; `one thing = another`; phrases that become one pattern, a list of them, or a list whose first match counts.
 * docs/guide/languages.md tells what each is for.
 */
const NAMES = {
  words: "script, letters, small words, common words, also names, endings, particles, joints, numbers, weekdays",
  sets: "thanks, greetings, fillers, me, pronouns, back, no names, bot words, asking words",
  lines: "openings",
  pairs: "lists, spellings, times, glossary, answers",
  pattern: "catch up, latest, thread, about message, recent, latest state, here, unsure, corrects",
  phrases: "small talk, help, requests, act, about me, shared facts",
  list: "bots, person, deeds, held, joined, about person, needs model",
  first: "remember, forget, asked you, my fact, their fact, my statement, our statement",
  follow: "still true, more, who said it, when was it, where was it, why, and",
  wanted: "wants said, wants name, wants when, wants who, wants where, wants how many, wants why, wants yes no",
};
type SectionKind = keyof typeof NAMES;
export const SECTIONS: ReadonlyMap<string, SectionKind> = new Map(
  (Object.keys(NAMES) as SectionKind[]).flatMap((kind) => NAMES[kind].split(", ").map((name) => [name, kind] as const)),
);
const NO_PHRASES: readonly (SectionKind | undefined)[] = ["words", "sets", "lines", "pairs"];

interface FileEntry {
  readonly text: string;
  readonly line: number;
}

/** A file of words, as it is written. */
export interface LanguageFile {
  readonly path: string;
  entries(section: string): readonly FileEntry[];
  /** Of a section of words. */
  words(section: string): readonly string[];
  /** Of a section of pairs. */
  pairs(section: string): readonly (readonly [left: string, right: string, line: number])[];
  /** Of all sections of phrases, of lists and of times. */
  phrases(): readonly string[];
  /** Throws an error that tells the file and the line. */
  refuse(line: number, problem: string): never;
}

/** A language file that cannot be used; the message names the file and the line. */
export class LanguageFileError extends Error {}

/** Throws a `LanguageFileError` for text that is not UTF-8, an unknown section, and anything that is there twice. */
export function parseLanguageFile(path: string, bytes: Uint8Array): LanguageFile {
  const refuse = (line: number, problem: string): never => {
    throw new LanguageFileError(`${path}:${line}: ${problem}`);
  };
  const sections = new Map<string, FileEntry[]>();
  const seen = new Set<string>();
  let section: string | null = null;
  for (const [index, raw] of decode(bytes, refuse).split("\n").entries()) {
    const [text, line] = [raw.trim().normalize("NFC"), index + 1];
    if (text === "" || text.startsWith("#")) continue;
    const header = /^\[([^[\]{}|]+)\]$/u.exec(text)?.[1];
    // A phrase may be optional words in brackets too, but never as a whole.
    if (header !== undefined) {
      if (!SECTIONS.has(header)) refuse(line, `There is no section [${header}].`);
      if (sections.has(header)) refuse(line, `The section [${header}] is there twice.`);
      section = header;
      sections.set(header, []);
      continue;
    }
    if (section === null) return refuse(line, "The first line has to be a section, such as [small words].");
    for (const entry of toEntries(text, SECTIONS.get(section))) {
      const key = `${section} ${SECTIONS.get(section) === "pairs" ? leftOf(entry) : entry}`;
      if (SECTIONS.get(section) === "pairs" && leftOf(entry) === entry) refuse(line, "`=` is missing.");
      if (seen.has(key)) refuse(line, `“${entry}” is in [${section}] twice.`);
      seen.add(key);
      sections.get(section)?.push({ text: entry, line });
    }
  }
  const entries = (name: string) => sections.get(name) ?? [];
  return {
    path,
    entries,
    words: (name) => entries(name).map(({ text }) => text),
    pairs: (name) => entries(name).map(({ text, line }) => [leftOf(text), rightOf(text), line]),
    phrases: () =>
      [...sections].flatMap(([name, own]) => {
        const texts = own.map(({ text }) => text);
        if (name === "lists") return texts.map(rightOf);
        if (name === "times") return texts.map(leftOf);
        return name === "openings" || !NO_PHRASES.includes(SECTIONS.get(name)) ? texts : [];
      }),
    refuse,
  };
}

function toEntries(text: string, kind: SectionKind | undefined): string[] {
  return kind === "words" || kind === "sets" ? text.split(/\s+/u) : [text];
}

function leftOf(pair: string): string {
  const at = pair.indexOf(" = ");
  return at === -1 ? pair : pair.slice(0, at).trim();
}

function rightOf(pair: string): string {
  return pair.slice(pair.indexOf(" = ") + 3).trim();
}

const NEWLINE = 10;

function decode(bytes: Uint8Array, refuse: (line: number, problem: string) => never): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    let [start, line] = [0, 1];
    for (; start < bytes.length; line += 1) {
      const end = bytes.indexOf(NEWLINE, start);
      const text = bytes.subarray(start, end === -1 ? undefined : end);
      if (new TextDecoder().decode(text).includes("\ufffd")) break;
      start = end === -1 ? bytes.length : end + 1;
    }
    return refuse(line, "This is not UTF-8. Save the file as UTF-8.");
  }
}
