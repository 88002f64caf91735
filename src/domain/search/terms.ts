import { languageOf } from "../../language/languages.ts";
import { foldBare } from "./keywords.ts";
import { toFullForms, toShortForms } from "./short-forms.ts";
import { toStem } from "./stem.ts";
import { isStopWord } from "./stop-words.ts";
import { toWordForms } from "./word-forms.ts";

export interface Word {
  /** Without case and accents. */
  readonly text: string;
  readonly written: string;
  readonly isPlain: boolean;
  /** In a script without spaces, or one that attaches many affixes to its words. */
  readonly isDense: boolean;
}

const IS_PLAIN = /^[\t-~]*$/;
const PLAIN_PIECE = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g;
/** Words with inner apostrophes, and emoji. */
const PIECE = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu;
/** Mentions and custom emoji. Only an emoji's name is a word. */
const TOKEN = /<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>/g;
const DENSE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const CLITIC = /^(?:s|ll|d|re|ve|m)$/i;
/** Longer strings are not words that people search for. */
const MAX_WORD_LENGTH = 40;

/** The words of a text, in order. Addresses fall into host and path; identifiers at underscores. */
export function toWords(text: string): Word[] {
  const readable = text.includes("<")
    ? text.replaceAll(TOKEN, (_, emoji) => ` ${emoji?.replaceAll("_", " ") ?? ""} `)
    : text;
  const words: Word[] = [];
  if (IS_PLAIN.test(readable)) {
    for (const piece of readable.match(PLAIN_PIECE) ?? []) {
      if (piece.includes("'")) addSpaced(words, piece);
      else
        words.push({
          text: piece.toLowerCase().slice(0, MAX_WORD_LENGTH),
          written: piece,
          isPlain: true,
          isDense: false,
        });
    }
  } else for (const piece of readable.match(PIECE) ?? []) addPiece(words, piece);
  return words;
}

function addPiece(words: Word[], piece: string): void {
  let end = 0;
  for (const { 0: dense, index } of piece.matchAll(DENSE)) {
    addSpaced(words, piece.slice(end, index));
    addWord(words, dense, true);
    end = index + dense.length;
  }
  addSpaced(words, piece.slice(end));
}

/** "don't" is one word, "she's" is "she", "l'été" is two. */
function addSpaced(words: Word[], piece: string): void {
  const parts = piece.split(/['’]/);
  if (parts.length === 2 && parts[1]?.toLowerCase() === "t") addWord(words, parts.join(""), false);
  else for (const [index, part] of parts.entries()) if (index === 0 || !CLITIC.test(part)) addWord(words, part, false);
}

function addWord(words: Word[], written: string, isDense: boolean): void {
  // A lone mark becomes a space.
  const folded = foldBare(written).trim();
  const text = isDense || folded.length <= MAX_WORD_LENGTH ? folded : folded.slice(0, MAX_WORD_LENGTH).toWellFormed();
  if (text !== "") words.push({ text, written, isPlain: false, isDense });
}

/** An index term: the stem of a word, a character or a pair of characters, an emoji. */
export interface Term {
  readonly term: string;
  /** A stop word: says little about the topic. */
  readonly isStop: boolean;
}

const HAS_PARTS = /\p{Ll}\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u;
const PLAIN_HAS_PARTS = /[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]/;
const PART = /\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;

/** All terms under which a text with this word is indexed. */
export function toTerms(word: Word): Term[] {
  const terms: Term[] = [];
  if (word.isDense) for (const sign of word.text) terms.push({ term: sign, isStop: true });
  addTerms(terms, word);
  addParts(terms, word);
  return terms;
}

/** The terms to search for, in the order written, each once. Stop words and words of asking are dropped, unless there are no others. */
export function toQueryTerms(text: string): string[] {
  const words = toWords(text);
  const language = languageOf(words.map((word) => word.text));
  const isStopHere = (word: Word) => isStopWord(word.text) || language.small.has(word.text);
  const asked = words.findIndex((word) => !isStopHere(word) && !REQUESTS.has(word.text));
  const all = new Set<string>();
  const telling = new Set<string>();
  for (const [index, word] of words.entries()) {
    const terms: Term[] = [];
    addTerms(terms, word);
    addParts(terms, word);
    const isOfAsking = index < asked || SPEAKING.has(word.text) || language.small.has(word.text);
    for (const { term, isStop } of terms) {
      all.add(term);
      if (!isStop && !isOfAsking) telling.add(term);
    }
  }
  return [...(telling.size > 0 ? telling : all)];
}

/** Terms that every text with the phrase contains. */
export function toPhraseTerms(phrase: string): string[] {
  const terms: Term[] = [];
  for (const word of toWords(phrase)) {
    if (word.isDense) for (const sign of word.text) terms.push({ term: sign, isStop: false });
    else addTerms(terms, word);
  }
  return [...new Set(terms.map(({ term }) => term))];
}

/** Spelling of the word behind a term, without case and accents. */
export interface Spelling {
  readonly text: string;
  /** Terms made by joining it with its neighbours, and abbreviations of the two. */
  readonly joined: readonly string[];
  /** Terms of its other forms, in the language of the text. */
  readonly forms: readonly string[];
  /** Its abbreviations and full forms, as terms. */
  readonly shortened: readonly string[];
  /** Pairs of terms that are its full form. */
  readonly pairs: readonly (readonly string[])[];
}

/** Spellings by term, for recognising typos and joined words. */
export function toSpellings(text: string): Map<string, Spelling> {
  const words = toWords(text).filter(({ isDense }) => !isDense);
  const join = (a: Word | undefined, b: Word | undefined) =>
    a && b && !isStopWord(a.text) && !isStopWord(b.text)
      ? [toStem(a.text + b.text), ...toShortForms(`${a.text} ${singular(b.text)}`).map(toStem)]
      : [];
  const language = languageOf(words.map((word) => word.text));
  return new Map(
    words.map((word, index) => {
      const full = toFullForms(word.text);
      const shortened = [...toShortForms(word.text), ...full.filter(({ length }) => length === 1).flat()];
      const spelling = {
        text: word.text,
        joined: [...join(words[index - 1], word), ...join(word, words[index + 1])],
        forms: toWordForms(word.text, language).map(toStem),
        shortened: shortened.map(toStem),
        pairs: full.filter(({ length }) => length === 2).map((pair) => pair.map(toStem)),
      };
      return [toStem(word.text), spelling];
    }),
  );
}

/** An English plural without its ending. */
export function singular(word: string): string {
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/**
 * Whether the words of the phrase occur in a row, ignoring case, accents and the characters between them. Both texts are prepared by
 * `toPhraseText`, because many phrases are searched in one text.
 */
export function holdsPhrase(text: string, phrase: string): boolean {
  return phrase.trim() !== "" && text.includes(phrase);
}

/** Words with a space on either side. In dense scripts each character is a word, because a phrase can begin and end anywhere. */
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

/** Words that begin a request: "show me where …", "please look for …". Later in a query they are ordinary words. */
const REQUESTS: ReadonlySet<string> = new Set(
  "find finding search searching look looking show tell give get list remind please recall remember".split(" "),
);

/**
 * Words that describe the kind of a thing ("the project deadline", "the team's new plan"). Messages on the topic seldom contain them, so a
 * rare one says less than its rarity suggests.
 */
const FRAMING: ReadonlySet<string> = new Set(
  [
    "project team group community server channel topic thing stuff subject issue matter item case",
    "people person member user everybody everyone somebody someone guy",
    "info information detail details news update updates announcement discussion conversation chat message messages",
    "current latest recent new next upcoming previous final actual main general",
  ].flatMap((line) => line.split(" ").map((word) => toStem(word))),
);
export const FRAMING_WEIGHT = 0.7;

/** Whether a term describes the kind of a thing rather than naming it. */
export function isFraming(term: string): boolean {
  return FRAMING.has(term);
}

const SPEAKING: ReadonlySet<string> = new Set(
  "say says said saying talked talking discuss discussed discussing mention mentioned mentioning speak spoke".split(
    " ",
  ),
);
