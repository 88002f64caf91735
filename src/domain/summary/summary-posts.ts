import { compareIds, type MessageId } from "../ids.ts";
import { joinParts, type Message, type MessagePart } from "../message.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import type { DisplayNames } from "../names/resolve-name.ts";
import { containsKeywords, type Keyword, toKeywords } from "../search/keywords.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";
import { quoteName } from "../text/escape.ts";
import { attachedTexts } from "../text/message-pieces.ts";
import type { MentionNames } from "../text/replace-mentions.ts";
import { type Cues, findCues } from "./cue-phrases.ts";
import { sentencesIn, toPlainText } from "./quote.ts";
import { contentWordsIn } from "./topic-words.ts";

/** A message, analysed for a summary. */
export interface SummaryPost {
  readonly id: MessageId;
  readonly message: Message;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The author's unique display name, quoted for use in Earshot's own sentences. */
  readonly name: string;
  /** The author's own text, plain and on one line; may be empty. */
  readonly text: string;
  /** The text to quote: the author's own, or else another text of the message with its label. */
  readonly quotable: { readonly text: string; readonly label: string | null };
  /** All text of the message, plain and on one line. */
  readonly everything: string;
  readonly sentences: readonly { readonly text: string; readonly cues: Cues }[];
  /** Content words: normalised form to written form. */
  readonly words: ReadonlyMap<string, string>;
  /** The number of given messages that reply to it. */
  readonly replies: number;
}

export interface SummaryNames {
  /** Names that those who read the summary may know. */
  readonly names: MentionNames;
  readonly displayNames: DisplayNames;
}

/** Oldest first, without duplicates and system messages, except poll results. */
export function* toSummaryPosts(messages: readonly Message[], names: SummaryNames, pacer: Pacer): Steps<SummaryPost[]> {
  const byId = new Map(messages.filter(isChatMessage).map((message) => [message.message_id, message]));
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

/** The cost of a message, and of each of its characters, in units of work: several patterns look for cues in each sentence. */
const POST_COST = 5_000;
const CHARACTER_COST = 60;
/** Longer texts are only read in part. */
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

/** Posts that contain a word of the focus in text or author name, with the posts they reply to and the replies to them. */
export function* narrowPosts(posts: readonly SummaryPost[], focus: string, pacer: Pacer): Steps<SummaryPost[]> {
  const words = toKeywords(focus);
  const specific = words.filter(({ folded }) => !isOrdinaryWord(folded));
  const keywords = specific.length > 0 ? specific : words;
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

/** Not a system message, or the result of a poll. */
export function isChatMessage(message: Message): boolean {
  return message.kind !== "system" || isOutcome(message);
}

/** The typed text; for a bot also embeds and components, which it writes itself. The result of a poll counts as its author's text. */
export function ownText(message: Message): string {
  const { parts, author } = message;
  if (isOutcome(message)) return joinParts(parts);
  const isOwn = ({ kind }: MessagePart) =>
    kind === "typed" || (author.bot && (kind === "embed" || kind === "component"));
  return joinParts(parts.filter(isOwn));
}

/** The first text of a message that its author did not type. */
function attachedText(message: Message, names: MentionNames): SummaryPost["quotable"] {
  const [first] = attachedTexts(message, names);
  return first ? { text: toPlainText(first.text, names), label: first.label } : { text: "", label: null };
}

function isOutcome({ kind, parts }: Message): boolean {
  return kind === "system" && parts.some((part) => part.kind === "poll");
}
