import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Log } from "../../ports/log.ts";
import { type EmbeddedText, toVector, type Vector, type Vectors } from "./vectors.ts";

export interface SemanticDeps {
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: Log;
}

const BATCH = 64;
const MAX_AT_ONCE = 2;
/** Above this size, entries that are no longer wanted are removed from the queue. The number of wanted ones is bounded by the quota for vectors. */
const CROWDED_QUEUE = 10_000;
const MAX_CONCURRENT_QUERIES = 8;
const MAX_CACHED_QUERIES = 200;
/** How long the embedder is left alone after a failure, unless it asks for longer. */
const PAUSE_MS = 60_000;

/** Has texts embedded, a batch at a time, and stores their vectors. Goes on after the search that wanted them has ended. */
export class EmbeddingQueue {
  readonly #deps: SemanticDeps;
  readonly #vectors: Vectors;
  readonly #queued = new Set<EmbeddedText>();
  /** Not a SingleFlight: texts are embedded in batches, and callers never wait for a single one. */
  readonly #inFlight = new Set<EmbeddedText>();
  readonly #queries = new BoundedMap<string, Vector | null>({ maxEntries: MAX_CACHED_QUERIES });
  readonly #closing = new AbortController();
  #batches = 0;
  #concurrentQueries = 0;
  #dimensions = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #step = Promise.withResolvers<void>();

  constructor(vectors: Vectors, deps: SemanticDeps) {
    this.#vectors = vectors;
    this.#deps = deps;
  }

  /** The embedder is left alone for the time being. */
  get isPaused(): boolean {
    return this.#closing.signal.aborted || this.#deps.clock.now() < this.#pausedUntil;
  }

  /** Resolves when something was learnt, or could not be. */
  get step(): Promise<void> {
    return this.#step.promise;
  }

  /** Queues those that are not being embedded already. */
  add(wanted: readonly EmbeddedText[]): void {
    if (this.#queued.size > CROWDED_QUEUE) this.#dropUnwanted();
    for (const embedded of wanted) if (!this.#inFlight.has(embedded)) this.#queued.add(embedded);
    this.#goOn();
  }

  /** Null when the text has no vector, undefined when it cannot be learnt now. */
  async embedQuery(query: string): Promise<Vector | null | undefined> {
    const known = this.#queries.get(query);
    if (known !== undefined) return known;
    // Refusing would let an answer depend on what others search for; waiting costs only time.
    while (this.#concurrentQueries >= MAX_CONCURRENT_QUERIES && !this.isPaused) await this.#step.promise;
    if (this.isPaused) return undefined;
    this.#concurrentQueries += 1;
    const [vector] = (await this.#embed([query])) ?? [];
    this.#concurrentQueries -= 1;
    this.#stepOn();
    if (vector === undefined) return undefined;
    this.#queries.set(query, vector);
    return vector;
  }

  /** Lets go of texts that are no longer wanted, and of all queries. */
  forget(): void {
    this.#dropUnwanted();
    this.#queries.clear();
  }

  close(): void {
    this.#closing.abort();
    this.#queued.clear();
    this.#stepOn();
  }

  #dropUnwanted(): void {
    for (const embedded of this.#queued) if (!this.#vectors.has(embedded)) this.#queued.delete(embedded);
  }

  #goOn(): void {
    while (this.#batches < MAX_AT_ONCE && this.#queued.size > 0 && !this.isPaused) {
      const batch: EmbeddedText[] = [];
      for (const embedded of this.#queued) {
        this.#queued.delete(embedded);
        // A message that changed or is gone meanwhile need not be embedded.
        if (this.#vectors.has(embedded)) batch.push(embedded);
        if (batch.length === BATCH) break;
      }
      if (batch.length > 0) void this.#learn(batch);
    }
    if (this.isPaused) this.#queued.clear();
  }

  async #learn(batch: readonly EmbeddedText[]): Promise<void> {
    this.#batches += 1;
    for (const embedded of batch) this.#inFlight.add(embedded);
    const texts = [...new Set(batch.map(({ text }) => text))];
    const vectors = await this.#embed(texts);
    const byText = new Map(texts.map((text, index) => [text, vectors?.[index]]));
    for (const embedded of batch) {
      this.#inFlight.delete(embedded);
      embedded.vector = byText.get(embedded.text);
    }
    this.#batches -= 1;
    this.#goOn();
    this.#stepOn();
  }

  /** Null when it fails: no failure of the embedder reaches a caller. */
  async #embed(texts: readonly string[]): Promise<(Vector | null)[] | null> {
    const { embedder, log } = this.#deps;
    try {
      const answer = await embedder.embed(texts, this.#closing.signal);
      const vectors = this.#read(answer, texts.length);
      if (this.#isFailing) log.info({ embedder: embedder.id }, "the embedder answers again");
      this.#isFailing = false;
      return vectors;
    } catch (error) {
      this.#pause(error);
      return null;
    }
  }

  #read(answer: readonly Float32Array[], count: number): (Vector | null)[] {
    const [first] = answer;
    const isSound = answer.every((each) => each.length === first?.length && each.every(Number.isFinite));
    if (!first || answer.length !== count || !isSound)
      throw new EarshotError("unavailable", "The embedder's answer could not be read.");
    // Vectors of another kind cannot be compared with those that are kept.
    if (this.#dimensions !== first.length && this.#dimensions > 0) {
      this.#vectors.clearAll();
      this.#queries.clear();
    }
    this.#dimensions = first.length;
    return answer.map(toVector);
  }

  #pause(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { embedder, clock, log } = this.#deps;
    const { code = "internal", retryAfter = 0 } = error instanceof EarshotError ? error : {};
    this.#pausedUntil = clock.now() + Math.max(PAUSE_MS, retryAfter * 1_000);
    this.#queued.clear();
    if (!this.#isFailing)
      log.warn({ embedder: embedder.id, code }, "the embedder does not answer: search goes by words alone");
    this.#isFailing = true;
  }

  #stepOn(): void {
    this.#step.resolve();
    this.#step = Promise.withResolvers();
  }
}
