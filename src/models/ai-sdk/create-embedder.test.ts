import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import { createAiSdkEmbedder } from "./create-embedder.ts";

const KEY = "key-that-nobody-may-see";
const PRIVATE = "a private sentence";

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
  const embedder = createAiSdkEmbedder({ baseUrl, name: "tiny", apiKey: KEY, timeoutMs });
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

const refuse =
  (status: number, headers: Record<string, string> = {}): Behave =>
  (outgoing) => {
    outgoing.writeHead(status, headers);
    outgoing.end(JSON.stringify({ error: { message: `No: ${PRIVATE}, ${KEY}` } }));
  };

async function failureOf(answer: Promise<unknown>): Promise<EarshotError> {
  const error = await answer.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EarshotError)) throw new Error(`expected an EarshotError, got ${inspect(error)}`);
  return error;
}

describe("an embedder behind a server", () => {
  it("gives a vector per text, in their order, and asks for the model by its name", async () => {
    const { embedder, asked } = await open(embedWell);
    const vectors = await embedder.embed(["ab", "c"]);
    expect(vectors).toEqual([Float32Array.from([2, 97]), Float32Array.from([1, 99])]);
    expect(asked).toMatchObject([{ model: "tiny", input: ["ab", "c"] }]);
    expect(embedder.id).toBe("tiny");
  });

  it("asks nothing about nothing", async () => {
    const { embedder, asked } = await open(embedWell);
    expect(await embedder.embed([])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("shows its key in the header and nowhere else, and needs none", async () => {
    const { embedder, asked, baseUrl } = await open(embedWell);
    await embedder.embed(["x"]);
    await createAiSdkEmbedder({ baseUrl, name: "tiny" }).embed(["x"]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, undefined]);
    const { headers, ...rest } = asked[0] ?? { headers: {} };
    expect(JSON.stringify([rest, { ...headers, authorization: "" }])).not.toContain(KEY);
  });

  it("asks about many in batches, and cuts what is long", async () => {
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

  it("lets a text without meaning have none", async () => {
    const { embedder } = await open((outgoing) => say(outgoing, [[0, 0]]));
    expect(await embedder.embed(["…"])).toEqual([Float32Array.from([0, 0])]);
  });

  it.each<[string, Behave]>([
    ["too few vectors", (outgoing) => say(outgoing, [[1, 2]])],
    ["too many vectors", (outgoing) => say(outgoing, [[1], [2], [3]])],
    ["vectors of different lengths", (outgoing) => say(outgoing, [[1, 2], [1]])],
    ["empty vectors", (outgoing) => say(outgoing, [[], []])],
    [
      "what is no number",
      (outgoing) =>
        say(outgoing, [
          [1, null],
          ["x", 2],
        ]),
    ],
    ["numbers beyond all bounds", (outgoing) => outgoing.end('{"data":[{"embedding":[1e999]},{"embedding":[1]}]}')],
    ["numbers beyond what a vector holds", (outgoing) => say(outgoing, [[1e300], [1]])],
    ["something else", (outgoing) => outgoing.end("<html>")],
    ["a wrong key", refuse(401)],
    ["an unknown name", refuse(404)],
    ["a server in trouble", refuse(500)],
    ["a broken connection", (outgoing) => outgoing.destroy()],
    ["another address", (outgoing) => void outgoing.writeHead(307, { location: "/elsewhere" }).end()],
  ])("is unavailable with %s, asks once and tells neither key nor text", async (_, behave) => {
    const { embedder, asked } = await open(behave);
    const error = await failureOf(embedder.embed([PRIVATE, "other"]));
    expect(error.code).toBe("unavailable");
    expect(asked).toHaveLength(1);
    const told = inspect(error, { depth: 20, showHidden: true });
    expect(told).not.toContain(KEY);
    expect(told).not.toContain(PRIVATE);
  });

  it("is unavailable when a later batch is of another length", async () => {
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

  it("is unavailable where nobody listens", async () => {
    const { embedder, stop } = await open(embedWell);
    await stop();
    expect((await failureOf(embedder.embed(["x"]))).code).toBe("unavailable");
  });

  it("tells when it has been asked too much, and how long to wait", async () => {
    const { embedder, asked } = await open(refuse(429, { "retry-after": "7" }));
    expect(await failureOf(embedder.embed(["x"]))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
    expect(asked).toHaveLength(1);
    const vague = await open(refuse(429));
    expect(await failureOf(vague.embedder.embed(["x"]))).toMatchObject({ code: "rate_limited", retryAfter: undefined });
  });

  it("gives up on a server that keeps silent", async () => {
    const { embedder } = await open(() => {}, 50);
    expect((await failureOf(embedder.embed(["x"]))).code).toBe("timeout");
  });

  it("stops when it is called off, and asks nothing after that", async () => {
    const { embedder, nextQuestion, asked } = await open(() => {});
    const controller = new AbortController();
    const asking = nextQuestion();
    const calledOff = failureOf(embedder.embed(["x"], controller.signal));
    await asking;
    controller.abort();
    expect((await calledOff).code).toBe("cancelled");
    expect((await failureOf(embedder.embed(["x"], controller.signal))).code).toBe("cancelled");
    expect(asked).toHaveLength(1);
  });
});
