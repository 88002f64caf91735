import type { MessageId } from "../ids.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { toRelativeTime } from "../text/relative-time.ts";
import type { Point } from "./point.ts";
import { quote } from "./quote.ts";
import { count, listNames, speakersOf } from "./speakers.ts";
import type { SummaryPost } from "./summary-posts.ts";
import { contentWordsIn, findTopicWords } from "./topic-words.ts";

const MAX_CONVERSATIONS = 8;
const MAX_NAMES = 3;
const MAX_QUOTE_LENGTH = 85;
/** In a channel with at least this many messages, a conversation needs `MIN_MESSAGES`. */
const MIN_BUSY_MESSAGES = 12;
const MIN_MESSAGES = 3;
/** A message of at least this many characters is understandable by itself. */
const MIN_SUBSTANTIAL_LENGTH = 25;

interface Conversation {
  readonly posts: readonly SummaryPost[];
  /** Up to three topic words. */
  readonly words: readonly string[];
}

/** Adds topic words to groups of posts. */
export function* toConversations(groups: readonly (readonly SummaryPost[])[], pacer: Pacer): Steps<Conversation[]> {
  const speakers = new Set(groups.flat().map(({ name }) => name));
  const names = new Set([...speakers].flatMap((name) => [...contentWordsIn(name).keys()]));
  const words = yield* findTopicWords(
    groups.map((group) => group.map((post) => post.words)),
    names,
    pacer,
  );
  return groups.map((group, index) => ({ posts: group, words: words[index] ?? [] }));
}

/** The liveliest conversations first: topic words, people, and the two messages that represent each best. */
export function describeConversations(
  conversations: readonly Conversation[],
  { quoted, now }: { quoted: ReadonlySet<MessageId>; now: number },
): Point[] {
  const total = conversations.reduce((sum, { posts }) => sum + posts.length, 0);
  return conversations
    .filter(({ posts }) => total < MIN_BUSY_MESSAGES || posts.length >= MIN_MESSAGES)
    .sort((a, b) => liveliness(b) - liveliness(a))
    .slice(0, MAX_CONVERSATIONS)
    .flatMap((conversation, index) => {
      const shown = pickQuotes(conversation, quoted);
      if (shown.length === 0) return [];
      const text = `${heading(conversation, now)}. ${shown.map(toQuotation).join(" ")}`;
      return { section: "conversations", rank: 2 + index, bullet: { text, cites: shown.map(({ id }) => id) } };
    });
}

/** `Sarah: “…”`, and `Sarah, forwarded: “…”` for text that she did not write. */
function toQuotation({ name, quotable: { text, label } }: SummaryPost): string {
  return `${name}${label === null ? "" : `, ${label}`}: ${quote(text, MAX_QUOTE_LENGTH)}`;
}

function heading({ posts, words }: Conversation, now: number): string {
  const names = listNames(
    speakersOf(posts).map(({ name }) => name),
    MAX_NAMES,
  );
  const last = posts.at(-1);
  const when = last ? toRelativeTime(last.message.ts, now) : "";
  const about = words.length === 0 ? "" : `About ${words.join(", ")}: `;
  return `${about}${names}, ${count(posts.length, "message")}, ${when}`;
}

/** The opening post and the most interesting one, oldest first. */
function pickQuotes({ posts, words }: Conversation, quoted: ReadonlySet<MessageId>): SummaryPost[] {
  const free = posts.filter(({ id, quotable }) => quotable.text !== "" && !quoted.has(id));
  const opening =
    free.find(({ quotable, words: own }) => quotable.text.length >= MIN_SUBSTANTIAL_LENGTH && own.size > 1) ?? free[0];
  const rest = free.filter((post) => post !== opening);
  const best = rest.reduce<SummaryPost | undefined>((top, post) => {
    return top && interest(top, words) >= interest(post, words) ? top : post;
  }, undefined);
  return free.filter((post) => post === opening || post === best);
}

function interest({ quotable: { text }, replies, message }: SummaryPost, words: readonly string[]): number {
  const hits = words.filter((word) => text.includes(word)).length;
  return replies * 1.5 + hits + Math.min(text.length, 120) / 50 + (message.attachments.length > 0 ? 1 : 0);
}

function liveliness({ posts }: Conversation): number {
  const people = new Set(posts.map(({ message }) => message.author.id)).size;
  return posts.length * Math.sqrt(people) + 5 * posts.reduce((most, { replies }) => Math.max(most, replies), 0);
}
