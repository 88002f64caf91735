import { foldWord, type GlossedWords } from "./language-words.ts";
import { LANGUAGES } from "./languages.ts";
import { toStems } from "./to-glossary.ts";

/** A word of a question that the glossary knows, and what it may mean in English. */
export interface GlossedWord {
  readonly written: string;
  readonly english: readonly string[];
}

/** In a language that joins words, one this long may be two. */
const MIN_COMPOUND_LENGTH = 8;
const MIN_PART_LENGTH = 4;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

/** Takes the words out of a text that the glossary knows. Names, numbers and what it does not know are left. */
export function takeGlossed(text: string, code: string): { rest: string; meant: GlossedWord[] } {
  const glossary = LANGUAGES.find((language) => language.code === code)?.glossary;
  const meant: GlossedWord[] = [];
  if (!glossary) return { rest: text, meant };
  let rest = text;
  for (const [pattern, english] of glossary.dense)
    rest = rest.replaceAll(pattern, (written) => {
      meant.push({ written, english });
      return " ";
    });
  rest = rest.replaceAll(WORD, (written) => {
    const found = lookUp(written, glossary);
    meant.push(...found);
    return found.length > 0 ? " " : written;
  });
  return { rest: rest.replaceAll(/\s+/gu, " ").trim(), meant };
}

function lookUp(written: string, glossary: GlossedWords): GlossedWord[] {
  // "l'heure" is an hour.
  const word = foldWord(written.replace(/^\p{L}{1,2}['’]/u, ""));
  const english = find(word, glossary);
  if (english) return [{ written, english }];
  const isLong = glossary.joints.length > 0 && word.length >= MIN_COMPOUND_LENGTH;
  return isLong ? splitCompound(word, written, glossary) : [];
}

function find(word: string, { exact, stems, endings }: GlossedWords): readonly string[] | undefined {
  const forms = toStems(word, endings);
  const first = (map: ReadonlyMap<string, readonly string[]>) =>
    forms.map((form) => map.get(form)).find((english) => english !== undefined);
  return first(exact) ?? first(stems);
}

/** A compound of two words. Both have to be known. */
function splitCompound(word: string, written: string, glossary: GlossedWords): GlossedWord[] {
  for (let at = MIN_PART_LENGTH; at <= word.length - MIN_PART_LENGTH; at += 1) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    const joint = glossary.joints.find((each) => head.endsWith(each)) ?? "";
    const first = find(head, glossary) ?? find(head.slice(0, head.length - joint.length), glossary);
    const second = find(tail, glossary);
    if (first && second)
      return [
        { written: head, english: first },
        { written, english: second },
      ];
  }
  return [];
}
