import { toRelativeTime } from "../text/relative-time.ts";
import { groupConversations } from "./conversations.ts";
import type { Point } from "./point.ts";
import type { Post } from "./posts.ts";
import { quote } from "./quote.ts";

const MOST_QUESTIONS = 4;
const LONGEST_QUOTE = 160;
/** Shorter ones ("which one?") ask nothing that a stranger could answer. Writing without spaces says more in less. */
const LEAST_LENGTH = 15;
const LEAST_DENSE_LENGTH = 5;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** An answer without a reply comes soon or not at all. */
const SOON = 4;

/** What people asked in some posts and nobody answered in any. The latest matter most. */
export function describeQuestions(posts: readonly Post[], all: readonly Post[], now: number): Point[] {
  const asked = new Set(posts);
  return groupConversations(all)
    .flatMap((group) => group.flatMap((post, index) => openQuestion(post, group.slice(index + 1)) ?? []))
    .filter(({ post }) => asked.has(post))
    .sort((a, b) => b.post.time - a.post.time)
    .slice(0, MOST_QUESTIONS)
    .map(({ post, question }, index) => {
      const when = toRelativeTime(post.message.ts, now);
      const text = `Unanswered, ${post.name}, ${when}: ${quote(question, LONGEST_QUOTE)}`;
      return { section: "questions", rank: 2.5 + index, bullet: { text, cites: [post.id] } };
    });
}

function openQuestion(post: Post, after: readonly Post[]): { post: Post; question: string } | undefined {
  const question = post.sentences.findLast(({ cues }) => cues.isQuestion)?.text;
  if (question === undefined || post.message.author.bot) return undefined;
  if (question.length < (DENSE.test(question) ? LEAST_DENSE_LENGTH : LEAST_LENGTH)) return undefined;
  return after.some((later, index) => isAnswer(later, post, index < SOON)) ? undefined : { post, question };
}

/** A reply by somebody else, or what somebody else says soon after; but not what only asks back, and not what replies to another. */
function isAnswer(later: Post, { id, message }: Post, isSoon: boolean): boolean {
  const { author, reply_to } = later.message;
  if (author.id === message.author.id) return false;
  if (later.sentences.length > 0 && later.sentences.every(({ cues }) => cues.isQuestion)) return false;
  return reply_to === null ? isSoon : reply_to.message_id === id;
}
