import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import { describeEmbedder, type EmbeddingBehaviour } from "../embedder.suite.ts";
import { createEmbedder } from "./create-embedder.ts";

const KEY = "key-that-nobody-may-see";

interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
}

type Behave = (outgoing: ServerResponse, request: EmbeddingRequest) => void;

/** An OpenAI-compatible server that behaves as it is told, and an embedder that speaks to it. */
async function open(behave: Behave, timeoutMs = 30_000) {
  const asked: (EmbeddingRequest & { readonly url: string; readonly headers: IncomingHttpHeaders })[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as EmbeddingRequest;
    asked.push({ ...request, url: incoming.url ?? "", headers: incoming.headers });
    server.emit("question");
    if (incoming.url === "/v1/embeddings") behave(outgoing, request);
    else embedWell(outgoing, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const embedder = createEmbedder({ baseUrl, name: "tiny", apiKey: KEY, timeoutMs });
  return { embedder, asked, baseUrl, stop, nextQuestion: async () => void (await once(server, "question")) };
}

/** The length of each text, and its first sign. */
const embedWell: Behave = (outgoing, { input }) =>
  say(
    outgoing,
    input.map((text) => [text.length, text.codePointAt(0) ?? 0]),
  );

function say(outgoing: ServerResponse, embeddings: readonly unknown[]): void {
  const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
  outgoing.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
}

function toBehave(behaviour: EmbeddingBehaviour): Behave {
  return (outgoing, { input }) => {
    switch (behaviour.kind) {
      case "embed":
        return say(outgoing, behaviour.toVectors(input));
      case "refuse": {
        const { status, retryAfter } = behaviour;
        outgoing.writeHead(status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
        // A server may quote what it was sent.
        return void outgoing.end(JSON.stringify({ error: { message: `No: ${input.join(", ")}, ${KEY}` } }));
      }
      case "babble":
        return void outgoing.end(behaviour.text);
      case "hang up":
        return void outgoing.destroy();
      case "redirect":
        return void outgoing.writeHead(307, { location: "/elsewhere" }).end();
      case "keep silent":
    }
  };
}

describeEmbedder("a server that speaks OpenAI's protocol", async (behaviour, options) => {
  const { asked, ...fixture } = await open(toBehave(behaviour), options.timeoutMs);
  expect(options.apiKey).toBe(KEY);
  return { ...fixture, asked: () => asked.map(({ input }) => input) };
});

async function failureOf(answer: Promise<unknown>): Promise<EarshotError> {
  const error = await answer.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EarshotError)) throw new Error(`expected an EarshotError, got ${inspect(error)}`);
  return error;
}

describe("the embedder", () => {
  it("sends the configured model name", async () => {
    const { embedder, asked } = await open(embedWell);
    const vectors = await embedder.embed(["ab", "c"]);
    expect(vectors).toEqual([Float32Array.from([2, 97]), Float32Array.from([1, 99])]);
    expect(asked).toMatchObject([{ model: "tiny", input: ["ab", "c"] }]);
    expect(embedder.id).toBe("tiny");
  });

  it("sends its key only in the header, and works without a key", async () => {
    const { embedder, asked, baseUrl } = await open(embedWell);
    await embedder.embed(["x"]);
    await createEmbedder({ baseUrl, name: "tiny" }).embed(["x"]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, undefined]);
    const { headers, ...rest } = asked[0] ?? { headers: {} };
    expect(JSON.stringify([rest, { ...headers, authorization: "" }])).not.toContain(KEY);
  });

  it("embeds many texts in batches, and truncates long texts", async () => {
    const { embedder, asked } = await open(embedWell);
    const short = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    expect(await embedder.embed(short)).toHaveLength(150);
    expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 22]);
    asked.length = 0;
    const long = Array.from({ length: 60 }, () => "word ".repeat(1_000));
    expect(await embedder.embed(long)).toHaveLength(60);
    for (const { input } of asked) expect(input.join("").length).toBeLessThanOrEqual(32_000);
    expect(asked[0]?.input[0]).toHaveLength(1_000);
    asked.length = 0;
    await embedder.embed(["漢".repeat(5_000), `${"x".repeat(999)}😀`, ""]);
    expect(asked[0]?.input[0]?.length).toBeLessThanOrEqual(400);
    expect(asked[0]?.input[1]?.isWellFormed()).toBe(true);
    expect(asked[0]?.input[2]).toBe(" ");
  });

  it("reads no answer that has no end", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { embedder } = await open((outgoing) => {
      outgoing.on("close", resolve);
      const write = () => {
        while (!outgoing.destroyed && outgoing.write(" ".repeat(1_000_000)));
        outgoing.once("drain", write);
      };
      write();
    });
    expect(await failureOf(embedder.embed(["x"]))).toMatchObject({ code: "unavailable" });
    await closed;
  });

  it("is unavailable when a later batch has vectors of another length", async () => {
    let batches = 0;
    const { embedder } = await open((outgoing, { input }) => {
      batches += 1;
      say(
        outgoing,
        input.map(() => new Array(batches).fill(1)),
      );
    });
    const error = await failureOf(embedder.embed(Array.from({ length: 65 }, String)));
    expect(error.code).toBe("unavailable");
  });
});
