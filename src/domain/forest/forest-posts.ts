import type { Message } from "../message.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { foldBare } from "../search/keywords.ts";
import { isStopWord } from "../search/stop-words.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";
import { ACKNOWLEDGEMENT, CONTINUATION, cuesOf, GREETING, QUESTION, SAYS_YOU } from "./cue-words.ts";
import { indexNames, type NameEntry } from "./forest-names.ts";

/** The features of a message that suggest which post it answers. People are numbered in the order of their first post. */
export interface ForestPost {
  readonly index: number;
  readonly author: number;
  readonly isBot: boolean;
  readonly isSystem: boolean;
  readonly minutes: number;
  /** Other people it names, in order. */
  readonly named: readonly number[];
  /** It begins with the name. */
  readonly isAddressed: boolean;
  readonly isQuestion: boolean;
  readonly isGreeting: boolean;
  readonly isAcknowledgement: boolean;
  readonly saysYou: boolean;
  /** It begins like the continuation of a sentence. */
  readonly isContinuation: boolean;
  readonly hasFiles: boolean;
  readonly hasLink: boolean;
  /** In words. */
  readonly length: number;
  /** The numbers of its content words, without duplicates. */
  readonly words: readonly number[];
}

/** Characters read of a message, which may be long and hostile. Addressees are always named within them. */
const MAX_READ_CHARACTERS = 600;
/** Letters beyond ASCII take much longer to process. */
const MAX_FOLDED_CHARACTERS = 300;
const MAX_PIECES = 150;
const MAX_NAMED = 4;
const MAX_WORDS = 24;
/** Agreement and thanks occur within this many first words. */
const MAX_EARLY_WORDS = 8;
/** Mentions of roles and channels, times, custom emoji. */
const NO_WORDS = /<(?:@&|#|t:|a?:\w{1,32}:)\d{1,20}(?::\w)?>/g;
const IS_PLAIN = /^[\t-~]*$/;
const PLAIN_PIECE = /<@!?\d{1,20}>|[a-z0-9]+/g;
const PIECE = /<@!?\d{1,20}>|[\p{L}\p{M}\p{N}]+/gu;

/** Expects messages oldest first. */
export function* toForestPosts(ordered: readonly Message[], pacer: Pacer): Steps<ForestPost[]> {
  const people = new Map<string, number>();
  const names: string[] = [];
  for (const { author } of ordered) {
    if (people.has(author.id)) continue;
    people.set(author.id, people.size);
    names.push(author.name);
  }
  const vocabulary: ForestVocabulary = new Map();
  const readings: Reading[] = [];
  for (const [index, { kind, content }] of ordered.entries()) {
    const text = kind === "system" ? "" : toReadable(content);
    readings.push({ index, text, words: learnWords(vocabulary, toPieces(text), people) });
    if (pacer.spend(READ_COST + COST.character * text.length)) yield;
  }
  for (const [first, entries] of indexNames(names, vocabulary)) {
    const word = vocabulary.get(first);
    if (word) word.names = entries;
  }
  if (pacer.spend(NAME_COST * names.length)) yield;
  const posts: ForestPost[] = [];
  for (const [index, message] of ordered.entries()) {
    const reading = readings[index] ?? NOTHING;
    posts.push(toPost(message, reading, people));
    if (pacer.spend(WORD_COST * reading.words.length)) yield;
  }
  return posts;
}

/** The cost of a message, of indexing a name, and of a word, in units of work. */
const READ_COST = 300;
const NAME_COST = 500;
const WORD_COST = 20;

/** The part of a message that was read. */
interface Reading {
  readonly index: number;
  readonly text: string;
  readonly words: readonly ForestWord[];
}

const NOTHING: Reading = { index: 0, text: "", words: [] };

function toPost(
  { author, kind, ts, attachments }: Message,
  reading: Reading,
  people: ReadonlyMap<string, number>,
): ForestPost {
  const { index, text, words } = reading;
  const speaker = people.get(author.id) ?? 0;
  const named: number[] = [];
  const contentWords: number[] = [];
  let [isAddressed, start, cues] = [false, 0, 0];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) break;
    const found = findNamed(reading, word, at);
    if (found) {
      for (const person of found.people) {
        if (person === speaker || named.includes(person) || named.length >= MAX_NAMED) continue;
        named.push(person);
        if (at === 0) isAddressed = true;
      }
      if (at === 0) start = found.length;
      at += found.length - 1;
      continue;
    }
    cues |= word.cues & (at === start ? QUESTION | GREETING | CONTINUATION | SAYS_YOU : SAYS_YOU);
    if (at < MAX_EARLY_WORDS) cues |= word.cues & ACKNOWLEDGEMENT;
    if (word.contentNumber !== null && contentWords.length < MAX_WORDS && !contentWords.includes(word.contentNumber))
      contentWords.push(word.contentNumber);
  }
  return {
    index,
    author: speaker,
    isBot: author.bot,
    isSystem: kind === "system",
    minutes: Date.parse(ts) / 60_000,
    named,
    isAddressed,
    isQuestion: (cues & QUESTION) !== 0 || text.includes("?"),
    isGreeting: (cues & GREETING) !== 0,
    // An emoji alone, for example.
    isAcknowledgement: (cues & ACKNOWLEDGEMENT) !== 0 || (words.length === 0 && text.trim() !== ""),
    saysYou: (cues & SAYS_YOU) !== 0,
    isContinuation: (cues & CONTINUATION) !== 0,
    hasFiles: attachments.length > 0,
    hasLink: text.includes("://"),
    length: words.length,
    words: contentWords,
  };
}

function toReadable(content: string): string {
  const start = content.length > MAX_READ_CHARACTERS ? content.slice(0, MAX_READ_CHARACTERS) : content;
  const head = start.includes("<") ? start.replaceAll(NO_WORDS, " ") : start;
  if (IS_PLAIN.test(head)) return head.toLowerCase();
  // NFKD may expand a single character to a whole sentence.
  return foldBare(head.slice(0, MAX_FOLDED_CHARACTERS).normalize("NFKD").slice(0, MAX_FOLDED_CHARACTERS));
}

/** Words, and tokens that mention a person. */
function toPieces(text: string): string[] {
  const pieces = text.match(IS_PLAIN.test(text) ? PLAIN_PIECE : PIECE) ?? [];
  return pieces.length > MAX_PIECES ? pieces.slice(0, MAX_PIECES) : pieces;
}

interface Found {
  readonly people: readonly number[];
  /** The number of words of the name. */
  readonly length: number;
}

/** The people named by the words from `at` on; null for none. */
function findNamed(reading: Reading, word: ForestWord, at: number): Found | null {
  if (word.mentioned) return { people: word.mentioned, length: 1 };
  for (const { words, people, isOrdinary } of word.names) {
    if (!words.every((one, ahead) => reading.words[at + ahead]?.text === one)) continue;
    if (!isOrdinary || isMarked(reading, at, words)) return { people, length: words.length };
  }
  return null;
}

/** `@name` anywhere, `name:` and `name,` at the beginning. */
function isMarked({ text }: Reading, at: number, name: readonly string[]): boolean {
  if (text.includes("@") && hasSign(text, name[0] ?? "")) return true;
  if (at > 0) return false;
  let end = 0;
  for (const word of name) end = text.indexOf(word, end) + word.length;
  return /^[^\p{L}\p{N}\s]{0,3}[:,]/u.test(text.slice(end, end + 4));
}

function hasSign(text: string, word: string): boolean {
  const sign = text.indexOf(`@${word}`);
  return sign >= 0 && !/[\p{L}\p{N}]/u.test(text.charAt(sign + 1 + word.length));
}

/** A word of the texts or a mention token, analysed once, however often it occurs. */
interface ForestWord {
  readonly text: string;
  /** How often a text begins with it, and how often it occurs later in a text. */
  readonly places: { first: number; within: number };
  readonly cues: number;
  /** Its number if it is a content word, otherwise null. */
  readonly contentNumber: number | null;
  /** For a mention token the person, if they are among the authors; null for a word. */
  readonly mentioned: readonly number[] | null;
  /** Names that begin with the word. */
  names: readonly NameEntry[];
}

/** All words, by spelling. */
type ForestVocabulary = Map<string, ForestWord>;

const MAX_WORD_LENGTH = 40;
const NO_NAMES: readonly NameEntry[] = [];

/** The words of a text in order. Adds new ones to the vocabulary. */
function learnWords(
  vocabulary: ForestVocabulary,
  pieces: readonly string[],
  people: ReadonlyMap<string, number>,
): ForestWord[] {
  return pieces.map((text, at) => {
    let word = vocabulary.get(text);
    if (!word) {
      word = toWord(text, vocabulary.size, people);
      vocabulary.set(text, word);
    }
    if (at === 0) word.places.first += 1;
    else word.places.within += 1;
    return word;
  });
}

function toWord(text: string, number: number, people: ReadonlyMap<string, number>): ForestWord {
  const isMention = text.startsWith("<");
  const person = isMention ? people.get(text.replace(/\D+/g, "")) : undefined;
  return {
    text,
    places: { first: 0, within: 0 },
    cues: cuesOf(text),
    contentNumber: !isMention && isContentWord(text) ? number : null,
    mentioned: isMention ? (person === undefined ? [] : [person]) : null,
    names: NO_NAMES,
  };
}

function isContentWord(word: string): boolean {
  return word.length > 2 && word.length <= MAX_WORD_LENGTH && !isStopWord(word) && !isOrdinaryWord(word);
}
