import { compareIds, type MessageId } from "../ids.ts";
import type { Post } from "./posts.ts";

/** After so long a silence people talk of something else. */
const PAUSE = 15 * 60_000;
/** So many messages back somebody may still be answered without being replied to. */
const RECENT = 8;
/** In more messages than this there is a turn to be found. */
const LONGEST = 24;
/** A part of a conversation has at least so many, and so many on either side are compared. */
const SHORTEST = 6;

interface Placed {
  readonly post: Post;
  readonly group: Post[];
  /** Whom it addresses: by a reply or by mentions. */
  readonly to: ReadonlySet<string>;
}

/**
 * Who talked with whom: posts, oldest first, in groups that belong together, in the order in which they began. A reply belongs to what it
 * replies to. Otherwise whoever mentions somebody, was spoken to or has just spoken goes on there, and anybody else from the message before,
 * unless there was a pause.
 */
export function groupConversations(posts: readonly Post[]): Post[][] {
  const groups: Post[][] = [];
  const placed = new Map<MessageId, Placed>();
  let recent: Placed[] = [];
  for (const post of posts) {
    const { reply_to, content } = post.message;
    const parent = reply_to ? placed.get(reply_to.message_id) : undefined;
    const to = new Set(mentionsIn(content));
    recent = recent.slice(-RECENT).filter((one) => post.time - one.post.time <= PAUSE);
    const before = parent ?? recent.findLast((one) => belongsTo(post, to, one)) ?? recent.at(-1);
    const group = before?.group ?? [];
    if (!before) groups.push(group);
    group.push(post);
    if (parent) to.add(parent.post.message.author.id);
    const here = { post, group, to };
    placed.set(post.id, here);
    recent.push(here);
  }
  return groups.flatMap(splitAtTurns).sort(([a], [b]) => (a && b ? compareIds(a.id, b.id) : 0));
}

function belongsTo({ message: { author } }: Post, mentioned: ReadonlySet<string>, { post, to }: Placed): boolean {
  const other = post.message.author.id;
  return mentioned.has(other) || to.has(author.id) || other === author.id;
}

function mentionsIn(content: string): string[] {
  return [...content.matchAll(/<@!?(\d{1,20})>/g)].map(([, id = ""]) => id);
}

/** A long conversation, parted where it turned to something else: where people paused, and no reply and few words reach across. */
function splitAtTurns(group: Post[]): Post[][] {
  if (group.length <= LONGEST) return [group];
  const pauses = group.map(({ time }, at) => time - (group[at - 1]?.time ?? time));
  const usual = Math.max(1, pauses.toSorted((a, b) => a - b)[group.length >> 1] ?? 1);
  const replies = repliesAcross(group);
  const turn = { at: SHORTEST, weight: Number.NEGATIVE_INFINITY };
  for (let at = SHORTEST; at <= group.length - SHORTEST; at += 1) {
    const words = sharedWords(group.slice(at - SHORTEST, at), group.slice(at, at + SHORTEST));
    const weight = Math.min((pauses[at] ?? 0) / usual, 6) - 2 * (replies[at] ?? 0) - words;
    if (weight > turn.weight) Object.assign(turn, { at, weight });
  }
  return [group.slice(0, turn.at), group.slice(turn.at)].flatMap(splitAtTurns);
}

/** For each place between two posts, how many replies reach over it. */
function repliesAcross(group: readonly Post[]): number[] {
  const places = new Map(group.map(({ id }, at) => [id, at]));
  const changes = group.map(() => 0);
  group.forEach(({ message: { reply_to } }, at) => {
    const parent = reply_to ? places.get(reply_to.message_id) : undefined;
    if (parent === undefined || parent >= at) return;
    changes[parent + 1] = (changes[parent + 1] ?? 0) + 1;
    if (at + 1 < changes.length) changes[at + 1] = (changes[at + 1] ?? 0) - 1;
  });
  let open = 0;
  return changes.map((change) => {
    open += change;
    return open;
  });
}

function sharedWords(some: readonly Post[], others: readonly Post[]): number {
  const words = new Set(some.flatMap((post) => [...post.words.keys()]));
  return new Set(others.flatMap((post) => [...post.words.keys()].filter((word) => words.has(word)))).size;
}
