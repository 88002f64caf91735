import { embedMany } from "ai";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Embedder } from "../../ports/embedder.ts";
import { type ServerOptions, toModelFailure, toProvider, unreadable } from "./server.ts";

/** For each request. */
const TIMEOUT_MS = 30_000;
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 32_000;
/** What is longer is cut: small models take no more than 512 tokens, and some servers refuse what is too long, with all that came with it. */
const MAX_TEXT_LENGTH = 1_000;
const MAX_TOKENS = 400;
const MAX_DIMENSIONS = 8_192;

/** An embedder behind an OpenAI-compatible server, spoken to by the AI SDK. */
export function createAiSdkEmbedder(options: ServerOptions): Embedder {
  const { name, timeoutMs = TIMEOUT_MS } = options;
  const model = toProvider(options).embeddingModel(name);
  const ask = async (values: string[], signal: AbortSignal | undefined) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      abortSignal.throwIfAborted();
      const { embeddings } = await embedMany({ model, values, abortSignal, maxRetries: 0 });
      return embeddings;
    } catch (error) {
      throw toModelFailure(error, abortSignal, "embedder");
    }
  };
  return {
    id: name,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (const batch of inBatches(texts.map(cut))) {
        const embeddings = await ask(batch, signal);
        if (embeddings.length !== batch.length) throw unreadable("embedder");
        for (const numbers of embeddings) vectors.push(toVector(numbers, vectors[0]?.length));
      }
      return vectors;
    },
  };
}

function cut(text: string): string {
  let kept = text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
  while (kept.length > 1 && estimateTokens(kept) > MAX_TOKENS)
    kept = kept.slice(0, Math.floor(kept.length * 0.8)).toWellFormed();
  // Some servers refuse a text without anything in it.
  return kept === "" ? " " : kept;
}

function inBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const batch = batches.at(-1);
    characters += text.length;
    if (batch && batch.length < MAX_TEXTS && characters <= MAX_CHARACTERS) batch.push(text);
    else {
      batches.push([text]);
      characters = text.length;
    }
  }
  return batches;
}

/** `expected`: how many numbers the others have. */
function toVector(numbers: readonly number[], expected = numbers.length): Float32Array {
  const vector = Float32Array.from(numbers);
  const isSound = vector.length === expected && vector.length > 0 && vector.length <= MAX_DIMENSIONS;
  if (!isSound || !vector.every(Number.isFinite)) throw unreadable("embedder");
  return vector;
}
