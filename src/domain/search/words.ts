import { foldBare } from "./keywords.ts";

export interface Word {
  /** Without case and accents. */
  readonly text: string;
  readonly written: string;
  readonly isPlain: boolean;
  /** Of a script that writes without spaces, or glues much to its words. */
  readonly isDense: boolean;
}

const IS_PLAIN = /^[\t-~]*$/;
const PLAIN_PIECE = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g;
/** Words with inner apostrophes, and emoji. */
const PIECE = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu;
/** People, roles, channels, custom emoji: of these only an emoji's name is a word. */
const TOKEN = /<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>/g;
const DENSE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const CLITIC = /^(?:s|ll|d|re|ve|m)$/i;
/** What is longer is no word that anybody looks for. */
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
  const folded = foldBare(written);
  const text = isDense || folded.length <= MAX_WORD_LENGTH ? folded : folded.slice(0, MAX_WORD_LENGTH).toWellFormed();
  if (text !== "") words.push({ text, written, isPlain: false, isDense });
}
