import { compareIds, type MessageId } from "../ids.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import type { SummaryPost } from "./summary-posts.ts";

/** After a pause of this length people talk about something else. */
const PAUSE_MS = 15 * 60_000;
/** How many messages back an answer without a reply can refer to. */
const MAX_RECENT_MESSAGES = 8;
/** A longer group is split where the topic changes. */
const MAX_UNSPLIT_MESSAGES = 24;
/** The minimum size of a part; also how many messages on either side of a split are compared. */
const MIN_PART_MESSAGES = 6;

/** The cost of placing a post, of looking up one word, and of scoring one possible split, in units of work. */
const PLACE_COST = 200;
const WORD_COST = 5;
const TURN_COST = 40;

interface Placed {
  readonly post: SummaryPost;
  readonly group: SummaryPost[];
  /** The people it addresses by a reply or by mentions. */
  readonly to: ReadonlySet<string>;
}

/**
 * Groups posts, oldest first, into conversations, ordered by their first post. A reply joins the conversation of its original. Any other post joins the latest
 * recent post whose author it mentions, that addressed its author, or that its author wrote; otherwise the post before, unless there was a pause.
 */
export function* groupConversations(posts: readonly SummaryPost[], pacer: Pacer): Steps<SummaryPost[][]> {
  const groups: SummaryPost[][] = [];
  const placed = new Map<MessageId, Placed>();
  let recent: Placed[] = [];
  for (const post of posts) {
    const { reply_to, content } = post.message;
    const parent = reply_to ? placed.get(reply_to.message_id) : undefined;
    const to = new Set(mentionsIn(content));
    recent = recent.slice(-MAX_RECENT_MESSAGES).filter((one) => post.time - one.post.time <= PAUSE_MS);
    const before = parent ?? recent.findLast((one) => belongsTo(post, to, one)) ?? recent.at(-1);
    const group = before?.group ?? [];
    if (!before) groups.push(group);
    group.push(post);
    if (parent) to.add(parent.post.message.author.id);
    const here = { post, group, to };
    placed.set(post.id, here);
    recent.push(here);
    if (pacer.spend(PLACE_COST + content.length)) yield;
  }
  const parts: SummaryPost[][] = [];
  for (const group of groups) parts.push(...(yield* splitAtTurns(group, pacer)));
  return parts.sort(([a], [b]) => (a && b ? compareIds(a.id, b.id) : 0));
}

function belongsTo(
  { message: { author } }: SummaryPost,
  mentioned: ReadonlySet<string>,
  { post, to }: Placed,
): boolean {
  const other = post.message.author.id;
  return mentioned.has(other) || to.has(author.id) || other === author.id;
}

function mentionsIn(content: string): string[] {
  return [...content.matchAll(/<@!?(\d{1,20})>/g)].map(([, id = ""]) => id);
}

/** Splits a long conversation where the topic changes: at a pause that no reply and few shared words cross. */
function* splitAtTurns(group: SummaryPost[], pacer: Pacer): Steps<SummaryPost[][]> {
  if (group.length <= MAX_UNSPLIT_MESSAGES) return [group];
  const shared = yield* countShared(group, pacer);
  const parents = findParents(group);
  const parts: SummaryPost[][] = [];
  // A stack of parts, the earliest on top.
  const open: Part[] = [{ from: 0, to: group.length }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { from, to } = part;
    if (to - from <= MAX_UNSPLIT_MESSAGES) {
      parts.push(group.slice(from, to));
      continue;
    }
    const turn = findTurn(group, part, { shared, parents });
    open.push({ from: turn, to }, { from, to: turn });
    if (pacer.spend(TURN_COST * (to - from))) yield;
  }
  return parts;
}

interface Part {
  readonly from: number;
  readonly to: number;
}

/** For each post of a conversation: how many words cross the position before it, and the position of the post that it answers, or -1. */
interface Crossings {
  readonly shared: Uint32Array;
  readonly parents: Int32Array;
}

/** A long conversation is split hundreds of times, so nothing is created here but lists of numbers. */
function findTurn(group: readonly SummaryPost[], { from, to }: Part, { shared, parents }: Crossings): number {
  const pauses = new Float64Array(to - from);
  for (let at = from + 1; at < to; at += 1) pauses[at - from] = (group[at]?.time ?? 0) - (group[at - 1]?.time ?? 0);
  const usual = Math.max(1, pauses.toSorted()[(to - from) >> 1] ?? 1);
  const replies = repliesAcross({ from, to }, parents);
  const turn = { at: from + MIN_PART_MESSAGES, weight: Number.NEGATIVE_INFINITY };
  for (let at = from + MIN_PART_MESSAGES; at <= to - MIN_PART_MESSAGES; at += 1) {
    const weight = Math.min((pauses[at - from] ?? 0) / usual, 6) - 2 * (replies[at - from] ?? 0) - (shared[at] ?? 0);
    if (weight <= turn.weight) continue;
    turn.at = at;
    turn.weight = weight;
  }
  return turn.at;
}

function findParents(group: readonly SummaryPost[]): Int32Array {
  const places = new Map(group.map(({ id }, at) => [id, at]));
  return Int32Array.from(group, ({ message: { reply_to } }) => (reply_to && places.get(reply_to.message_id)) ?? -1);
}

/** For each position between two posts of a part, how many replies cross it. */
function repliesAcross({ from, to }: Part, parents: Int32Array): Int32Array {
  const counts = new Int32Array(to - from + 1);
  for (let at = from; at < to; at += 1) {
    const parent = parents[at] ?? -1;
    if (parent < from || parent >= at) continue;
    counts[parent + 1 - from] = (counts[parent + 1 - from] ?? 0) + 1;
    counts[at + 1 - from] = (counts[at + 1 - from] ?? 0) - 1;
  }
  for (let at = 1; at < counts.length; at += 1) counts[at] = (counts[at] ?? 0) + (counts[at - 1] ?? 0);
  return counts;
}

/** For each position between two posts, how many words the posts right before it share with those right after it. */
function* countShared(group: readonly SummaryPost[], pacer: Pacer): Steps<Uint32Array> {
  const counts = new Uint32Array(group.length);
  for (let at = MIN_PART_MESSAGES; at <= group.length - MIN_PART_MESSAGES; at += 1) {
    const before = group.slice(at - MIN_PART_MESSAGES, at);
    const shared = new Set<string>();
    let looked = 1;
    for (const { words } of group.slice(at, at + MIN_PART_MESSAGES)) {
      for (const word of words.keys()) if (before.some((post) => post.words.has(word))) shared.add(word);
      looked += words.size * MIN_PART_MESSAGES;
    }
    counts[at] = shared.size;
    if (pacer.spend(WORD_COST * looked)) yield;
  }
  return counts;
}
