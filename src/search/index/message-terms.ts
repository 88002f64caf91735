import type { Attachment, Message } from "../../domain/message.ts";
import type { Has } from "../../domain/search/query.ts";
import { endsAsQuestion } from "../../domain/search/question.ts";
import { type Term, toTerms, toWords, type Word } from "../../domain/search/terms.ts";
import { toMark } from "./vocabulary.ts";

const MAX_CACHED_TERMS = 20_000;
/** What is longer seldom comes again: a whole sentence, in a script that writes without spaces, is thousands of terms. */
const MAX_CACHED_LENGTH = 40;
const LINK = /https?:\/\/\S/;
const MENTION = /<@!?(\d+)>/g;

/** What a message is found by. */
export interface MessageTerms {
  /** How often each occurs. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many words it has that say something. */
  readonly length: number;
  readonly author: string;
}

/** Takes messages apart. The terms of the latest words are cached: the same words come again and again. */
export class TermReader {
  /** Not a BoundedMap: the entries of one made the index of 100,000 messages a tenth larger. */
  #cache = new Map<string, readonly Term[]>();
  #cachedTerms = 0;
  readonly #titleOf: (message: Message) => string;

  /** `titleOf`: what stands above a message and belongs to it, the title of a post say; empty where nothing does. */
  constructor(titleOf: (message: Message) => string = () => "") {
    this.#titleOf = titleOf;
  }

  read(message: Message): MessageTerms {
    const counts = new Map<string, number>();
    let length = this.#add(message.content, counts);
    const title = this.#titleOf(message);
    if (title !== "") length += this.#add(title, counts);
    for (const { filename } of message.attachments) length += this.#add(filename, counts);
    const name = new Map<string, number>();
    this.#add(message.author.name, name);
    for (const [term, count] of name) {
      counts.set(term, (counts.get(term) ?? 0) + count);
      counts.set(toMark("by", term), 1);
    }
    const author = toMark("from", message.author.id);
    for (const mark of [author, ...marksOf(message)]) counts.set(mark, 1);
    return { counts, length, author };
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

  /** How many of the terms say something. */
  #add(text: string, counts: Map<string, number>): number {
    let telling = 0;
    for (const word of toWords(text)) {
      for (const { term, isStop } of this.#cache.get(word.written) ?? this.#remember(word)) {
        counts.set(term, (counts.get(term) ?? 0) + 1);
        if (!isStop) telling += 1;
      }
    }
    return telling;
  }

  #remember(word: Word): readonly Term[] {
    const terms = toTerms(word);
    if (word.written.length > MAX_CACHED_LENGTH) return terms;
    if (this.#cachedTerms >= MAX_CACHED_TERMS) this.clear();
    this.#cachedTerms += terms.length;
    this.#cache.set(word.written, terms);
    return terms;
  }
}

function marksOf({ content, parts, attachments }: Message): string[] {
  const has: Has[] = attachments.flatMap(kindsOf);
  if (LINK.test(content)) has.push("link");
  // From the parts: anybody can type what a poll or a sticker reads like.
  for (const { kind } of parts) if (kind === "sticker" || kind === "poll" || kind === "embed") has.push(kind);
  const mentioned = content.includes("<@") ? [...content.matchAll(MENTION)] : [];
  return [
    ...has.map((kind) => toMark("has", kind)),
    ...mentioned.map(([, id = ""]) => toMark("mentions", id)),
    ...(endsAsQuestion(content) ? [toMark("asks", "")] : []),
  ];
}

function kindsOf({ content_type }: Attachment): Has[] {
  const kind = content_type?.split("/")[0];
  if (kind === "image" || kind === "video") return ["file", kind];
  return kind === "audio" ? ["file", "sound"] : ["file"];
}
