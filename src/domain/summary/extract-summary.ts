import { compareIds } from "../ids.ts";
import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { type Bullet, bulletTokens } from "./bullets.ts";
import { groupConversations } from "./conversations.ts";
import { describeConversations, toConversations } from "./describe-conversations.ts";
import { describeHighlights } from "./highlights.ts";
import { describeOverview } from "./overview.ts";
import type { Point } from "./point.ts";
import { describeQuestions } from "./questions.ts";
import { describeShared } from "./shared.ts";
import { narrowPosts, type SummaryNames, toSummaryPosts } from "./summary-posts.ts";

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
