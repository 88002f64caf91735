import { toRelativeTime } from "../text/relative-time.ts";
import type { Cues } from "./cue-phrases.ts";
import type { Point } from "./point.ts";
import { quote } from "./quote.ts";
import type { SummaryPost } from "./summary-posts.ts";

const MAX_HIGHLIGHTS = 5;
const MAX_QUOTE_LENGTH = 200;
/** A decision reaches this, and so does a plan with a date. */
const MIN_WEIGHT = 2.5;

/** The most important decisions and plans. */
export function describeHighlights(posts: readonly SummaryPost[], now: number): Point[] {
  return rankHighlights(posts)
    .slice(0, MAX_HIGHLIGHTS)
    .map(({ post, text, isDecision }, index) => {
      const when = toRelativeTime(post.message.ts, now);
      const words = `${isDecision ? "Decision" : "Plan"}, ${post.name}, ${when}: ${quote(text, MAX_QUOTE_LENGTH)}`;
      return { section: "highlights", rank: 1 + index, bullet: { text: words, cites: [post.id] } };
    });
}

/** The most important decision or plan. */
export function findHighlight(posts: readonly SummaryPost[]): SummaryPost | undefined {
  return rankHighlights(posts)[0]?.post;
}

function rankHighlights(posts: readonly SummaryPost[]) {
  return posts
    .map((post) => ({ post, ...weigh(post) }))
    .filter(({ weight }) => weight >= MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight);
}

/** Scores a post by its best sentence; the text from that sentence on is quoted. */
function weigh({ sentences, replies, message }: SummaryPost): { weight: number; text: string; isDecision: boolean } {
  const weights = sentences.map(({ cues }) => weightOf(cues));
  const best = Math.max(0, ...weights);
  const at = weights.indexOf(best);
  const text = sentences
    .slice(at)
    .map((sentence) => sentence.text)
    .join(" ");
  const isDecision = sentences[at]?.cues.isDecision ?? false;
  if (best === 0 || message.author.bot) return { weight: 0, text, isDecision };
  return { weight: best + Math.min(replies, 3) * 0.5 + (text.length > 40 ? 0.25 : 0), text, isDecision };
}

function weightOf({ isDecision, isPlan, hasDate, isQuestion }: Cues): number {
  if (isQuestion) return 0;
  return (isDecision ? 2.5 : 0) + (isPlan ? 1 : 0) + (hasDate ? 1.5 : 0);
}
