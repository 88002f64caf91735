import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Families } from "../../timeline/families.ts";
import { idAt } from "../index/frame.ts";
import type { Vocabulary } from "../index/vocabulary.ts";
import type { Close } from "../rank/fuse.ts";
import type { Filter } from "../rank/rank.ts";
import type { Scene } from "../snapshot/snapshot.ts";
import { EmbeddingQueue, type SemanticDeps } from "./embedding-queue.ts";
import { newestAllowed, newestSpots, type Spot } from "./semantic-choice.ts";
import { type Meant, similarity, type Vector, Vectors } from "./vectors.ts";

/** What may be meant: messages of the scene that meet all conditions of the query. */
export interface Field {
  readonly scene: Scene;
  readonly query: Query;
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
  /** What the index alone cannot tell. */
  readonly filter: Filter;
}

/** What it takes to look up what is known of one message, in units of work. */
const MATCH_COST = 50;
/** What it takes to sort one message into its family. */
const CHOICE_COST = 50;
/** Of all channels together, each of which has a quota. */
const MAX_VECTORS = 40_000;
/** People, roles, channels, custom emoji: of these only an emoji's name means something. */
const TOKEN = /<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>/g;

/**
 * What messages mean, as an embedder sees it. Only the newest of those that a search looks at are compared with its question, and either all of
 * them or none: which of them happened to be known before makes no difference to an answer, only to whether it comes in time.
 */
export class SemanticSearch {
  readonly vectors: Vectors;
  readonly #queue: EmbeddingQueue;
  readonly #waitMs: number;

  /** Nobody waits for it longer than `waitMs`. */
  constructor(waitMs: number, deps: SemanticDeps & { readonly families: Families }) {
    this.vectors = new Vectors(MAX_VECTORS, deps.families);
    this.#queue = new EmbeddingQueue(this.vectors, deps);
    this.#waitMs = waitMs;
  }

  /** The text has words that can mean something. */
  isMeaningful(text: string): boolean {
    return toQueryTerms(toReadable(text)).length > 0;
  }

  /** The messages whose meaning is needed to compare them with the question; none that changed while this paused. */
  *gather(field: Field, watch: { isChanged(message: Message): boolean }): Steps<Meant[]> {
    const { scene, pacer, filter } = field;
    // Channels may have come since the last search: each has a smaller quota then.
    this.vectors.settle();
    for (const frame of scene.frames) this.vectors.touch(scene.channelOf(frame));
    const wanted: Meant[] = [];
    for (const { frame, place } of yield* this.#choose(field)) {
      const id = idAt(frame, place);
      const passing = scene.passing(id);
      if (passing && watch.isChanged(passing)) continue;
      const known = this.vectors.get(scene.channelOf(frame), id);
      // Of what is held every change is heard; what only passes by may have changed unheard.
      const meant =
        known && (!passing || toText(passing) === known.text) ? known : this.#note(scene.read(frame, place));
      if (!meant) continue;
      if (filter.accepts(passing ?? meant.message)) wanted.push(meant);
      if (pacer.spend(COST.message + COST.character * meant.text.length + filter.cost(meant.message))) yield;
    }
    return wanted;
  }

  /** The meaning of the question, once that of everything gathered is known too. Null when it has none, or not in time. */
  async understand(text: string, wanted: readonly Meant[], signal: AbortSignal | undefined): Promise<Vector | null> {
    const isOpen = (meant: Meant) => meant.vector === undefined && this.vectors.has(meant);
    if (this.#queue.isPaused && wanted.some(isOpen)) return null;
    this.#queue.add(wanted.filter(isOpen));
    const end = endOf(this.#waitMs, signal);
    try {
      const vector = await Promise.race([this.#queue.ask(toReadable(text)), end.promise]);
      while (vector && wanted.some(isOpen)) {
        if (end.isOver() || this.#queue.isPaused) return null;
        await Promise.race([this.#queue.step, end.promise]);
      }
      return vector ?? null;
    } finally {
      end.close();
    }
  }

  /** All that are known, each with its closeness to the question. */
  *compare(question: Vector, field: Field): Steps<Close[]> {
    const { scene, pacer, filter } = field;
    const close: Close[] = [];
    for (const { frame, place } of yield* this.#choose(field)) {
      const id = idAt(frame, place);
      const passing = scene.passing(id);
      const meant = this.vectors.get(scene.channelOf(frame), id);
      if (pacer.spend(MATCH_COST + (question.values.length >> 2))) yield;
      if (!meant?.vector || meant.vector.values.length !== question.values.length) continue;
      if (pacer.spend(filter.cost(meant.message) + (passing ? COST.character * meant.text.length : 0))) yield;
      // Somebody else may have seen it with another text meanwhile.
      if (passing && toText(passing) !== meant.text) continue;
      if (!filter.accepts(passing ?? meant.message)) continue;
      close.push({ frame, place, score: similarity(question, meant.vector), text: meant.text });
    }
    return close;
  }

  close(): void {
    this.#queue.close();
    this.vectors.clearAll();
  }

  /** No more of any channel than can be kept: else some would push out others, and an answer depend on their order. */
  *#choose({ scene, query, vocabulary, pacer }: Field): Steps<Spot[]> {
    const spots = yield* newestAllowed({ query, frames: scene.frames }, { vocabulary, pacer });
    if (pacer.spend(CHOICE_COST * spots.length)) yield;
    const byFamily = new Map<ChannelId, { quota: number; spots: Spot[] }>();
    for (const spot of spots) {
      const channelId = scene.channelOf(spot.frame);
      const familyId = this.vectors.familyOf(channelId);
      const family = byFamily.get(familyId) ?? { quota: this.vectors.quotaOf(channelId), spots: [] };
      family.spots.push(spot);
      byFamily.set(familyId, family);
    }
    return [...byFamily.values()].flatMap((family) => newestSpots(family.spots, family.quota));
  }

  #note(message: Message | undefined): Meant | undefined {
    if (!message) return undefined;
    const text = toText(message);
    const meant: Meant = { message, text, vector: text === "" ? null : undefined };
    this.vectors.put(meant);
    return meant;
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
