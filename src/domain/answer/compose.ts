import type { Language } from "../../language/language.ts";
import type { Message } from "../message.ts";
import { escapeMarkdown } from "../text/escape-markdown.ts";
import { toRelativeTime } from "../text/relative-time.ts";

/** One message on Discord, with a link for each citation. */
const MAX_ANSWER_LENGTH = 1_850;
const LINK_LENGTH = 95;
const HANDLE = /(?<!\\)\[[mfp]\d+/gu;
const MAX_PASSAGE_LENGTH = 600;
const MAX_CONTEXT_LENGTH = 120;
const MAX_QUOTE_LENGTH = 200;
const MAX_NAME_LENGTH = 80;

export interface AnswerContext {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
}

export interface Quoted {
  readonly message: Message;
  /** Null in direct messages; undefined where it goes without saying. */
  readonly place?: string | null;
  readonly words: string;
  /** Something later corrects it. */
  readonly isEarlier?: boolean;
  /** Who said it was asked for. */
  readonly isNamed?: boolean;
}

export function composeQuote(
  { message, place, words, isEarlier = false, isNamed = false }: Quoted,
  handle: string,
  { language, now }: AnswerContext,
): string {
  const { says, code } = language;
  const author = escapeName(message.author.name);
  const where = place === undefined ? "" : ` ${composePlace(place, says)}`;
  const source = `${isNamed ? `**${author}**` : author}${where}, ${toRelativeTime(message.ts, now, code)}`;
  return `${isEarlier ? `${says.earlier}, ` : ""}${source}: ${quote(words, MAX_PASSAGE_LENGTH)} [${handle}]`;
}

/** `name`: null for direct messages. */
export function composePlace(name: string | null, { inDirectMessages, inPlace }: Language["says"]): string {
  return name === null ? inDirectMessages : inPlace(`#${escapeName(name)}`);
}

/** `arrow`: up to what a quotation answers, down to what was replied to it. */
export function composeContext({ author }: Message, words: string, arrow: "↑" | "↓"): string {
  return `  ${arrow} ${escapeName(author.name)}: ${quote(words, MAX_CONTEXT_LENGTH)}`;
}

/** What somebody wrote, on one line that nothing in it can end, format or forge. */
export function quote(words: string, maxLength = MAX_QUOTE_LENGTH): string {
  return `“${escapeMarkdown(words.replaceAll(/[“”„"]/gu, "'"), maxLength)}”`;
}

/** A name, or a few words that were typed, within a sentence. */
export function escapeName(name: string): string {
  return escapeMarkdown(name.replaceAll(/['“”„"↑↓]/gu, "’"), MAX_NAME_LENGTH);
}

export interface Reach {
  readonly scanned: number | null;
  /** In words of the language; only of an answer that has nothing to quote, and so names no place. */
  readonly where?: string;
  readonly from: string | null;
  readonly isPartial: boolean;
  /** The tool's note that others see the answer. */
  readonly isShared: boolean;
}

export function composeReach(reach: Reach, { language: { says, code }, zone }: AnswerContext): string {
  const { scanned, where, from, isPartial, isShared } = reach;
  const count = new Intl.NumberFormat(code).format(scanned ?? 0);
  const { format } = new Intl.DateTimeFormat(code, { dateStyle: "medium", timeZone: zone });
  const lookedAt = from === null ? says.lookedAt(count) : says.lookedAtSince(count, format(Date.parse(from)));
  const line = [scanned === null ? "" : lookedAt, where, isPartial && says.notEverything, says.noModelAsked]
    .filter(Boolean)
    .join(" · ");
  const stop = /\p{sc=Hiragana}$/u.test(line) ? "。" : ". ";
  return `-# ${line.charAt(0).toUpperCase()}${line.slice(1)}${stop}${isShared ? says.onlyHere : ""}`.trim();
}

export function composeAnswer(heading: string | null, lines: readonly string[], small: string): string {
  let length = (heading?.length ?? -1) + 1 + small.length;
  const kept: string[] = [];
  for (const line of lines) {
    length += line.length + LINK_LENGTH * (line.match(HANDLE)?.length ?? 0) + 1;
    if (length > MAX_ANSWER_LENGTH && kept.length > 0) break;
    kept.push(line);
  }
  return [heading ?? "", ...kept, small].filter((line) => line !== "").join("\n");
}
