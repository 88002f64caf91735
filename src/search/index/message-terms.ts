import type { Attachment, Message } from "../../domain/message.ts";
import type { Has } from "../../domain/search/query.ts";
import { type Term, toTerms, toWords, type Word } from "../../domain/search/terms.ts";
import { tellsTime } from "../../domain/search/time-question.ts";
import { toMark } from "./vocabulary.ts";

const MAX_CACHED_TERMS = 20_000;
/** Longer texts seldom repeat: a whole sentence, in a script without spaces, is thousands of terms. */
const MAX_CACHED_LENGTH = 40;
const LINK = /https?:\/\/\S/;
/** A word of the message may be part of a date or a time of day. */
export const TELLS_TIME = toMark("tells", "time");
const MENTION = /<@!?(\d+)>/g;

/** The terms by which a message is found. */
export interface MessageTerms {
  /** How often each occurs. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many words it has that say something. */
  readonly length: number;
  readonly author: string;
}

interface CachedWord {
  readonly terms: readonly Term[];
  readonly tellsTime: boolean;
}

/** Takes messages apart. The terms of the latest words are cached: the same words come again and again. */
export class TermReader {
  /** Not a BoundedMap: the entries of one made the index of 100,000 messages a tenth larger. */
  #cache = new Map<string, CachedWord>();
  #cachedTerms = 0;
  readonly #titleOf: (message: Message) => string;

  /** `titleOf`: what stands above a message and belongs to it, the title of a post say; empty where nothing does. */
  constructor(titleOf: (message: Message) => string = () => "") {
    this.#titleOf = titleOf;
  }

  /** `question`: what it answers, if that is found only through it. */
  read(message: Message, question?: Message): MessageTerms {
    const counts = new Map<string, number>();
    const title = this.#titleOf(message);
    const { telling, tellsTime: isTimed } = this.#add(message.content, counts);
    let length = telling;
    for (const text of [title, ...message.attachments.map(({ filename }) => filename)])
      if (text !== "") length += this.#add(text, counts).telling;
    const name = new Map<string, number>();
    this.#add(message.author.name, name);
    for (const [term, count] of name) {
      counts.set(term, (counts.get(term) ?? 0) + count);
      counts.set(toMark("by", term), 1);
    }
    const author = toMark("from", message.author.id);
    for (const mark of [author, ...marksOf(message)]) counts.set(mark, 1);
    if (isTimed) counts.set(TELLS_TIME, 1);
    if (question) length += this.#lend(question, counts);
    return { counts, length, author };
  }

  /** Adds the words of a question to those of its answer, marked as such. How many say something. */
  #lend({ content }: Message, counts: Map<string, number>): number {
    const lent = new Map<string, number>();
    const { telling } = this.#add(content.replaceAll(MENTION, " "), lent);
    for (const term of lent.keys()) {
      if (counts.has(term)) continue;
      counts.set(term, 1);
      counts.set(toMark("lent", term), 1);
    }
    return telling;
  }

  /** Forgets all words. */
  clear(): void {
    this.#cache = new Map();
    this.#cachedTerms = 0;
  }

  /** How many terms are cached. */
  get size(): number {
    return this.#cachedTerms;
  }

  /** How many of the terms say something, and whether one of the words may tell a time. */
  #add(text: string, counts: Map<string, number>): { telling: number; tellsTime: boolean } {
    const found = { telling: 0, tellsTime: false };
    for (const word of toWords(text)) {
      const { terms, tellsTime: isTime } = this.#cache.get(word.written) ?? this.#remember(word);
      found.tellsTime ||= isTime;
      for (const { term, isStop } of terms) {
        counts.set(term, (counts.get(term) ?? 0) + 1);
        if (!isStop) found.telling += 1;
      }
    }
    return found;
  }

  #remember(word: Word): CachedWord {
    const known = { terms: toTerms(word), tellsTime: tellsTime(word.written) };
    if (word.written.length > MAX_CACHED_LENGTH) return known;
    if (this.#cachedTerms >= MAX_CACHED_TERMS) this.clear();
    this.#cachedTerms += known.terms.length;
    this.#cache.set(word.written, known);
    return known;
  }
}

function marksOf({ content, parts, attachments }: Message): string[] {
  const has: Has[] = attachments.flatMap(kindsOf);
  if (LINK.test(content)) has.push("link");
  // Taken from the parts, because people can type the text of a poll or a sticker.
  for (const { kind } of parts) if (kind === "sticker" || kind === "poll" || kind === "embed") has.push(kind);
  const mentioned = content.includes("<@") ? [...content.matchAll(MENTION)] : [];
  return [
    ...has.map((kind) => toMark("has", kind)),
    ...mentioned.map(([, id = ""]) => toMark("mentions", id)),
    ...(endsAsQuestion(content) ? [toMark("asks", "")] : []),
    ...(asksSomething(content) ? [toMark("asks", "within")] : []),
  ];
}

function kindsOf({ content_type }: Attachment): Has[] {
  const kind = content_type?.split("/")[0];
  if (kind === "image" || kind === "video") return ["file", kind];
  return kind === "audio" ? ["file", "sound"] : ["file"];
}

/** The question marks of Latin, Greek, Arabic and East Asian writing. */
const END = /[?\u037e\u061f\uff1f]["'”’»)\]]*\s*$/u;

const WITHIN = /[?\u037e\u061f\uff1f]["'”’»)\]]*(?=\s|$)/u;

/** One of the sentences is a question, as its mark says. */
function asksSomething(text: string): boolean {
  return WITHIN.test(text);
}

/** The last sentence is a question, as its mark says. */
function endsAsQuestion(text: string): boolean {
  return END.test(text);
}
