import { buildThreadForest, type ForestThread, type Link } from "../forest/build-thread-forest.ts";
import { compareIds, type MessageId } from "../ids.ts";
import type { Message } from "../message.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";

/** The recent activity of a channel, grouped by conversation, for an agent that is addressed there. */
export interface Window {
  /** Newest first. */
  readonly threads: readonly WindowThread[];
  /** The parts that did not fit. */
  readonly leftOut: { readonly threads: number; readonly messages: number };
}

export interface WindowThread {
  /** Oldest first; at least one. */
  readonly messages: readonly Message[];
  /** Without unlikely links: a message may clearly belong to a thread without it being clear which message it answers. */
  readonly links: ReadonlyMap<MessageId, Link>;
  /** The number of older messages of the thread that are left out. */
  readonly earlier: number;
}

export interface WindowRequest {
  /** In any order. */
  readonly messages: readonly Message[];
  /** Messages shown anyway, such as the reply chain: used to find conversations, but not repeated. */
  readonly given: readonly Message[];
  readonly maxTokens: number;
  /** The cost of a message; the first of a thread also costs `tokensPerThread`. */
  tokensOf(message: Message): number;
  readonly tokensPerThread: number;
}

const MAX_THREADS = 5;
const MAX_MESSAGES = 20;
/** Inferred links are right as often as their certainty says. */
const MIN_CERTAINTY = 0.5;

/** Selects the conversations with the newest messages, within all limits. */
export function* buildWindow(request: WindowRequest, pacer: Pacer): Steps<Window> {
  const given = new Set(request.given.map(({ message_id }) => message_id));
  const talk = request.messages.filter(({ kind }) => kind !== "system");
  const all = (yield* buildThreadForest([...talk, ...request.given], pacer))
    .map((thread) => withoutGiven(thread, given))
    .filter(({ rest }) => rest.length > 0);
  const chosen = all.toSorted((a, b) => compareIds(newestOf(b.rest), newestOf(a.rest))).slice(0, MAX_THREADS);
  const counts = yield* share(chosen, request, pacer);
  const threads = chosen
    .map(({ rest, thread }, index) => ({ rest, links: likelyLinks(thread), count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ rest, links, count }) => ({ messages: rest.slice(-count), links, earlier: rest.length - count }));
  const shown = threads.reduce((sum, { messages }) => sum + messages.length, 0);
  const there = all.reduce((sum, { rest }) => sum + rest.length, 0);
  return { threads, leftOut: { threads: all.length - threads.length, messages: there - shown } };
}

/** The cost of rendering a message to measure it, in units of work. */
const SHOW_COST = 3_000;

interface Remaining {
  readonly thread: ForestThread;
  /** Its messages without those in `given`. */
  readonly rest: readonly Message[];
}

function withoutGiven(thread: ForestThread, given: ReadonlySet<MessageId>): Remaining {
  return { thread, rest: thread.messages.filter(({ message_id }) => !given.has(message_id)) };
}

function likelyLinks({ links }: ForestThread): ReadonlyMap<MessageId, Link> {
  return new Map([...links].filter(([, { certainty }]) => certainty >= MIN_CERTAINTY));
}

/**
 * Decides how many of each thread's newest messages fit. Adds messages one at a time, to the second newest thread half as often as to the
 * newest, and so on: the newest is shown in depth, the others as far as they fit.
 */
function* share(
  threads: readonly Remaining[],
  { tokensOf, tokensPerThread, maxTokens }: WindowRequest,
  pacer: Pacer,
): Steps<number[]> {
  const counts = threads.map(() => 0);
  const open = new Set(threads.keys());
  let remaining = maxTokens;
  for (let left = MAX_MESSAGES; left > 0 && open.size > 0; ) {
    const turnOf = (index: number) => (1 + index) * (1 + (counts[index] ?? 0));
    const best = [...open].reduce((a, b) => (turnOf(b) < turnOf(a) ? b : a));
    const count = counts[best] ?? 0;
    const next = threads[best]?.rest.at(-1 - count);
    if (pacer.spend(SHOW_COST + COST.character * (next?.content.length ?? 0))) yield;
    const cost = next ? tokensOf(next) + (count === 0 ? tokensPerThread : 0) : 0;
    if (!next || cost > remaining) {
      open.delete(best);
      continue;
    }
    counts[best] = count + 1;
    remaining -= cost;
    left -= 1;
  }
  return counts;
}

function newestOf(messages: readonly Message[]): MessageId {
  return messages.at(-1)?.message_id ?? ("0" as MessageId);
}
