import { compareIds, type MessageId } from "../ids.ts";
import { joinParts, type Message, type MessagePart } from "../message.ts";
import type { DisplayNames } from "../names/display-names.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { containsKeywords, type Keyword, toKeywords } from "../search/keywords.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";
import { quoteName } from "../text/escape.ts";
import { attachedTexts } from "../text/message-pieces.ts";
import type { MentionNames } from "../text/replace-mentions.ts";
import { type Cues, findCues } from "./cue-phrases.ts";
import { sentencesIn, toPlainText } from "./quote.ts";
import { contentWordsIn } from "./topic-words.ts";

/** A message, read for a summary. */
export interface SummaryPost {
  readonly id: MessageId;
  readonly message: Message;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Tells them from all others, and can stand among our own words. */
  readonly name: string;
  /** Their own plain words on one line; empty where there are none. */
  readonly text: string;
  /** What to quote: their own words, or else something that came with the message, and what that is. */
  readonly quotable: { readonly text: string; readonly label: string | null };
  /** All that can be read there, as plain words on one line. */
  readonly everything: string;
  readonly sentences: readonly { readonly text: string; readonly cues: Cues }[];
  /** What it may be about: how the words compare, and how they are written. */
  readonly words: ReadonlyMap<string, string>;
  /** How many of the given messages reply to it. */
  readonly replies: number;
}

export interface SummaryNames {
  /** Names that those who read the summary may know. */
  readonly names: MentionNames;
  readonly displayNames: DisplayNames;
}

/** Oldest first, each once. Discord's notices are left out, but for the outcome of a poll. */
export function* toSummaryPosts(messages: readonly Message[], names: SummaryNames, pacer: Pacer): Steps<SummaryPost[]> {
  const byId = new Map(messages.filter(isSpeech).map((message) => [message.message_id, message]));
  const replies = new Map<MessageId, number>();
  for (const { reply_to } of byId.values())
    if (reply_to) replies.set(reply_to.message_id, (replies.get(reply_to.message_id) ?? 0) + 1);
  const posts: SummaryPost[] = [];
  for (const message of [...byId.values()].sort((a, b) => compareIds(a.message_id, b.message_id))) {
    posts.push(toPost(message, names, replies.get(message.message_id) ?? 0));
    if (pacer.spend(costOf(message))) yield;
  }
  return posts;
}

/** What it takes to read a message, and each of its characters, in units of work: several patterns look for cues in each sentence. */
const POST_COST = 5_000;
const CHARACTER_COST = 60;
/** What is longer is read only in part. */
const MAX_LENGTH = 4_000;

function costOf({ content }: Message): number {
  return POST_COST + CHARACTER_COST * Math.min(content.length, MAX_LENGTH);
}

function toPost(message: Message, { names, displayNames }: SummaryNames, replies: number): SummaryPost {
  const text = toPlainText(ownText(message), names);
  const everything = toPlainText(message.content, names);
  return {
    id: message.message_id,
    message,
    time: Date.parse(message.ts),
    name: quoteName(displayNames.of(message.author)),
    text,
    quotable: text === "" ? attachedText(message, names) : { text, label: null },
    everything,
    sentences: (isOutcome(message) ? [text] : sentencesIn(text)).map((sentence) => ({
      text: sentence,
      cues: findCues(sentence),
    })),
    words: contentWordsIn(everything),
    replies,
  };
}

/** Those that mention a word of the focus, or whose author goes by it, with what they reply to and what replies to them. */
export function* narrowPosts(posts: readonly SummaryPost[], focus: string, pacer: Pacer): Steps<SummaryPost[]> {
  const words = toKeywords(focus);
  const telling = words.filter(({ folded }) => !isOrdinaryWord(folded));
  const keywords = telling.length > 0 ? telling : words;
  if (keywords.length === 0) return [...posts];
  const meant = new Set<MessageId>();
  for (const post of posts) {
    if (mentions(post, keywords)) meant.add(post.id);
    if (pacer.spend(COST.character * post.text.length * keywords.length)) yield;
  }
  const parents = new Set(posts.flatMap(({ id, message }) => (meant.has(id) ? [message.reply_to?.message_id] : [])));
  return posts.filter(({ id, message: { reply_to } }) => {
    return meant.has(id) || parents.has(id) || (reply_to !== null && meant.has(reply_to.message_id));
  });
}

function mentions({ everything, name }: SummaryPost, keywords: readonly Keyword[]): boolean {
  return keywords.some((keyword) => containsKeywords(`${name}\n${everything}`, [keyword]));
}

/** What somebody said, or the outcome of a poll; no other notice by Discord. */
export function isSpeech(message: Message): boolean {
  return message.kind !== "system" || isOutcome(message);
}

/** What a person typed; a bot also writes its embeds and components. The outcome of a poll is its author's news. */
export function ownText(message: Message): string {
  const { parts, author } = message;
  if (isOutcome(message)) return joinParts(parts);
  const isOwn = ({ kind }: MessagePart) =>
    kind === "typed" || (author.bot && (kind === "embed" || kind === "component"));
  return joinParts(parts.filter(isOwn));
}

/** The first thing that came with a message. */
function attachedText(message: Message, names: MentionNames): SummaryPost["quotable"] {
  const [first] = attachedTexts(message, names);
  return first ? { text: toPlainText(first.text, names), label: first.label } : { text: "", label: null };
}

function isOutcome({ kind, parts }: Message): boolean {
  return kind === "system" && parts.some((part) => part.kind === "poll");
}
