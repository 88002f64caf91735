import { compareIds } from "../ids.ts";
import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { toRelativeTime } from "../text/relative-time.ts";
import { type Bullet, bulletTokens } from "./bullets.ts";
import { groupConversations } from "./conversations.ts";
import { describeConversations, toConversations } from "./describe-conversations.ts";
import { describeHighlights } from "./highlights.ts";
import type { Point } from "./point.ts";
import { quote } from "./quote.ts";
import { describeShared } from "./shared.ts";
import { count, listNames, speakersOf } from "./speakers.ts";
import { narrowPosts, type SummaryNames, type SummaryPost, toSummaryPosts } from "./summary-posts.ts";

export interface SummaryRequest extends SummaryNames {
  /** In any order. */
  readonly messages: readonly Message[];
  readonly now: number;
  /** Keeps posts that contain at least one of these words. */
  readonly focus?: string;
  readonly maxTokens: number;
}

/**
 * An extractive summary, without a model: who talked, what was decided and planned, the topics, open questions, shared links and files, in the
 * words of the people themselves. Deterministic. A smaller budget only removes the least important points.
 */
export function* extractSummary(
  { messages, now, focus, maxTokens, ...names }: SummaryRequest,
  pacer: Pacer,
): Steps<Bullet[]> {
  const all = yield* toSummaryPosts(messages, names, pacer);
  const posts = focus === undefined ? all : yield* narrowPosts(all, focus, pacer);
  const groups = yield* groupConversations(posts, pacer);
  const allGroups = posts === all ? groups : yield* groupConversations(all, pacer);
  const conversations = yield* toConversations(groups, pacer);
  const highlights = describeHighlights(posts, now);
  if (pacer.spend(POINT_COST * posts.length)) yield;
  const quoted = new Set(highlights.flatMap(({ bullet }) => bullet.cites));
  const described = describeConversations(conversations, { quoted, now });
  if (pacer.spend(POINT_COST * posts.length)) yield;
  const points = [
    ...describeOverview(posts, { of: all.length, now }),
    ...highlights,
    ...described,
    ...(yield* describeQuestions({ posts, groups: allGroups }, now, pacer)),
    ...(yield* describeShared(posts, pacer)),
  ];
  return sortBySection(pickFitting(points, maxTokens)).map(({ bullet }) => bullet);
}

/** The cost of scoring a post for one section, in units of work. */
const POINT_COST = 100;

const SECTIONS = ["overview", "highlights", "conversations", "questions", "shared"] as const;

/** The most important points that fit. */
function pickFitting(points: readonly Point[], maxTokens: number): Point[] {
  const kept: Point[] = [];
  let remaining = maxTokens;
  for (const point of points.toSorted((a, b) => a.rank - b.rank)) {
    remaining -= bulletTokens(point.bullet);
    if (remaining < 0) break;
    kept.push(point);
  }
  return kept;
}

/** By section, in each section oldest first. */
function sortBySection(points: readonly Point[]): Point[] {
  return points.toSorted((a, b) => {
    const [one, other] = [a.bullet.cites[0], b.bullet.cites[0]];
    return SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) || (one && other ? compareIds(one, other) : 0);
  });
}

const MAX_NAMES = 3;

/** How many messages, by whom and when. `of` is the number of messages before filtering by the focus. */
function describeOverview(posts: readonly SummaryPost[], { of, now }: { of: number; now: number }): Point[] {
  const [first, last] = [posts[0], posts.at(-1)];
  if (of === 0) return [];
  if (!first || !last) return toPoint(`Nothing about that in ${count(of, "message")}.`, []);
  const amount =
    posts.length === of ? count(of, "message") : `${posts.length} of ${count(of, "message")} concern that,`;
  const speakers = speakersOf(posts);
  const people = speakers.filter(({ bot }) => !bot).length;
  const bots = speakers.length - people;
  const by = [people > 0 && count(people, "person", "people"), bots > 0 && count(bots, "bot")].filter(Boolean);
  const busiest = speakers.slice(0, MAX_NAMES).filter(({ messages }) => messages > 1);
  const named = busiest.map(({ name, messages }) => `${name} (${messages})`);
  const most = speakers.length > MAX_NAMES && named.length > 0 ? `, most by ${listNames(named, MAX_NAMES)}` : "";
  const who =
    speakers.length > MAX_NAMES
      ? by.join(" and ")
      : listNames(
          speakers.map(({ name }) => name),
          MAX_NAMES,
        );
  const [from, to] = [toRelativeTime(first.message.ts, now), toRelativeTime(last.message.ts, now)];
  const when = from === to ? from : `from ${from} until ${to}`;
  return toPoint(`${amount} by ${who}${most}; ${when}.`, first === last ? [first] : [first, last]);
}

function toPoint(text: string, posts: readonly SummaryPost[]): Point[] {
  return [{ section: "overview", rank: 0, bullet: { text, cites: posts.map(({ id }) => id) } }];
}

const MAX_QUESTIONS = 4;
const MAX_QUOTE_LENGTH = 160;
/** Shorter questions ("which one?") make no sense by themselves. Scripts without spaces need fewer characters. */
const MIN_LENGTH = 15;
const MIN_DENSE_LENGTH = 5;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A post without a reply counts as an answer only within this many posts. */
const MAX_POSTS_TO_ANSWER = 4;

/** Unanswered questions in `posts`, considering all groups. The latest are the most important. */
function* describeQuestions(
  { posts, groups }: { posts: readonly SummaryPost[]; groups: readonly (readonly SummaryPost[])[] },
  now: number,
  pacer: Pacer,
): Steps<Point[]> {
  const included = new Set(posts);
  const open: Open[] = [];
  for (const group of groups)
    for (const [index, post] of group.entries()) {
      const question = included.has(post) ? openQuestion(post, group, index) : undefined;
      if (question) open.push(question);
      if (pacer.spend(COMPARE_COST * (group.length - index))) yield;
    }
  return open
    .sort((a, b) => b.post.time - a.post.time)
    .slice(0, MAX_QUESTIONS)
    .map(({ post, question }, index) => {
      const when = toRelativeTime(post.message.ts, now);
      const text = `Unanswered, ${post.name}, ${when}: ${quote(question, MAX_QUOTE_LENGTH)}`;
      return { section: "questions", rank: 2.5 + index, bullet: { text, cites: [post.id] } };
    });
}

/** The cost of checking whether one post answers another, in units of work. */
const COMPARE_COST = 10;

interface Open {
  readonly post: SummaryPost;
  readonly question: string;
}

function openQuestion(post: SummaryPost, group: readonly SummaryPost[], index: number): Open | undefined {
  const question = post.sentences.findLast(({ cues }) => cues.isQuestion)?.text;
  if (question === undefined || post.message.author.bot) return undefined;
  if (question.length < (DENSE.test(question) ? MIN_DENSE_LENGTH : MIN_LENGTH)) return undefined;
  for (let at = index + 1; at < group.length; at += 1) {
    const later = group[at];
    if (later && isAnswer(later, post, at - index <= MAX_POSTS_TO_ANSWER)) return undefined;
  }
  return { post, question };
}

/** A reply by another person, or a post by another person soon after; not a post that only asks back or that replies to another. */
function isAnswer(later: SummaryPost, { id, message }: SummaryPost, isSoon: boolean): boolean {
  const { author, reply_to } = later.message;
  if (author.id === message.author.id) return false;
  if (later.sentences.length > 0 && later.sentences.every(({ cues }) => cues.isQuestion)) return false;
  return reply_to === null ? isSoon : reply_to.message_id === id;
}
