/** Words that are capitalised wherever they stand. */
const ALWAYS_CAPITAL = /^I(?:$|['’])/u;
/** A capital is no sign of a name after the end of a sentence, or at the beginning of a line, a list item or a quotation. */
const SENTENCE_START = /(?:^|[.!?:;…]["”’)*_]*\s+|\n|["“”‘(*_>-]\s*)$/u;
const NAME = /\p{Lu}[\p{L}\p{M}\p{N}]*(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;
const HANDLE = /\b[mf]\d{1,6}\b/gu;

/**
 * Numbers and capitalised names of an answer that stand in none of the texts. A rough measure: it takes "five" for no number, 5 pm for another time than
 * 17:00, and no word at the beginning of a sentence for a name.
 */
export function unsupportedIn(
  answer: string,
  texts: readonly string[],
  { hasNames = true }: { /** German writes all nouns with a capital. */ hasNames?: boolean } = {},
): string[] {
  const plain = answer.replaceAll(HANDLE, "").replaceAll(/^\s*\d+[.)]\s/gmu, "");
  const known = texts.join("\n").replaceAll(HANDLE, "").toLowerCase();
  const numbers = new Set(numbersIn(known));
  const words = new Set((known.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(stem));
  const names = hasNames ? namesIn(plain) : [];
  return [
    ...new Set([
      ...numbersIn(plain).filter((number) => !numbers.has(number)),
      ...names.filter((name) => !partsOf(name).every((part) => words.has(stem(part)))),
    ]),
  ];
}

/** 9:05 is 9 and 5, and 12,000 is 12 and 0: how they are written down differs. */
function numbersIn(text: string): string[] {
  return (text.match(/\d+/gu) ?? []).map((digits) => digits.replace(/^0+(?=\d)/u, ""));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)]
    .filter(({ 0: name, index }) => !ALWAYS_CAPITAL.test(name) && !SENTENCE_START.test(text.slice(0, index)))
    .map(([name]) => name);
}

function partsOf(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{M}\p{N}]{2,}/gu) ?? [];
}

/** "Sarah's" and "Marks" are Sarah and Mark. */
function stem(word: string): string {
  return word.replace(/s$/u, "");
}
