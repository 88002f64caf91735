import type { UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Families } from "../../timeline/families.ts";
import { type Frame, idAt } from "../index/frame.ts";
import type { Vocabulary } from "../index/vocabulary.ts";
import type { Close } from "../rank/fuse.ts";
import { type PlanDeps, toPlan } from "../rank/plan.ts";
import type { QueryReader } from "../rank/query-reader.ts";
import type { Filter } from "../rank/rank.ts";
import { MessageScorer } from "../rank/score.ts";
import type { SearchSnapshot } from "../snapshot/snapshot.ts";
import { EmbeddingQueue, type SemanticDeps } from "./embedding-queue.ts";
import { weighByReplies } from "./reply-worth.ts";
import { type EmbeddedText, similarity, type Vector, Vectors } from "./vectors.ts";

/** The messages to compare with the query: those of the snapshot that meet all of its conditions. */
export interface Comparison {
  /** How many at most, the newest. */
  readonly max: number;
  readonly snapshot: SearchSnapshot;
  readonly query: Query;
  readonly queries: QueryReader;
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
  /** Conditions that the index alone cannot check. */
  readonly filter: Filter;
}

/** `weight`: how much closeness counts beside words, judged by replies; null when there are too few. */
export interface Compared {
  readonly close: readonly Close[];
  readonly weight: number | null;
}

/** The cost of looking up the vector of one message, in units of work. */
const MATCH_COST = 50;
/** The cost of assigning one message to its family. */
const CHOICE_COST = 50;
/** For all channels together, each of which has a quota. */
const MAX_VECTORS = 40_000;
/**
 * How many are compared: as soon as the newest of them are embedded, which takes a minute at worst, and then more and more with every search, as far as
 * there is room. Comparing a thousand takes about a millisecond.
 */
export const REACHES: readonly number[] = [5_000, 10_000, 20_000, MAX_VECTORS];
/** People, roles, channels, custom emoji: of these only an emoji's name means something. */
const TOKEN = /<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>/g;

/**
 * Search by embedding. Only the newest of those that a search looks at are compared with its query, and either all of
 * them or none: which of them happened to be known before makes no difference to an answer, only to whether it comes in time.
 */
export class SemanticSearch {
  readonly vectors: Vectors;
  readonly #queue: EmbeddingQueue;
  readonly #waitMs: number;

  /** Waits for the query's vector no longer than `waitMs`. */
  constructor(waitMs: number, deps: SemanticDeps & { readonly families: Families }) {
    this.vectors = new Vectors(MAX_VECTORS, deps.families);
    this.#queue = new EmbeddingQueue(this.vectors, deps);
    this.#waitMs = waitMs;
  }

  /** The text has words that can mean something. */
  hasWords(text: string): boolean {
    return toQueryTerms(toReadable(text)).length > 0;
  }

  /** The messages whose vectors are needed to compare them with the query; none that changed while this paused. */
  *gather(comparison: Comparison, watch: { isChanged(message: Message): boolean }): Steps<EmbeddedText[]> {
    const { snapshot, pacer, filter } = comparison;
    // Channels may have come since the last search: each has a smaller quota then.
    this.vectors.settle();
    for (const frame of snapshot.frames) this.vectors.touch(snapshot.channelOf(frame));
    const wanted: EmbeddedText[] = [];
    for (const { frame, row } of yield* this.#choose(comparison)) {
      const id = idAt(frame, row);
      const unheld = snapshot.unheld(id);
      if (unheld && watch.isChanged(unheld)) continue;
      const known = this.vectors.get(snapshot.channelOf(frame), id);
      // Changes of cached messages are always noticed; fetched ones may have changed unnoticed.
      const embedded =
        known && (!unheld || toText(unheld) === known.text) ? known : this.#note(snapshot.read(frame, row));
      if (!embedded) continue;
      if (filter.accepts(unheld ?? embedded.message)) wanted.push(embedded);
      if (pacer.spend(COST.message + COST.character * embedded.text.length + filter.cost(embedded.message))) yield;
    }
    return wanted;
  }

  /** The vector of the query, once those of everything gathered are known too. Null when it has none, or not in time. */
  async embedQuery(
    text: string,
    wanted: readonly EmbeddedText[],
    signal: AbortSignal | undefined,
  ): Promise<Vector | null> {
    const isOpen = (embedded: EmbeddedText) => this.#isOpen(embedded);
    if (this.#queue.isPaused && wanted.some(isOpen)) return null;
    this.#queue.add(wanted.filter(isOpen));
    const end = endOf(this.#waitMs, signal);
    try {
      const vector = await Promise.race([this.#queue.embedQuery(toReadable(text)), end.promise]);
      while (vector && wanted.some(isOpen)) {
        if (end.isOver() || this.#queue.isPaused) return null;
        await Promise.race([this.#queue.step, end.promise]);
      }
      return vector ?? null;
    } finally {
      end.close();
    }
  }

  /** Whether the vectors of all these are known, or will never be. Has those embedded that are not. */
  isEmbedded(wanted: readonly EmbeddedText[]): boolean {
    const open = wanted.filter((embedded) => this.#isOpen(embedded));
    if (open.length > 0 && !this.#queue.isPaused) this.#queue.add(open);
    return open.length === 0;
  }

  /** All messages with known vectors, each with its closeness to the query, and what that is worth here. */
  *compare(queryVector: Vector, comparison: Comparison): Steps<Compared> {
    const { snapshot, pacer, filter } = comparison;
    const close: Close[] = [];
    const channels = new Map<Frame, EmbeddedText[]>();
    for (const { frame, row } of yield* this.#choose(comparison)) {
      const id = idAt(frame, row);
      const unheld = snapshot.unheld(id);
      const embedded = this.vectors.get(snapshot.channelOf(frame), id);
      if (pacer.spend(MATCH_COST + (queryVector.values.length >> 2))) yield;
      if (!embedded?.vector || embedded.vector.values.length !== queryVector.values.length) continue;
      if (pacer.spend(filter.cost(embedded.message) + (unheld ? COST.character * embedded.text.length : 0))) yield;
      // Another search may have seen it with another text meanwhile.
      if (unheld && toText(unheld) !== embedded.text) continue;
      if (!filter.accepts(unheld ?? embedded.message)) continue;
      close.push({ frame, row, score: similarity(queryVector, embedded.vector), text: embedded.text });
      const channel = channels.get(frame) ?? [];
      channel.push(embedded);
      channels.set(frame, channel);
    }
    return { close, weight: yield* weighByReplies([...channels.values()], pacer) };
  }

  /** The timelines report cached messages; this also covers messages that were only fetched. */
  letGoOf(authorId: UserId): void {
    this.vectors.forgetAuthor(authorId);
    this.#queue.forget();
  }

  close(): void {
    this.#queue.close();
    this.vectors.clearAll();
  }

  #isOpen(embedded: EmbeddedText): boolean {
    return embedded.vector === undefined && this.vectors.has(embedded);
  }

  /** No more of any channel than can be kept: else some would push out others, and an answer depend on their order. */
  *#choose({ snapshot, query, queries, vocabulary, pacer, max }: Comparison): Steps<Spot[]> {
    const spots = yield* newestAllowed({ query, frames: snapshot.frames, max }, { queries, vocabulary, pacer });
    if (pacer.spend(CHOICE_COST * spots.length)) yield;
    const byFamily = new Map<string, { quota: number; spots: Spot[] }>();
    for (const spot of spots) {
      const channelId = snapshot.channelOf(spot.frame);
      const familyId = this.vectors.familyOf(channelId);
      const family = byFamily.get(familyId) ?? { quota: this.vectors.quotaOf(channelId), spots: [] };
      family.spots.push(spot);
      byFamily.set(familyId, family);
    }
    return [...byFamily.values()].flatMap((family) => newestSpots(family.spots, family.quota));
  }

  #note(message: Message | undefined): EmbeddedText | undefined {
    if (!message) return undefined;
    const text = toText(message);
    const embedded: EmbeddedText = { message, text, vector: text === "" ? null : undefined };
    this.vectors.put(embedded);
    return embedded;
  }
}

function toText({ content, attachments }: Message): string {
  return toReadable([content, ...attachments.map(({ filename }) => filename)].join(" "));
}

function toReadable(text: string): string {
  const readable = text.includes("<") ? text.replaceAll(TOKEN, (_, emoji) => emoji?.replaceAll("_", " ") ?? "") : text;
  return readable.trim();
}

/** Comes when the time is over or the signal says so. */
function endOf(ms: number, signal: AbortSignal | undefined) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let isOver = signal?.aborted ?? false;
  const end = () => {
    isOver = true;
    resolve(undefined);
  };
  if (isOver) end();
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end);
  const close = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  };
  return { promise, isOver: () => isOver, close };
}

/** Seconds, as frames count them. */
const END_OF_TIME = 2 ** 32;

interface Choice {
  readonly query: Query;
  readonly frames: readonly Frame[];
  /** In all channels together. */
  readonly max: number;
}

interface Spot {
  readonly frame: Frame;
  readonly row: number;
}

/**
 * The newest messages that meet all conditions which the index can check, oldest first within each frame. Messages of one second are chosen together or not at
 * all.
 */
function* newestAllowed({ query, frames, max }: Choice, deps: PlanDeps): Steps<Spot[]> {
  const allowed = yield* allowedRows({ query, frames }, deps);
  if (deps.pacer.spend(frames.length * SEARCH_COST)) yield;
  const countFrom = (time: number) =>
    allowed.reduce((sum, { times }) => sum + times.length - countBefore(times, time), 0);
  let [low, high] = [0, END_OF_TIME];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (countFrom(middle) <= max) high = middle;
    else low = middle + 1;
  }
  const spots: Spot[] = [];
  for (const { frame, times, rows } of allowed)
    for (let index = countBefore(times, low); index < times.length; index += 1)
      spots.push({ frame, row: rows?.[index] ?? index });
  return spots;
}

/** At most `max` of them, the newest; those of one second together or not at all. */
function newestSpots(spots: readonly Spot[], max: number): readonly Spot[] {
  if (spots.length <= max) return spots;
  const timeOf = ({ frame, row }: Spot) => frame.times[row] ?? 0;
  const cut = Uint32Array.from(spots, timeOf).sort()[spots.length - max - 1] ?? END_OF_TIME;
  return spots.filter((spot) => timeOf(spot) > cut);
}

/** The cost of the binary search for the cutoff, per frame, in units of work. */
const SEARCH_COST = 1_500;

interface Allowed {
  readonly frame: Frame;
  readonly rows: readonly number[] | null;
  readonly times: Uint32Array;
}

/** With the time of each row. All rows where there are no conditions. */
function* allowedRows({ query, frames }: Pick<Choice, "query" | "frames">, deps: PlanDeps): Steps<Allowed[]> {
  const plan = { ...(yield* toPlan({ ...query, text: "" }, frames, deps)), words: [] };
  if (plan.needed.length + plan.unwanted.length === 0)
    return frames.map((frame) => ({ frame, rows: null, times: frame.times }));
  const scorer = new MessageScorer(plan, deps.pacer);
  const allowed: Allowed[] = [];
  let firstPart = 0;
  for (const [index, frame] of frames.entries()) {
    const rows: number[] = [];
    yield* scorer.visit({ frame, index, firstPart }, Number.NEGATIVE_INFINITY, (row) => rows.push(row));
    firstPart += frame.parts.length;
    allowed.push({ frame, rows, times: Uint32Array.from(rows, (row) => frame.times[row] ?? 0) });
  }
  return allowed;
}

function countBefore(times: Uint32Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
