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

interface DayConversation {
  readonly posts: readonly SummaryPost[];
  /** Up to three topic words. */
  readonly words: readonly string[];
}

/** Adds topic words to groups of posts. */
export function* toConversations(groups: readonly (readonly SummaryPost[])[], pacer: Pacer): Steps<DayConversation[]> {
  const speakers = new Set(groups.flat().map(({ name }) => name));
  const names = new Set([...speakers].flatMap((name) => [...contentWordsIn(name).keys()]));
  const words = yield* findTopicWords(
    groups.map((group) => group.map((post) => post.words)),
    names,
    pacer,
  );
  return groups.map((group, index) => ({ posts: group, words: words[index] ?? [] }));
}

/** The largest of each day (UTC) first, then the second of each day, and so on. Within a day, channels take turns. */
export function largestOfEachDay(conversations: readonly DayConversation[]): DayConversation[] {
  const byChannel = inTurns(conversations, byLiveliness, ({ posts }) => {
    return posts[0] && `${posts[0].message.ts.slice(0, 10)} ${posts[0].message.channel_id}`;
  });
  const turns = new Map(byChannel.map((conversation, turn) => [conversation, turn]));
  const byTurn = (a: DayConversation, b: DayConversation) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0);
  return inTurns(byChannel, byTurn, ({ posts }) => posts[0]?.message.ts.slice(0, 10));
}

/** The first of each group, then the second of each, and so on. */
function inTurns<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  toGroup: (item: Item) => string | undefined,
): Item[] {
  const groups = Map.groupBy(items.toSorted(compare), toGroup);
  return [...groups.values()]
    .flatMap((group) => group.map((item, turn) => ({ item, turn })))
    .sort((a, b) => a.turn - b.turn || compare(a.item, b.item))
    .map(({ item }) => item);
}

/** The largest conversations of each day: topic words, people, and the two messages that represent each best. */
export function describeConversations(
  conversations: readonly DayConversation[],
  { quoted, now }: { quoted: ReadonlySet<MessageId>; now: number },
): Point[] {
  const total = conversations.reduce((sum, { posts }) => sum + posts.length, 0);
  const busy = conversations.filter(({ posts }) => total < MIN_BUSY_MESSAGES || posts.length >= MIN_MESSAGES);
  return largestOfEachDay(busy)
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

function heading({ posts, words }: DayConversation, now: number): string {
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
export function pickQuotes({ posts, words }: DayConversation, quoted: ReadonlySet<MessageId>): SummaryPost[] {
  const free = posts.filter(({ id, quotable }) => quotable.text !== "" && !quoted.has(id));
  const opening =
    free.find(({ quotable, words: own }) => quotable.text.length >= MIN_SUBSTANTIAL_LENGTH && own.size > 1) ?? free[0];
  const rest = free.filter((post) => post !== opening);
  const best = mostInteresting(rest, words);
  return free.filter((post) => post === opening || post === best);
}

export function mostInteresting(posts: readonly SummaryPost[], words: readonly string[]): SummaryPost | undefined {
  return posts.reduce<SummaryPost | undefined>((top, post) => {
    return top && interest(top, words) >= interest(post, words) ? top : post;
  }, undefined);
}

function interest({ quotable: { text }, replies, message }: SummaryPost, words: readonly string[]): number {
  const hits = words.filter((word) => text.includes(word)).length;
  return replies * 1.5 + hits + Math.min(text.length, 120) / 50 + (message.attachments.length > 0 ? 1 : 0);
}

function byLiveliness(a: DayConversation, b: DayConversation): number {
  return liveliness(b) - liveliness(a);
}

function liveliness({ posts }: DayConversation): number {
  const people = new Set(posts.map(({ message }) => message.author.id)).size;
  return posts.length * Math.sqrt(people) + 5 * posts.reduce((most, { replies }) => Math.max(most, replies), 0);
}
