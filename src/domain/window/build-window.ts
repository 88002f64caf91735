import { buildThreadForest, type ForestThread, type Link } from "../forest/build-thread-forest.ts";
import { compareIds, type MessageId, type UserId } from "../ids.ts";
import type { Message } from "../message.ts";
import { toQueryTerms } from "../search/terms.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";

/** Recent activity of a channel, as conversations, for somebody who joins in. */
export interface Window {
  /** The newest first. */
  readonly threads: readonly WindowThread[];
  /** What there was no room for. */
  readonly leftOut: { readonly threads: number; readonly messages: number };
}

export interface WindowThread {
  /** Oldest first; at least one. */
  readonly messages: readonly Message[];
  readonly links: ReadonlyMap<MessageId, Link>;
  /** So many older ones of it are not shown. */
  readonly earlier: number;
}

export interface WindowRequest {
  /** In any order. */
  readonly messages: readonly Message[];
  /** What is shown anyway, such as the reply chain: it helps to see who talks with whom, but is not repeated. */
  readonly given: readonly Message[];
  /** Conversations of theirs matter more: who asks, and the agent. */
  readonly people: ReadonlySet<UserId>;
  readonly now: number;
  readonly maxTokens: number;
  /** What a message takes, and what the first of a thread takes besides. */
  tokensOf(message: Message): number;
  readonly tokensPerThread: number;
}

const MAX_THREADS = 5;
const MAX_MESSAGES = 20;
const HOUR_MS = 3_600_000;
/** What else speaks for a conversation, beside that it has just gone on (1; an hour later half as much). */
const OF_THE_CHAIN = 1;
const OF_THESE_PEOPLE = 0.5;
const OF_THE_SUBJECT = 0.5;

/** The most useful of what was said lately, within all bounds. */
export function* buildWindow(request: WindowRequest, pacer: Pacer): Steps<Window> {
  const given = new Set(request.given.map(({ message_id }) => message_id));
  const talk = request.messages.filter(({ kind }) => kind !== "system");
  const all = (yield* buildThreadForest([...talk, ...request.given], pacer))
    .map((thread) => withoutGiven(thread, given))
    .filter(({ rest }) => rest.length > 0);
  const subject = new Set<string>();
  for (const { content } of request.given) {
    for (const term of toQueryTerms(content)) subject.add(term);
    if (pacer.spend(COST.message + 2 * COST.character * content.length)) yield;
  }
  const valued: Valued[] = [];
  for (const thread of all) {
    const isOnSubject = yield* concerns(thread, subject, pacer);
    valued.push({ ...thread, worth: worthOf(thread, isOnSubject, request) });
  }
  const chosen = valued
    .sort((a, b) => b.worth - a.worth || compareIds(newestOf(b.rest), newestOf(a.rest)))
    .slice(0, MAX_THREADS);
  const counts = yield* share(chosen, request, pacer);
  const threads = chosen
    .map(({ rest, thread }, index) => ({ rest, links: thread.links, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => compareIds(newestOf(b.rest), newestOf(a.rest)))
    .map(({ rest, links, count }) => ({ messages: rest.slice(-count), links, earlier: rest.length - count }));
  const shown = threads.reduce((sum, { messages }) => sum + messages.length, 0);
  const there = all.reduce((sum, { rest }) => sum + rest.length, 0);
  return { threads, leftOut: { threads: all.length - threads.length, messages: there - shown } };
}

/** What it takes to write a message down, to see how long it is, in units of work. */
const SHOW_COST = 3_000;

interface Valued extends Remaining {
  readonly worth: number;
}

interface Remaining {
  readonly thread: ForestThread;
  /** Without what is given. */
  readonly rest: readonly Message[];
}

function withoutGiven(thread: ForestThread, given: ReadonlySet<MessageId>): Remaining {
  return { thread, rest: thread.messages.filter(({ message_id }) => !given.has(message_id)) };
}

/** A message of it has a word of the subject. */
function* concerns({ rest }: Remaining, subject: ReadonlySet<string>, pacer: Pacer): Steps<boolean> {
  if (subject.size === 0) return false;
  for (const { content } of rest) {
    if (toQueryTerms(content).some((term) => subject.has(term))) return true;
    if (pacer.spend(COST.message + 2 * COST.character * content.length)) yield;
  }
  return false;
}

function worthOf(
  { thread, rest }: Remaining,
  isOnSubject: boolean,
  { people, now }: Pick<WindowRequest, "people" | "now">,
): number {
  const age = Math.max(0, now - Date.parse(rest.at(-1)?.ts ?? ""));
  const isOfChain = rest.length < thread.messages.length;
  const isTheirs = rest.some(({ author }) => people.has(author.id));
  return (
    HOUR_MS / (HOUR_MS + age) +
    (isOfChain ? OF_THE_CHAIN : 0) +
    (isTheirs ? OF_THESE_PEOPLE : 0) +
    (isOnSubject ? OF_THE_SUBJECT : 0)
  );
}

/**
 * How many of each thread's newest messages have room. One at a time goes to the thread that is worth most for what it has already: the most useful
 * is shown in depth, the others as far as there is room left.
 */
function* share(
  threads: readonly Valued[],
  { tokensOf, tokensPerThread, maxTokens }: WindowRequest,
  pacer: Pacer,
): Steps<number[]> {
  const counts = threads.map(() => 0);
  const open = new Set(threads.keys());
  let room = maxTokens;
  for (let left = MAX_MESSAGES; left > 0 && open.size > 0; ) {
    const worthNow = (index: number) => (threads[index]?.worth ?? 0) / (1 + (counts[index] ?? 0));
    const best = [...open].reduce((a, b) => (worthNow(b) > worthNow(a) ? b : a));
    const count = counts[best] ?? 0;
    const next = threads[best]?.rest.at(-1 - count);
    if (pacer.spend(SHOW_COST + COST.character * (next?.content.length ?? 0))) yield;
    const cost = next ? tokensOf(next) + (count === 0 ? tokensPerThread : 0) : 0;
    if (!next || cost > room) {
      open.delete(best);
      continue;
    }
    counts[best] = count + 1;
    room -= cost;
    left -= 1;
  }
  return counts;
}

function newestOf(messages: readonly Message[]): MessageId {
  return messages.at(-1)?.message_id ?? ("0" as MessageId);
}
