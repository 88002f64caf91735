import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../ports/embedder.ts";
import { failureOf } from "./kit/failure-of.suite.ts";

/** How the server behind the embedder behaves when it is asked. */
export type EmbeddingBehaviour =
  | { readonly kind: "embed"; readonly toVectors: (texts: readonly string[]) => readonly unknown[] }
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfter?: number }
  /** Says something that no client could understand. */
  | { readonly kind: "babble"; readonly text: string }
  /** Closes the connection instead of answering. */
  | { readonly kind: "hang up" }
  | { readonly kind: "keep silent" }
  /** Sends the client elsewhere: to a place that would answer. */
  | { readonly kind: "redirect" };

interface EmbedderFixture {
  readonly embedder: Embedder;
  /** The texts of each request that has arrived at the server. */
  asked(): readonly (readonly string[])[];
  /** Resolves when the next request has arrived. */
  nextQuestion(): Promise<void>;
  /** Later requests find no server. */
  stop(): Promise<void>;
}

/** An embedder that gives up after `timeoutMs`, and whose server knows the key. */
type OpenEmbedder = (
  behaviour: EmbeddingBehaviour,
  options: { readonly timeoutMs: number; readonly apiKey: string },
) => Promise<EmbedderFixture>;

const KEY = "key-that-nobody-may-see";
const PRIVATE = "a private sentence";
/** The length of each text, and its first character. */
const WELL: EmbeddingBehaviour = {
  kind: "embed",
  toVectors: (texts) => texts.map((text) => [text.length, text.codePointAt(0) ?? 0]),
};
const vectors = (...given: readonly unknown[]): EmbeddingBehaviour => ({ kind: "embed", toVectors: () => given });

/** The behaviour of every embedder, whatever serves it. */
export function describeEmbedder(name: string, openEmbedder: OpenEmbedder): void {
  const open = (behaviour: EmbeddingBehaviour, timeoutMs = 30_000) =>
    openEmbedder(behaviour, { timeoutMs, apiKey: KEY });

  describe(`${name} as an embedder`, () => {
    it("returns one vector per text, in the same order", async () => {
      const { embedder, asked } = await open(WELL);
      expect(await embedder.embed(["ab", "c"])).toEqual([Float32Array.from([2, 97]), Float32Array.from([1, 99])]);
      expect(asked()).toEqual([["ab", "c"]]);
      expect(embedder.id).not.toBe("");
    });

    it("returns no vectors for no texts, without a request", async () => {
      const { embedder, asked } = await open(WELL);
      expect(await embedder.embed([])).toEqual([]);
      expect(asked()).toEqual([]);
    });

    it("returns the same vector for the same text, with one request each time", async () => {
      const { embedder, asked } = await open(WELL);
      expect(await embedder.embed(["ab"])).toEqual(await embedder.embed(["ab"]));
      expect(asked()).toEqual([["ab"], ["ab"]]);
    });

    it("returns a vector for each of many texts, for a long text and for an empty one", async () => {
      const { embedder } = await open(WELL);
      const many = [...Array.from({ length: 150 }, (_, index) => `text ${index}`), "word ".repeat(20_000), ""];
      const given = await embedder.embed(many);
      expect(given).toHaveLength(152);
      for (const vector of given) expect(vector).toHaveLength(2);
    });

    it("passes on a vector of zeros for a text without meaning", async () => {
      const { embedder } = await open(vectors([0, 0]));
      expect(await embedder.embed(["…"])).toEqual([Float32Array.from([0, 0])]);
    });

    it.each<[string, EmbeddingBehaviour]>([
      ["the server sends too few vectors", vectors([1, 2])],
      ["the server sends too many vectors", vectors([1], [2], [3])],
      ["vectors differ in length", vectors([1, 2], [1])],
      ["vectors are empty", vectors([], [])],
      ["a vector holds something other than numbers", vectors([1, null], ["x", 2])],
      ["a number is infinite", { kind: "babble", text: '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}' }],
      ["a number is too large for a vector", vectors([1e300], [1])],
      ["the server sends a web page", { kind: "babble", text: "<html>" }],
      ["the key is refused", { kind: "refuse", status: 401 }],
      ["the server does not know the model", { kind: "refuse", status: 404 }],
      ["the server fails", { kind: "refuse", status: 500 }],
      ["the connection breaks", { kind: "hang up" }],
      ["the server redirects elsewhere", { kind: "redirect" }],
    ])("is unavailable when %s, sends one request and reveals neither key nor text", async (_, behaviour) => {
      const { embedder, asked } = await open(behaviour);
      const error = await failureOf(embedder.embed([PRIVATE, "other"]));
      expect(error.code).toBe("unavailable");
      expect(asked()).toHaveLength(1);
      const details = inspect(error, { depth: 20, showHidden: true });
      expect(details).not.toContain(KEY);
      expect(details).not.toContain(PRIVATE);
    });

    it("is unavailable when the server has stopped", async () => {
      const { embedder, stop } = await open(WELL);
      await stop();
      expect((await failureOf(embedder.embed(["x"]))).code).toBe("unavailable");
    });

    it("fails with rate_limited, and with the retry time when the server gives one", async () => {
      const { embedder, asked } = await open({ kind: "refuse", status: 429, retryAfter: 7 });
      expect(await failureOf(embedder.embed(["x"]))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
      expect(asked()).toHaveLength(1);
      const vague = await open({ kind: "refuse", status: 429 });
      const error = await failureOf(vague.embedder.embed(["x"]));
      expect(error).toMatchObject({ code: "rate_limited", retryAfter: undefined });
    });

    it("fails with a timeout when the server does not answer", async () => {
      const { embedder } = await open({ kind: "keep silent" }, 50);
      expect((await failureOf(embedder.embed(["x"]))).code).toBe("timeout");
    });

    it("stops when it is cancelled, and sends nothing after that", async () => {
      const { embedder, nextQuestion, asked } = await open({ kind: "keep silent" });
      const controller = new AbortController();
      const arrived = nextQuestion();
      const cancelled = failureOf(embedder.embed(["x"], controller.signal));
      await arrived;
      controller.abort();
      expect((await cancelled).code).toBe("cancelled");
      expect((await failureOf(embedder.embed(["x"], controller.signal))).code).toBe("cancelled");
      expect(asked()).toHaveLength(1);
    });
  });
}
