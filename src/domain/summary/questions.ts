import type { Pacer, Steps } from "../steps/pace.ts";
import { toRelativeTime } from "../text/relative-time.ts";
import type { Point } from "./point.ts";
import { quote } from "./quote.ts";
import type { SummaryPost } from "./summary-posts.ts";

const MAX_QUESTIONS = 4;
const MAX_QUOTE_LENGTH = 160;
/** Shorter questions ("which one?") make no sense by themselves. Scripts without spaces need fewer characters. */
const MIN_LENGTH = 15;
const MIN_DENSE_LENGTH = 5;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A post without a reply counts as an answer only within this many posts. */
const MAX_POSTS_TO_ANSWER = 4;

/** Questions in `posts` that nobody answered in any of the groups. The latest are the most important. */
export function* describeQuestions(
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

/** A reply by somebody else, or a post by somebody else soon after; not a post that only asks back or that replies to another. */
function isAnswer(later: SummaryPost, { id, message }: SummaryPost, isSoon: boolean): boolean {
  const { author, reply_to } = later.message;
  if (author.id === message.author.id) return false;
  if (later.sentences.length > 0 && later.sentences.every(({ cues }) => cues.isQuestion)) return false;
  return reply_to === null ? isSoon : reply_to.message_id === id;
}
