import type { LanguageFile } from "./language-file.ts";

/** Every sentence of ours, with the holes it needs. The second hole of a sentence may stay empty; `key +` in a file is the form with both. */
const SENTENCES = {
  greeting: [],
  help: [],
  /** Three questions, with ` | ` between. */
  examples: [],
  needsModel: [],
  waiting: ["what"],
  waitingToForget: ["what"],
  whatToRemember: [],
  nothingRemembered: [],
  remembered: [],
  /** `known` stands instead of `remembered` where some of it was not. */
  profile: { known: [], discord: [], service: [], otherwise: [], unavailable: [] },
  documentsUnavailable: [],
  channelsUnavailable: [],
  notRemembered: ["what"],
  /** Before what is closest. */
  noClearAnswer: [],
  earlier: [],
  inPlace: ["name"],
  inDirectMessages: [],
  noneMatching: ["what"],
  noneFrom: ["name", "what"],
  noneInThread: [],
  noActivity: [],
  noMore: [],
  unknownPerson: ["name"],
  whichPerson: ["name"],
  whoIsMeant: [],
  messageNotFound: [],
  isolated: [],
  inShort: ["place"],
  lookedAt: ["messages", "since"],
  notEverything: [],
  noModelAsked: [],
  /** Where there is a model, and it does not answer. `wait`: while others are answered; `working`: after a while without a word. */
  model: {
    unreachable: [],
    slow: [],
    silent: [],
    busy: [],
    spent: ["time"],
    tooMuch: [],
    foundWithout: [],
    noPictures: [],
    wait: [],
    working: [],
  },
  onlyHere: [],
} as const;

type Sentences<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends readonly []
    ? string
    : Table[Key] extends readonly [string]
      ? (filling: string) => string
      : Table[Key] extends readonly [string, string]
        ? (first: string, second: string | null) => string
        : Sentences<Table[Key]>;
};
/** Our own words in an answer. */
export type AnswerWords = Sentences<typeof SENTENCES>;

/** Throws a `LanguageFileError` where a sentence is missing, unknown, or lacks a hole: an answer is in one language as a whole. */
export function toAnswerWords(file: LanguageFile): AnswerWords {
  const written = new Map(file.pairs("answers").map(([key, text, line]) => [key, { text, line }]));
  const take = (key: string, holes: readonly string[]): string => {
    const { text, line } = written.get(key) ?? file.refuse(1, `The sentence “${key}” is missing in [answers].`);
    written.delete(key);
    const missing = holes.find((hole) => !text.includes(`{${hole}}`));
    if (missing !== undefined) file.refuse(line, `“${key}” needs {${missing}}.`);
    return text;
  };
  const read = (table: object, group: string): object =>
    Object.fromEntries(
      Object.entries(table).map(([name, holes]) => {
        const key = group + name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
        if (!Array.isArray(holes)) return [name, read(holes, `${key} `)];
        const short = take(key, holes.slice(0, 1));
        const long = holes.length > 1 ? take(`${key} +`, holes) : short;
        const fill = (...values: readonly (string | null)[]) =>
          ((values[1] ?? null) === null ? short : long).replaceAll(
            /\{(\w+)\}/gu,
            (hole, of: string) => values[holes.indexOf(of)] ?? hole,
          );
        return [name, holes.length === 0 ? short : fill];
      }),
    );
  const says = read(SENTENCES, "") as AnswerWords;
  for (const [key, { line }] of written) file.refuse(line, `There is no sentence “${key}”.`);
  return says;
}
