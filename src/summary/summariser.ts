import { createHash } from "node:crypto";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError, type ErrorCode, throwIfCancelled } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { OpenPace, Pace } from "../domain/steps/pace.ts";
import { type Bullet, bulletTokens, fitBullets } from "../domain/summary/bullets.ts";
import { extractSummary } from "../domain/summary/extract-summary.ts";
import {
  type ModelPrompt,
  type PromptRequest,
  promptForTranscript,
  promptToCombine,
} from "../domain/summary/prompts.ts";
import { readAnswer } from "../domain/summary/read-answer.ts";
import type { SummaryNames } from "../domain/summary/summary-posts.ts";
import { toChunks, toTranscript, type Utterance } from "../domain/summary/transcript.ts";
import { estimateTokens } from "../domain/text/tokens.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model } from "../ports/model.ts";
import type { OperationSpending, Reservation, SpentTokens } from "../ports/operation-spending.ts";

export interface SummariseRequest extends SummaryNames {
  readonly channelId: ChannelId;
  /** In any order. All of them were decided about within the operation that asks. */
  readonly messages: readonly Message[];
  readonly focus?: string;
  readonly maxTokens: number;
  /** What the operation that asks may use of the model; without it, nothing is counted. */
  readonly spending?: OperationSpending;
  readonly signal?: AbortSignal;
}

interface Summary {
  /** Others' words, at best in the model's: untrusted. Empty when there is nothing to tell. */
  readonly bullets: readonly Bullet[];
  readonly by: "model" | "extract";
  /** Why it is not by the model, where there is one. */
  readonly problem: ErrorCode | null;
}

export interface Summariser {
  /** Throws `cancelled` when the signal says so, and nothing else: without a model there is still a summary. */
  summarise(request: SummariseRequest): Promise<Summary>;
  /** These messages were deleted or edited, or are to be forgotten. */
  forget(messageIds: readonly MessageId[]): void;
  /** All that was said there is gone, or may no longer be known. */
  forgetChannel(channelId: ChannelId): void;
  /** Nothing that somebody wrote may be used any more. */
  forgetAuthor(userId: UserId): void;
}

export interface SummariserDeps {
  /** The cheapest that will do; null where there is none. */
  readonly model: Model | null;
  readonly clock: Clock;
  /** Unguessable: letters, digits, `-` and `_`. */
  mintNonce(): string;
  /** How long a model may take for all of one summary. */
  readonly patienceMs?: number;
  readonly openPace: OpenPace;
}

const MODEL_TIMEOUT_MS = 30_000;
const MAX_BULLETS = 10;
const CHUNK_BULLETS = 5;
const TOKENS_PER_BULLET = 90;
/** Our own words in a prompt, with the frame of what is quoted. */
const RULES_TOKENS = 500;
/** Requests to the model at once. */
const MAX_AT_ONCE = 4;
/** More would cost too much: they are summarised without the model. */
const MAX_MESSAGES = 600;

export function createSummariser(deps: SummariserDeps): Summariser {
  const { model, clock, mintNonce, patienceMs = MODEL_TIMEOUT_MS, openPace } = deps;
  const cache = new SummaryCache(clock);
  const extract = async (request: SummariseRequest, pace: Pace, problem: ErrorCode | null): Promise<Summary> => {
    const bullets = await pace.run(extractSummary({ ...request, now: clock.now() }, pace));
    return { bullets, by: "extract", problem };
  };
  return {
    async summarise(request) {
      const pace = openPace(() => throwIfCancelled(request.signal));
      if (!model || request.messages.length > MAX_MESSAGES) return extract(request, pace, null);
      const transcript = await pace.run(toTranscript(request.messages, request, pace));
      if (transcript.length === 0) return extract(request, pace, null);
      const over = new AbortController();
      const signals = [over.signal, AbortSignal.timeout(patienceMs), ...(request.signal ? [request.signal] : [])];
      try {
        const run = { ...request, model, cache, mintNonce, signal: AbortSignal.any(signals) };
        return { bullets: await summariseWithModel(transcript, run), by: "model", problem: null };
      } catch (error) {
        throwIfCancelled(request.signal);
        if (!(error instanceof EarshotError)) throw error;
        return await extract(request, pace, error.code);
      } finally {
        // Where one part failed, the others are not waited for.
        over.abort();
      }
    },
    forget: (messageIds) => cache.forget(messageIds),
    forgetChannel: (channelId) => cache.forgetChannel(channelId),
    forgetAuthor: (userId) => cache.forgetAuthor(userId),
  };
}

type Run = SummariseRequest & {
  readonly model: Model;
  readonly cache: SummaryCache;
  readonly signal: AbortSignal;
  mintNonce(): string;
};

/** Part by part, so that what is known of most parts need not be paid for again; then made shorter where it is too long. */
async function summariseWithModel(transcript: readonly Utterance[], run: Run): Promise<readonly Bullet[]> {
  const parts = await askAll(
    toChunks(transcript, roomIn(run.model, CHUNK_BULLETS)).map((chunk) => toChunkRequest(chunk, run)),
    run,
  );
  const bullets = parts.flat();
  const tokens = bullets.reduce((sum, bullet) => sum + bulletTokens(bullet), 0);
  const isShort = parts.length < 2 || (bullets.length <= MAX_BULLETS && tokens <= run.maxTokens);
  const combined = isShort
    ? bullets
    : (await askAll([toCombineRequest(fitBullets(bullets, roomIn(run.model, MAX_BULLETS)), run)], run)).flat();
  return fitBullets(combined, run.maxTokens);
}

/** What a prompt may quote, so that rules, quotations and answer have room together. */
function roomIn({ contextTokens = Number.POSITIVE_INFINITY }: Model, maxBullets: number): number {
  return contextTokens - RULES_TOKENS - maxBullets * TOKENS_PER_BULLET;
}

/** One request to the model. */
interface PartRequest {
  readonly made: Made;
  readonly asking: PromptRequest;
  readonly question: ModelPrompt;
}

function toChunkRequest(chunk: readonly Utterance[], run: Run): PartRequest {
  const asking = askingOf(run, CHUNK_BULLETS);
  const words = chunk.map(({ id, replyTo, author, ts, content }) => [
    id,
    replyTo,
    author.name,
    author.bot,
    ts,
    content,
  ]);
  const messages = new Map(chunk.map(({ id, authorId }) => [id, authorId]));
  const made = { key: toKey("chunk", run, words), channelId: run.channelId, messages };
  return { made, asking, question: promptForTranscript(chunk, asking) };
}

function toCombineRequest(bullets: readonly Bullet[], run: Run): PartRequest {
  const asking = askingOf(run, MAX_BULLETS);
  const messages = new Map(run.messages.map(({ message_id, author }) => [message_id, author.id]));
  const made = { key: toKey("whole", run, bullets), channelId: run.channelId, messages };
  return { made, asking, question: promptToCombine(bullets, asking) };
}

/** Tokens are reserved for all of them before the first is sent: with some of them alone there is no summary, and they would be paid for in vain. */
async function askAll(requests: readonly PartRequest[], run: Run): Promise<(readonly Bullet[])[]> {
  const { cache, spending } = run;
  const reserve = (request: PartRequest) => spending?.reserve(sumOf(estimate(request)));
  const unsent = new Map<PartRequest, Reservation | undefined>();
  const parts: (readonly Bullet[])[] = [];
  try {
    for (const request of requests) if (!cache.has(request.made.key)) unsent.set(request, reserve(request));
    for (let first = 0; first < requests.length; first += MAX_AT_ONCE) {
      const wave = requests.slice(first, first + MAX_AT_ONCE).map((request) =>
        cache.remember(request.made, async () => {
          // One that was cached may have been evicted meanwhile.
          const reservation = unsent.get(request) ?? reserve(request);
          unsent.delete(request);
          return ask(request, reservation, run);
        }),
      );
      parts.push(...(await Promise.all(wave)));
    }
    return parts;
  } finally {
    for (const reservation of unsent.values()) reservation?.settle({ inputTokens: 0, outputTokens: 0 });
  }
}

async function ask(
  request: PartRequest,
  reservation: Reservation | undefined,
  { model, signal }: Run,
): Promise<readonly Bullet[]> {
  const { question, asking } = request;
  const { system, prompt } = question;
  // A call that fails may have to be paid for, too.
  let usage = estimate(request);
  try {
    const generation = await model.generate({ system, prompt, maxOutputTokens: usage.outputTokens, signal });
    usage = generation;
    const bullets = readAnswer(generation.text, question, asking);
    if (!bullets) throw new EarshotError("unavailable", "The model did not answer with bullets that cite messages.");
    return bullets;
  } finally {
    reservation?.settle(usage);
  }
}

/** An upper estimate. */
function estimate({ question: { system, prompt }, asking }: PartRequest): SpentTokens {
  const inputTokens = estimateTokens(system) + estimateTokens(prompt);
  return { inputTokens, outputTokens: asking.maxBullets * TOKENS_PER_BULLET };
}

function sumOf({ inputTokens, outputTokens }: SpentTokens): number {
  return inputTokens + outputTokens;
}

function askingOf({ mintNonce, focus }: Run, maxBullets: number): PromptRequest {
  return { nonce: mintNonce(), maxBullets, ...(focus !== undefined && { focus }) };
}

function toKey(kind: string, { channelId, focus }: Run, words: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, channelId, focus ?? null, words]))
    .digest("base64url");
}

/** What a summary was made from. */
interface Made {
  /** The hash of every word that the model was shown. */
  readonly key: string;
  readonly channelId: ChannelId;
  /** The messages, with who wrote each. */
  readonly messages: ReadonlyMap<MessageId, UserId>;
}

interface Entry extends Made {
  readonly bullets: readonly Bullet[];
}

const MAX_ENTRIES = 500;
const KEPT_MS = 24 * 3_600_000;

/**
 * Summaries by a model, in memory. A summary may be read by those who may read all of its sources, which is not checked here. So an entry is
 * returned only for exactly the same messages with the same text: the gate has just decided about each of them. Names belong to the text, too: the
 * name of a channel may be visible to one person and hidden from another.
 */
class SummaryCache {
  readonly #entries: BoundedMap<string, Entry>;
  /** What is being made. Not a SingleFlight: this only notes what is forgotten meanwhile, each caller makes its own. */
  readonly #making = new Set<Made & { isForgotten: boolean }>();

  constructor(clock: Clock) {
    this.#entries = new BoundedMap({ maxEntries: MAX_ENTRIES, ttlMs: KEPT_MS, clock });
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** What was made before, or is made now. A failure is not remembered, nor is what was to be forgotten before it was done. */
  async remember(made: Made, make: () => Promise<readonly Bullet[]>): Promise<readonly Bullet[]> {
    const known = this.#entries.use(made.key);
    if (known) return known.bullets;
    const making = { ...made, isForgotten: false };
    this.#making.add(making);
    try {
      const bullets = await make();
      if (!making.isForgotten) this.#entries.set(made.key, { ...made, bullets });
      return bullets;
    } finally {
      this.#making.delete(making);
    }
  }

  /** Drops everything that rests on any of these messages. */
  forget(messageIds: readonly MessageId[]): void {
    this.#drop(({ messages }) => messageIds.some((id) => messages.has(id)));
  }

  forgetChannel(channelId: ChannelId): void {
    this.#drop((made) => made.channelId === channelId);
  }

  forgetAuthor(userId: UserId): void {
    this.#drop(({ messages }) => messages.values().some((author) => author === userId));
  }

  #drop(isMeant: (made: Made) => boolean): void {
    this.#entries.deleteWhere(isMeant);
    for (const making of this.#making) if (isMeant(making)) making.isForgotten = true;
  }
}
