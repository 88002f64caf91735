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
/** In a busy place two messages are no conversation. */
const BUSY = 12;
const MIN_MESSAGES = 3;
/** So long a message says something by itself. */
const SUBSTANTIAL = 25;

interface Conversation {
  readonly posts: readonly SummaryPost[];
  /** What it is about, in up to three words. */
  readonly words: readonly string[];
}

/** Of groups of posts that belong together. */
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

/** What was talked about, the liveliest first: in so many words, by whom, and the two messages that show it best. */
export function describeConversations(
  conversations: readonly Conversation[],
  { quoted, now }: { quoted: ReadonlySet<MessageId>; now: number },
): Point[] {
  const total = conversations.reduce((sum, { posts }) => sum + posts.length, 0);
  return conversations
    .filter(({ posts }) => total < BUSY || posts.length >= MIN_MESSAGES)
    .sort((a, b) => liveliness(b) - liveliness(a))
    .slice(0, MAX_CONVERSATIONS)
    .flatMap((conversation, index) => {
      const shown = pickQuotes(conversation, quoted);
      if (shown.length === 0) return [];
      const text = `${heading(conversation, now)}. ${shown.map(toQuotation).join(" ")}`;
      return { section: "conversations", rank: 2 + index, bullet: { text, cites: shown.map(({ id }) => id) } };
    });
}

/** `Sarah: “…”`, and `Sarah, forwarded: “…”` for words that are not hers. */
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

/** How it began, and what moved people most, in their order. */
function pickQuotes({ posts, words }: Conversation, quoted: ReadonlySet<MessageId>): SummaryPost[] {
  const free = posts.filter(({ id, quotable }) => quotable.text !== "" && !quoted.has(id));
  const opening =
    free.find(({ quotable, words: own }) => quotable.text.length >= SUBSTANTIAL && own.size > 1) ?? free[0];
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
