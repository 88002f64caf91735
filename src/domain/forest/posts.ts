import type { Message } from "../message.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { foldBare } from "../search/keywords.ts";
import { isStopWord } from "../search/stop-words.ts";
import { ACKNOWLEDGES, ASKS, cuesOf, GOES_ON, GREETS, SAYS_YOU } from "./cue-words.ts";
import { indexNames, type NameBook } from "./name-book.ts";

/** What of a message tells whom it answers. People are known by the order in which they first spoke. */
export interface Post {
  readonly index: number;
  readonly author: number;
  readonly isBot: boolean;
  readonly isSystem: boolean;
  readonly minutes: number;
  /** Whom else it names, in order. */
  readonly named: readonly number[];
  /** It begins with whom it names. */
  readonly isAddressed: boolean;
  readonly asks: boolean;
  readonly greets: boolean;
  readonly acknowledges: boolean;
  readonly saysYou: boolean;
  /** It begins as one goes on with a sentence. */
  readonly goesOn: boolean;
  /** In words. */
  readonly length: number;
  /** Words that say something, each once. */
  readonly words: readonly string[];
}

/** A message may be long and hostile; nobody names whom they answer behind so many characters. */
const READ = 600;
const MOST_NAMED = 4;
const MOST_WORDS = 24;
const LONGEST_WORD = 40;
/** Whoever agrees or thanks does so in the first words. */
const EARLY = 8;
/** Roles, channels, times, custom emoji. */
const NO_WORDS = /<(?:@&|#|t:|a?:\w{1,32}:)\d{1,20}(?::\w)?>/g;
const IS_PLAIN = /^[\t-~]*$/;
const NOTHING: Reading = { index: 0, text: "", pieces: [] };
const PLAIN_PIECE = /<@!?\d{1,20}>|[a-z0-9]+/g;
const PIECE = /<@!?\d{1,20}>|[\p{L}\p{M}\p{N}]+/gu;

/** Messages, oldest first. */
export function toPosts(ordered: readonly Message[]): Post[] {
  const people = new Map<string, number>();
  const names: string[] = [];
  for (const { author } of ordered) {
    if (people.has(author.id)) continue;
    people.set(author.id, people.size);
    names.push(author.name);
  }
  const texts = ordered.map(({ kind, content }) => toReadable(kind === "system" ? "" : content));
  const read = texts.map((text, index) => ({ index, text, pieces: toPieces(text) }));
  const book = indexNames(
    names,
    read.map(({ pieces }) => pieces),
  );
  return ordered.map((message, index) => toPost(message, read[index] ?? NOTHING, { people, book }));
}

/** A message as far as it was read. */
interface Reading {
  readonly index: number;
  readonly text: string;
  readonly pieces: readonly string[];
}

interface Names {
  readonly people: ReadonlyMap<string, number>;
  readonly book: NameBook;
}

function toPost({ author, kind, ts }: Message, { index, text, pieces }: Reading, names: Names): Post {
  const speaker = names.people.get(author.id) ?? 0;
  const named: number[] = [];
  const words: string[] = [];
  let [isAddressed, start, cues] = [false, 0, 0];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? "";
    const found = findNamed(text, { pieces, at }, names);
    if (found) {
      for (const person of found.people) {
        if (person === speaker || named.includes(person) || named.length >= MOST_NAMED) continue;
        named.push(person);
        if (at === 0) isAddressed = true;
      }
      if (at === 0) start = found.pieces;
      at += found.pieces - 1;
      continue;
    }
    const cue = cuesOf(piece);
    cues |= cue & (at === start ? ASKS | GREETS | GOES_ON | SAYS_YOU : SAYS_YOU);
    if (at < EARLY) cues |= cue & ACKNOWLEDGES;
    if (words.length < MOST_WORDS && isTelling(piece) && !words.includes(piece)) words.push(piece);
  }
  return {
    index,
    author: speaker,
    isBot: author.bot,
    isSystem: kind === "system",
    minutes: Date.parse(ts) / 60_000,
    named,
    isAddressed,
    asks: (cues & ASKS) !== 0 || text.includes("?"),
    greets: (cues & GREETS) !== 0,
    // A smile, for example.
    acknowledges: (cues & ACKNOWLEDGES) !== 0 || (pieces.length === 0 && text.trim() !== ""),
    saysYou: (cues & SAYS_YOU) !== 0,
    goesOn: (cues & GOES_ON) !== 0,
    length: pieces.length,
    words,
  };
}

function toReadable(content: string): string {
  const start = content.length > READ ? content.slice(0, READ) : content;
  const head = start.includes("<") ? start.replaceAll(NO_WORDS, " ") : start;
  return IS_PLAIN.test(head) ? head.toLowerCase() : foldBare(head);
}

/** Words, and tokens that mention somebody. */
function toPieces(text: string): string[] {
  return text.match(IS_PLAIN.test(text) ? PLAIN_PIECE : PIECE) ?? [];
}

interface Found {
  readonly people: readonly number[];
  /** How many pieces the name takes. */
  readonly pieces: number;
}

/** Whom the pieces from here on name; null if nobody. */
function findNamed(text: string, { pieces, at }: Place, { people, book }: Names): Found | null {
  const piece = pieces[at] ?? "";
  if (piece.startsWith("<")) {
    const person = people.get(piece.replace(/\D+/g, ""));
    return { people: person === undefined ? [] : [person], pieces: 1 };
  }
  const entries = book.get(piece);
  if (!entries) return null;
  for (const { words, people: bearers, isOrdinary } of entries) {
    if (!words.every((word, ahead) => pieces[at + ahead] === word)) continue;
    if (!isOrdinary || isMarked(text, { pieces, at }, words.length)) return { people: bearers, pieces: words.length };
  }
  return null;
}

interface Place {
  readonly pieces: readonly string[];
  readonly at: number;
}

/** `@name` anywhere, `name:` and `name,` at the beginning. */
function isMarked(text: string, { pieces, at }: Place, length: number): boolean {
  if (text.includes("@") && hasSign(text, pieces[at] ?? "")) return true;
  if (at > 0) return false;
  let end = 0;
  for (const piece of pieces.slice(0, length)) end = text.indexOf(piece, end) + piece.length;
  return /^[^\p{L}\p{N}\s]{0,3}[:,]/u.test(text.slice(end, end + 4));
}

function hasSign(text: string, word: string): boolean {
  const sign = text.indexOf(`@${word}`);
  return sign >= 0 && !/[\p{L}\p{N}]/u.test(text.charAt(sign + 1 + word.length));
}

function isTelling(word: string): boolean {
  return word.length > 2 && word.length <= LONGEST_WORD && !isStopWord(word) && !isOrdinaryWord(word);
}
