import { compareIds, type MessageId } from "../ids.ts";
import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { readExplicitLinks } from "./explicit-links.ts";
import { toForestPosts } from "./forest-posts.ts";
import { type IndexedLink, inferLinks } from "./infer-links.ts";
import { createUnionFind } from "./union-find.ts";

/** A message answers or continues another one. */
export interface Link {
  readonly to: MessageId;
  /** `explicit`: the author replied to it. */
  readonly kind: "explicit" | "inferred";
  /** How often such a link is right, from 0 to 1 (measured by `npm run eval -- forest`); 1 for an explicit link. */
  readonly certainty: number;
}

/** Messages of one conversation. */
export interface ForestThread {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** By message, for each that answers another one of this thread. */
  readonly links: ReadonlyMap<MessageId, Link>;
}

/**
 * Thread disentanglement: groups the messages of one channel, given in any order, into threads, those with the newest message first. Each message is
 * in exactly one thread; of duplicate ids one is kept. Replies are always followed if the original is among the messages; a reply to any other
 * message begins a thread, because it is known to answer none of these.
 */
export function* buildThreadForest(messages: readonly Message[], pacer: Pacer): Steps<ForestThread[]> {
  const ordered = sortOnce(messages);
  const explicit = readExplicitLinks(ordered);
  if (pacer.spend(SORT_COST * messages.length)) yield;
  const links = yield* inferLinks(yield* toForestPosts(ordered, pacer), { explicit }, pacer);
  if (pacer.spend(SORT_COST * messages.length)) yield;
  return gather(ordered, links).sort((a, b) => compareIds(newestOf(b), newestOf(a)));
}

/** The cost of sorting, per message, in units of work. */
const SORT_COST = 100;

/** Sorts and removes duplicates. Which duplicate is kept must not depend on the order. */
function sortOnce(messages: readonly Message[]): Message[] {
  const byId = new Map<MessageId, Message>();
  for (const message of messages) {
    const other = byId.get(message.message_id);
    if (!other || compareVersions(message, other) > 0) byId.set(message.message_id, message);
  }
  return [...byId.values()].sort((a, b) => compareIds(a.message_id, b.message_id));
}

/** By time of the last edit, then by content, so that the result is deterministic. */
function compareVersions(a: Message, b: Message): number {
  const [first, second] = [a.edited_ts ?? "", b.edited_ts ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one < other ? -1 : Number(one > other);
}

/** Groups after all links are known, because a link may lead to a later message. */
function gather(ordered: readonly Message[], links: readonly (IndexedLink | undefined)[]): ForestThread[] {
  const unionFind = createUnionFind(ordered.length);
  for (const [index, link] of links.entries()) if (link) unionFind.connect(index, link.to);
  const threads = new Map<number, { messages: Message[]; links: Map<MessageId, Link> }>();
  ordered.forEach((message, index) => {
    const root = unionFind.rootOf(index);
    const thread = threads.get(root) ?? { messages: [], links: new Map<MessageId, Link>() };
    threads.set(root, thread);
    thread.messages.push(message);
    const link = links[index];
    const target = link && ordered[link.to];
    if (target) thread.links.set(message.message_id, { ...link, to: target.message_id });
  });
  return [...threads.values()];
}

function newestOf({ messages }: ForestThread): MessageId {
  return messages.at(-1)?.message_id ?? ("0" as MessageId);
}
