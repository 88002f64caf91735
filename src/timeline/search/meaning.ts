import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { toQueryTerms } from "../../domain/search/terms.ts";
import type { Families } from "../families.ts";
import { idAt } from "./frame.ts";
import type { Close } from "./fuse.ts";
import { newestAllowed, newestSpots, type Spot } from "./meaning-choice.ts";
import { type MeaningDeps, MeaningQueue } from "./meaning-queue.ts";
import type { Scene } from "./scene.ts";
import { type Meant, similarity, type Vector, Vectors } from "./vectors.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** What may be meant: messages of the scene that meet all conditions of the query. */
export interface Field {
  readonly scene: Scene;
  readonly query: Query;
  readonly vocabulary: Vocabulary;
  /** What the index alone cannot tell. */
  accepts(message: Message): boolean;
}

/** Of all channels together, each of which has a quota. */
const MAX_VECTORS = 40_000;
/** People, roles, channels, custom emoji: of these only an emoji's name means something. */
const TOKEN = /<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>/g;

/**
 * What messages mean, as an embedder sees it. Only the newest of those that a search looks at are compared with its question, and either all of
 * them or none: which of them happened to be known before makes no difference to an answer, only to whether it comes in time.
 */
export class Meaning {
  readonly vectors: Vectors;
  readonly #queue: MeaningQueue;
  readonly #waitMs: number;

  /** Nobody waits for it longer than `waitMs`. */
  constructor(waitMs: number, deps: MeaningDeps & { readonly families: Families }) {
    this.vectors = new Vectors(MAX_VECTORS, deps.families);
    this.#queue = new MeaningQueue(this.vectors, deps);
    this.#waitMs = waitMs;
  }

  /** The meaning of the query's words, once that of all messages in the field is known too. Null when it has none, or not in time. */
  async understand(field: Field, signal: AbortSignal | undefined): Promise<Vector | null> {
    const question = toReadable(field.query.text);
    if (toQueryTerms(question).length === 0) return null;
    const wanted = this.#gather(field);
    const isOpen = (meant: Meant) => meant.vector === undefined && this.vectors.has(meant);
    if (this.#queue.isPaused && wanted.some(isOpen)) return null;
    this.#queue.add(wanted.filter(isOpen));
    const end = endOf(this.#waitMs, signal);
    try {
      const vector = await Promise.race([this.#queue.ask(question), end.promise]);
      while (vector && wanted.some(isOpen)) {
        if (end.isOver() || this.#queue.isPaused) return null;
        await Promise.race([this.#queue.step, end.promise]);
      }
      return vector ?? null;
    } finally {
      end.close();
    }
  }

  /** All that are known, each with its closeness to the question. Waits for nothing. */
  compare(question: Vector, field: Field): Close[] {
    const { scene, accepts } = field;
    const close: Close[] = [];
    for (const { frame, place } of this.#choose(field)) {
      const id = idAt(frame, place);
      const passing = scene.passing(id);
      const meant = this.vectors.get(scene.channelOf(frame), id);
      if (!meant?.vector || meant.vector.values.length !== question.values.length) continue;
      // Somebody else may have seen it with another text meanwhile.
      if (passing && toText(passing) !== meant.text) continue;
      if (!accepts(passing ?? meant.message)) continue;
      close.push({ frame, place, score: similarity(question, meant.vector), text: meant.text });
    }
    return close;
  }

  close(): void {
    this.#queue.close();
    this.vectors.clearAll();
  }

  /** No more of any channel than can be kept: else some would push out others, and an answer depend on their order. */
  #choose({ scene, query, vocabulary }: Field): Spot[] {
    const byFamily = new Map<ChannelId, { quota: number; spots: Spot[] }>();
    for (const spot of newestAllowed({ query, frames: scene.frames }, vocabulary)) {
      const channelId = scene.channelOf(spot.frame);
      const familyId = this.vectors.familyOf(channelId);
      const family = byFamily.get(familyId) ?? { quota: this.vectors.quotaOf(channelId), spots: [] };
      family.spots.push(spot);
      byFamily.set(familyId, family);
    }
    return [...byFamily.values()].flatMap(({ quota, spots }) => newestSpots(spots, quota));
  }

  #gather(field: Field): Meant[] {
    const { scene, accepts } = field;
    for (const frame of scene.frames) this.vectors.touch(scene.channelOf(frame));
    return this.#choose(field).flatMap(({ frame, place }) => {
      const id = idAt(frame, place);
      const passing = scene.passing(id);
      const known = this.vectors.get(scene.channelOf(frame), id);
      // Of what is held every change is heard; what only passes by may have changed unheard.
      const meant =
        known && (!passing || toText(passing) === known.text) ? known : this.#note(scene.read(frame, place));
      return meant && accepts(passing ?? meant.message) ? [meant] : [];
    });
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
