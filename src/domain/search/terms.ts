import { foldBare } from "./keywords.ts";
import { toStem } from "./stem.ts";
import { isRequest, isSpeaking, isStopWord } from "./stop-words.ts";
import { toWords, type Word } from "./words.ts";

/** Something by which a text can be found: the stem of a word, a sign or a pair of signs, an emoji. */
export interface Term {
  readonly term: string;
  /** It says little about what the text is about. */
  readonly isStop: boolean;
}

const HAS_PARTS = /\p{Ll}\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u;
const PLAIN_HAS_PARTS = /[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]/;
const PART = /\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;

/** All terms by which a text with the word in it can be found. */
export function toTerms(word: Word): Term[] {
  const terms: Term[] = [];
  if (word.isDense) for (const sign of word.text) terms.push({ term: sign, isStop: true });
  addTerms(terms, word);
  addParts(terms, word);
  return terms;
}

/** The terms to look for, in the order written, each once. Without stop words and words of asking, unless there is nothing else. */
export function toQueryTerms(text: string): string[] {
  const words = toWords(text);
  const asked = words.findIndex((word) => !isStopWord(word.text) && !isRequest(word.text));
  const terms: Term[] = [];
  for (const [index, word] of words.entries()) {
    const own: Term[] = [];
    addTerms(own, word);
    addParts(own, word);
    const isOfAsking = index < asked || isSpeaking(word.text);
    terms.push(...(isOfAsking ? own.map(({ term }) => ({ term, isStop: true })) : own));
  }
  const telling = terms.filter(({ isStop }) => !isStop);
  return [...new Set((telling.length > 0 ? telling : terms).map(({ term }) => term))];
}

/** Terms that every text has in which the phrase occurs. */
export function toPhraseTerms(phrase: string): string[] {
  const terms: Term[] = [];
  for (const word of toWords(phrase)) {
    if (word.isDense) for (const sign of word.text) terms.push({ term: sign, isStop: false });
    else addTerms(terms, word);
  }
  return [...new Set(terms.map(({ term }) => term))];
}

/** How a word behind a term was spelt, without case and accents, and the terms that it makes together with its neighbours. */
export interface Spelling {
  readonly text: string;
  readonly joined: readonly string[];
}

/** What typing errors, and words that others write as one, are recognised by. By term. */
export function toSpellings(text: string): Map<string, Spelling> {
  const words = toWords(text).filter(({ isDense }) => !isDense);
  const join = (a: Word | undefined, b: Word | undefined) =>
    a && b && !isStopWord(a.text) && !isStopWord(b.text) ? [toStem(a.text + b.text)] : [];
  return new Map(
    words.map((word, index) => {
      const joined = [...join(words[index - 1], word), ...join(word, words[index + 1])];
      return [toStem(word.text), { text: word.text, joined }];
    }),
  );
}

/** The words of the phrase stand there one after the other, whatever their case and accents, and what lies between them. */
export function containsPhrase(text: string, phrase: string): boolean {
  return holdsPhrase(toPhraseText(text), toPhraseText(phrase));
}

/** The same for two texts that were prepared by `toPhraseText`, as many phrases are looked for in one text. */
export function holdsPhrase(text: string, phrase: string): boolean {
  return phrase.trim() !== "" && text.includes(phrase);
}

/** Words with a space on either side. Signs of dense scripts are words of their own here: there a phrase may begin and end anywhere. */
export function toPhraseText(text: string): string {
  const words = toWords(text).map((word) => (word.isDense ? [...word.text].join(" ") : word.text));
  return ` ${words.join(" ")} `;
}

function addTerms(terms: Term[], { text, isDense }: Word): void {
  if (!isDense) {
    const isStop = isStopWord(text);
    terms.push({ term: isStop ? text : toStem(text), isStop });
    return;
  }
  const signs = [...text];
  if (signs.length === 1) terms.push({ term: text, isStop: false });
  for (let index = 1; index < signs.length; index += 1)
    terms.push({ term: `${signs[index - 1]}${signs[index]}`, isStop: false });
}

/** "getUserName" is also found by "user". */
function addParts(terms: Term[], { written, isPlain, isDense }: Word): void {
  if (isDense || !(isPlain ? PLAIN_HAS_PARTS : HAS_PARTS).test(written)) return;
  for (const part of written.match(PART) ?? []) {
    const text = foldBare(part);
    terms.push({ term: toStem(text), isStop: isStopWord(text) });
  }
}
