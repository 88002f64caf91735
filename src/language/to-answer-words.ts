import type { LanguageFile } from "./language-file.ts";
import { type AnswerWords, toKey } from "./language-words.ts";

/** Every sentence of ours, with the holes that it has to have. One that goes on with `+` has a longer form, for when the second hole is known. */
const SENTENCES =
  `greeting, help, examples, needs model, waiting {what}, waiting to forget {what}, what to remember, nothing remembered, remembered,
  profile known, profile discord, profile service, profile otherwise, profile unavailable, documents unavailable, channels unavailable, not remembered {what},
  no clear answer, earlier, in place {name}, in direct messages, none matching {what}, none from {name} + {what}, none in thread, no activity, no more,
  unknown person {name}, which person {name}, who is meant, message not found, no bots, isolated, in short {place},
  looked at {messages} + {since}, not everything, no model asked, model unreachable, model slow, model silent, model busy,
  model spent {time}, model too much, model found without, model no pictures, model wait, model working, only here`
    .split(",")
    .map((each) => each.trim());

/** Throws a `LanguageFileError` where a sentence is missing, unknown, or lacks a hole: an answer is in one language as a whole. */
export function toAnswerWords(file: LanguageFile): AnswerWords {
  const written = new Map(file.pairs("answers").map(([key, text, line]) => [key, { text, line }]));
  const take = (key: string, holes: readonly string[]): string => {
    const { text, line } = written.get(key) ?? file.refuse(1, `The sentence “${key}” is missing in [answers].`);
    written.delete(key);
    const missing = holes.find((hole) => !text.includes(hole));
    if (missing !== undefined) file.refuse(line, `“${key}” needs ${missing}.`);
    return text;
  };
  const says: Record<string, unknown> = { model: {}, profile: {} };
  for (const sentence of SENTENCES) {
    const holes = sentence.match(/\{\w+\}/gu) ?? [];
    const key = sentence.replace(/ [{+].*$/u, "");
    const [first, second] = holes;
    const short = take(key, first === undefined ? [] : [first]);
    const long = second === undefined ? short : take(`${key} +`, holes);
    const group = /^(?:model|profile)(?= )/u.exec(key)?.[0];
    const place = (group === undefined ? says : says[group]) as Record<string, unknown>;
    place[toKey(group === undefined ? key : key.slice(group.length + 1))] =
      key === "examples" ? short.split(" | ") : first === undefined ? short : fill(short, long, holes);
  }
  for (const [key, { line }] of written) file.refuse(line, `There is no sentence “${key}”.`);
  return says as unknown as AnswerWords;
}

function fill(
  short: string,
  long: string,
  holes: readonly string[],
): (...values: readonly (string | null)[]) => string {
  return (...values) =>
    ((values[1] ?? null) === null ? short : long).replaceAll(
      /\{\w+\}/gu,
      (hole) => values[holes.indexOf(hole)] ?? hole,
    );
}
