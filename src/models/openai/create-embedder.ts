import { z } from "zod";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Embedder } from "../../ports/embedder.ts";
import { limitBytes } from "./read-events.ts";
import { post, type ServerOptions, ServerProblem, toModelFailure } from "./server.ts";

/** For each request. */
const TIMEOUT_MS = 30_000;
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 32_000;
/** Longer texts are cut: small models take no more than 512 tokens, and some servers refuse a batch with a longer text. */
const MAX_TEXT_LENGTH = 1_000;
const MAX_TOKENS = 400;
const MAX_DIMENSIONS = 8_192;
/** Maximum size of a response: the maximum of numbers, of some 25 characters each. */
const MAX_BYTES = MAX_TEXTS * MAX_DIMENSIONS * 32;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()) })),
});

/** An embedder behind a server that speaks OpenAI's protocol. */
export function createEmbedder(options: ServerOptions): Embedder {
  const { name, timeoutMs = TIMEOUT_MS } = options;
  const ask = async (input: string[], signal: AbortSignal) => {
    const body = { model: name, input, encoding_format: "float" };
    const answer = await post(options, { path: "/embeddings", body, signal });
    const chunks: Uint8Array[] = [];
    for await (const chunk of limitBytes(answer, { maxBytes: MAX_BYTES })) chunks.push(chunk);
    const { data } = answerSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
    if (data.length !== input.length) throw new ServerProblem("unreadable");
    return data.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding);
  };
  return {
    id: name,
    async embed(texts, given) {
      const vectors: Float32Array[] = [];
      for (const batch of inBatches(texts.map(cut))) {
        const timeout = AbortSignal.timeout(timeoutMs);
        const signal = given ? AbortSignal.any([given, timeout]) : timeout;
        try {
          for (const numbers of await ask(batch, signal)) vectors.push(toVector(numbers, vectors[0]?.length));
        } catch (error) {
          throw toModelFailure(error, signal, "embedder");
        }
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
  if (!isSound || !vector.every(Number.isFinite)) throw new ServerProblem("unreadable");
  return vector;
}
