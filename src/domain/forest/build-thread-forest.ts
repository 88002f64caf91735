import { compareIds, type MessageId } from "../ids.ts";
import type { Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { readExplicitLinks } from "./explicit-links.ts";
import { toForestPosts } from "./forest-posts.ts";
import { type IndexedLink, inferLinks } from "./infer-links.ts";
import { createUnionFind } from "./union-find.ts";

/** That a message answers, or goes on from, another one. */
export interface Link {
  readonly to: MessageId;
  /** Whether the author said so, by replying, or whether it only seems so. */
  readonly kind: "explicit" | "inferred";
  /** 0 to 1; of an explicit link 1. */
  readonly certainty: number;
}

/** Messages that belong together. */
export interface ForestThread {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Of each message that answers another one of this thread. */
  readonly links: ReadonlyMap<MessageId, Link>;
}

/**
 * Who talks with whom: the messages of one channel, in any order, as threads, the newest first (by its newest message). Each message is in
 * exactly one of them; of several with the same id one is kept. Replies are always followed where the original is among the messages; what
 * replies to something else begins a thread, because it is known to answer none of these.
 */
export function* buildThreadForest(messages: readonly Message[], pacer: Pacer): Steps<ForestThread[]> {
  const ordered = sortOnce(messages);
  const explicit = readExplicitLinks(ordered);
  if (pacer.spend(SORT_COST * messages.length)) yield;
  const links = yield* inferLinks(yield* toForestPosts(ordered, pacer), { explicit }, pacer);
  if (pacer.spend(SORT_COST * messages.length)) yield;
  return gather(ordered, links).sort((a, b) => compareIds(newestOf(b), newestOf(a)));
}

/** What it takes to put one message into order, in units of work. */
const SORT_COST = 100;

/** Which of several with the same id is kept must not depend on their order. */
function sortOnce(messages: readonly Message[]): Message[] {
  const byId = new Map<MessageId, Message>();
  for (const message of messages) {
    const other = byId.get(message.message_id);
    if (!other || compareVersions(message, other) > 0) byId.set(message.message_id, message);
  }
  return [...byId.values()].sort((a, b) => compareIds(a.message_id, b.message_id));
}

/** The one edited last; if nothing tells, any, but always the same. */
function compareVersions(a: Message, b: Message): number {
  const [first, second] = [a.edited_ts ?? "", b.edited_ts ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one < other ? -1 : Number(one > other);
}

/** A link may lead to a later message, so that a thread is known only when all links have been followed. */
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
