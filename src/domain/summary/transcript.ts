import { compareIds, type MessageId, type UserId } from "../ids.ts";
import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { extractLinksWithTrimmed } from "../text/links.ts";
import { messagePieces } from "../text/message-pieces.ts";
import { estimateTokens } from "../text/tokens.ts";
import { type LinePiece, renderPieces } from "../text/untrusted-block.ts";
import { isChatMessage, type SummaryNames } from "./summary-posts.ts";

/** One message as shown to a model. */
export interface Utterance {
  readonly id: MessageId;
  readonly replyTo: MessageId | null;
  readonly authorId: UserId;
  /** With a unique display name. */
  readonly author: { readonly name: string; readonly bot: boolean };
  readonly ts: string;
  /** With names for mentions. */
  readonly content: readonly LinePiece[];
  /** Links in the message, verbatim. */
  readonly links: readonly string[];
}

/** A chunk ends at a half hour only with at least this many messages. */
const MIN_MESSAGES = 40;
const MAX_MESSAGES = 80;
/** With instructions and answer this fits the 4,096 tokens of context that a small local model usually has. */
const MAX_TOKENS = 2_400;
const HALF_HOUR_MS = 30 * 60_000;
/** The cost of a line around its author and content. */
const LINE_TOKENS = 16;

/** Oldest first, without duplicates. */
export function* toTranscript(messages: readonly Message[], names: SummaryNames, pacer: Pacer): Steps<Utterance[]> {
  const byId = new Map(messages.filter(isChatMessage).map((message) => [message.message_id, message]));
  const transcript: Utterance[] = [];
  for (const message of [...byId.values()].sort((a, b) => compareIds(a.message_id, b.message_id))) {
    transcript.push(toUtterance(message, names));
    if (pacer.spend(UTTERANCE_COST + CHARACTER_COST * message.content.length)) yield;
  }
  return transcript;
}

/** The cost of a message, and of each of its characters, in units of work. */
const UTTERANCE_COST = 1_000;
const CHARACTER_COST = 20;

function toUtterance(message: Message, { names, displayNames }: SummaryNames): Utterance {
  return {
    id: message.message_id,
    replyTo: message.reply_to?.message_id ?? null,
    authorId: message.author.id,
    author: { name: displayNames.of(message.author), bot: message.author.bot },
    ts: message.ts,
    content: messagePieces(message, names),
    links: extractLinksWithTrimmed(message.content),
  };
}

/**
 * Splits a transcript into chunks that can be summarised separately. A chunk with enough messages ends at a full half hour, so that most chunks of
 * a range that begins and ends a little later are the same, and their summaries can be reused.
 */
export function toChunks(transcript: readonly Utterance[], maxTokens = MAX_TOKENS): Utterance[][] {
  const chunks: Utterance[][] = [];
  let tokens = 0;
  for (const utterance of transcript) {
    const last = chunks.at(-1);
    const before = last?.at(-1);
    const cost = tokensOf(utterance);
    const isFull = !last || last.length >= MAX_MESSAGES || tokens + cost > Math.min(maxTokens, MAX_TOKENS);
    if (isFull || (last.length >= MIN_MESSAGES && before && halfHourOf(before) !== halfHourOf(utterance))) {
      chunks.push([utterance]);
      tokens = cost;
    } else {
      last.push(utterance);
      tokens += cost;
    }
  }
  return chunks;
}

function tokensOf({ author, content }: Utterance): number {
  return estimateTokens(author.name) + estimateTokens(renderPieces(content, null)) + LINE_TOKENS;
}

function halfHourOf({ ts }: Utterance): number {
  return Math.floor(Date.parse(ts) / HALF_HOUR_MS);
}
