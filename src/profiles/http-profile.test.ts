import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHttpProfile, openProfileServer, sendJson } from "../../test/support/profile-server.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type { ServiceField } from "./http-profile.ts";

const SARAH = "101" as UserId;
const MARK = "102" as UserId;
const TOKEN = "canary-token-7f3a";
const FIELDS: readonly ServiceField[] = [
  { path: ["work", "title"], key: "title", visibility: { server: "7" as GuildId } },
  { path: ["city"], key: "city", visibility: "private" },
  { path: ["desk"], key: "desk", visibility: { channel: "8" as ChannelId } },
];
const of = (person: UserId) => ({ person, guildId: null });
const valuesOf = async (work: Promise<ReadonlyMap<string, unknown>>) => Object.fromEntries(await work);
const errorOf = async (work: Promise<unknown>): Promise<EarshotError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EarshotError)) throw new Error(`expected an EarshotError, got ${String(error)}`);
  return error;
};
/** Everything that an error says, with its causes. */
const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${error.stack}\n${wordsOf(error.cause)}` : String(error);

describe("a profile service", () => {
  it("is asked once for a person, with the token, and gives the configured fields", async () => {
    const { url, requests } = await openProfileServer({
      101: { work: { title: "Harbour master" }, city: 7, more: "x" },
    });
    const { source } = openHttpProfile(url, FIELDS, { token: TOKEN });
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ title: "Harbour master", city: 7 });
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ title: "Harbour master", city: 7 });
    expect(requests.map(({ path }) => path)).toEqual(["/people/101"]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: "application/json",
      "accept-encoding": "identity",
    });
    expect(source.stats()).toEqual({ requests: 1, failures: 0, cached: 1 });
  });

  it("says for whom each key is, without being asked", async () => {
    const { url, requests } = await openProfileServer();
    const { source } = openHttpProfile(url, FIELDS);
    expect(source.keys(of(SARAH))).toEqual([
      { key: "title", audience: { kind: "guild", id: "7" } },
      { key: "city", audience: { kind: "person", id: SARAH } },
      { key: "desk", audience: { kind: "channel", id: "8" } },
    ]);
    expect(source.peek(of(SARAH))).toBeNull();
    expect(requests).toEqual([]);
  });

  it("has no profile of whom it answers 404 about, which is no failure", async () => {
    const { url, requests } = await openProfileServer();
    const { source } = openHttpProfile(url, FIELDS);
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({});
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({});
    expect(requests).toHaveLength(1);
    expect(source.stats().failures).toBe(0);
  });

  it("is asked again after five minutes", async () => {
    const { url, people } = await openProfileServer({ 101: { city: "Kiel" } });
    const { source, time } = openHttpProfile(url, FIELDS);
    await source.read(of(SARAH));
    people[SARAH] = { city: "Bremen" };
    time.now += 5 * 60_000 - 1;
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ city: "Kiel" });
    time.now += 1;
    expect(source.peek(of(SARAH))).toBeNull();
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ city: "Bremen" });
  });

  it("is asked once by all who want the same profile at once", async () => {
    const waiting: ServerResponse[] = [];
    const { url, requests } = await openProfileServer({ 101: (response) => void waiting.push(response) });
    const { source } = openHttpProfile(url, FIELDS);
    const reads = [1, 2, 3].map(() => source.read(of(SARAH)));
    await expect.poll(() => waiting.length).toBe(1);
    for (const response of waiting) sendJson(response, '{"city":"Kiel"}');
    for (const read of reads) expect(await valuesOf(read)).toEqual({ city: "Kiel" });
    expect(requests).toHaveLength(1);
  });

  it("is asked by at most eight requests at once", async () => {
    const waiting: ServerResponse[] = [];
    const people = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        String(200 + index),
        (response: ServerResponse) => waiting.push(response),
      ]),
    );
    const { url, requests } = await openProfileServer(people);
    const { source } = openHttpProfile(url, FIELDS);
    const reads = Object.keys(people).map((id) => source.read(of(id as UserId)));
    for (let answered = 0; answered < 20; answered += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(answered);
      await expect.poll(() => requests.length).toBe(Math.min(20, answered + 8));
      sendJson(waiting[answered] as ServerResponse, "{}");
    }
    await Promise.all(reads);
  });

  it.each(["", "1/2", "..", "101?x", "１０１", "-1", "101 "])("is never asked for the id %j", async (id) => {
    const { url, requests } = await openProfileServer();
    const { source } = openHttpProfile(url, FIELDS);
    expect((await errorOf(source.read(of(id as UserId)))).code).toBe("invalid");
    expect(requests).toEqual([]);
  });
});

const drip = (part: string) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(part), 5);
  response.on("close", () => clearInterval(timer));
};

/** Responses that only the time limit ends. */
const SLOW = ["drips", "says nothing at all"];

describe("a profile service that fails", () => {
  const elsewhere = { 102: { city: "elsewhere" } };
  it.each<[string, (response: ServerResponse) => void]>([
    ["redirects for good", (response) => response.writeHead(301, { location: "/people/102" }).end()],
    ["redirects for now", (response) => response.writeHead(307, { location: "/people/102" }).end()],
    ["says that nothing changed", (response) => response.writeHead(304).end()],
    ["fails", (response) => response.writeHead(500).end('{"city":"x"}')],
    ["refuses the token", (response) => response.writeHead(401).end()],
    ["has no content", (response) => response.writeHead(204).end()],
    ["answers with a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("{}")],
    ["says nothing of its type", (response) => response.writeHead(200).end("{}")],
    ["answers with half of an object", (response) => sendJson(response, '{"city":"x"')],
    ["answers with nothing", (response) => sendJson(response, "")],
    ["answers with broken UTF-8", (response) => sendJson(response, Buffer.from('{"city":"\xff"}', "latin1"))],
    [
      "answers with too many bytes",
      (response) => sendJson(response, JSON.stringify({ city: "x", more: "y".repeat(65_536) })),
    ],
    ["never stops", drip("y".repeat(8_192))],
    ["drips", drip(" ")],
    ["says nothing at all", () => {}],
    ["breaks the connection", (response) => response.destroy()],
    [
      "breaks off within its answer",
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"city":"x"}', () => response.destroy());
      },
    ],
    [
      "breaks off within a chunked answer",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write('{"city":"x"}', () => response.destroy());
      },
    ],
    [
      "answers with a compressed bomb",
      (response) => sendJson(response, gzipSync(Buffer.alloc(10_000_000, " ")), { "content-encoding": "gzip" }),
    ],
    ["sends endless headers", (response) => sendJson(response, "{}", { "x-long": "y".repeat(20_000) })],
    ["switches the protocol", (response) => response.writeHead(101, { upgrade: "x", connection: "upgrade" }).end()],
  ])("and %s is unavailable, always in the same words, and is asked again", async (how, answer) => {
    const { url, requests, people } = await openProfileServer({ ...elsewhere, 101: answer });
    const limits = { timeoutMs: SLOW.includes(how) ? 300 : 60_000, maxBytes: 65_536 };
    const { source, logged, time } = openHttpProfile(url, FIELDS, { token: TOKEN, limits });
    const error = await errorOf(source.read(of(SARAH)));
    expect(error.message).toBe("The profile service cannot be asked now; try again later.");
    expect(error.code).toBe("unavailable");
    expect(requests.map(({ path }) => path)).toEqual(["/people/101"]);
    expect(source.stats()).toEqual({ requests: 1, failures: 1, cached: 0 });
    people[SARAH] = { city: "Kiel" };
    if (SLOW.includes(how)) time.now += 10_000;
    await expect.poll(() => valuesOf(source.read(of(SARAH))).catch(String)).toEqual({ city: "Kiel" });
    expect(logged).toHaveLength(2);
    for (const words of [wordsOf(error), ...logged]) {
      expect(words).not.toContain(TOKEN);
      expect(words).not.toContain("/people/");
      expect(words).not.toContain(SARAH);
    }
  });

  it("and does not answer in time is left alone for ten seconds, by whomever it is wanted", async () => {
    const { url, requests } = await openProfileServer({ 101: () => {}, 102: { city: "Kiel" } });
    const { source, time } = openHttpProfile(url, FIELDS, { limits: { timeoutMs: 300, maxBytes: 65_536 } });
    expect((await errorOf(source.read(of(SARAH)))).retryAfter).toBe(10);
    time.now += 4_500;
    expect(await errorOf(source.read(of(MARK)))).toMatchObject({ code: "unavailable", retryAfter: 6 });
    expect(requests).toHaveLength(1);
    time.now += 5_500;
    expect(await valuesOf(source.read(of(MARK)))).toEqual({ city: "Kiel" });
    expect((await errorOf(source.read(of(SARAH)))).retryAfter).toBe(10);
    // The clock is set back.
    time.now -= 3_600_000;
    expect((await errorOf(source.read(of(SARAH)))).retryAfter).toBe(10);
    expect(requests).toHaveLength(4);
  });

  it("and fails at once for one person is still asked for others", async () => {
    const { url } = await openProfileServer({
      101: (response) => response.writeHead(500).end(),
      102: { city: "Kiel" },
    });
    const { source } = openHttpProfile(url, FIELDS);
    expect((await errorOf(source.read(of(SARAH)))).code).toBe("unavailable");
    expect(await valuesOf(source.read(of(MARK)))).toEqual({ city: "Kiel" });
  });

  it("and cannot be reached is unavailable", async () => {
    const { source } = openHttpProfile("http://127.0.0.1:1/{user_id}", FIELDS);
    expect((await errorOf(source.read(of(SARAH)))).code).toBe("unavailable");
  });

  it("and speaks no TLS where it should is unavailable, and does not see the token", async () => {
    const { url, requests } = await openProfileServer({ 101: { city: "Kiel" } });
    const { source } = openHttpProfile(url.replace("http:", "https:"), FIELDS, { token: TOKEN });
    expect((await errorOf(source.read(of(SARAH)))).code).toBe("unavailable");
    expect(requests).toEqual([]);
  });

  it("tells the operator what is wrong when it is probed", async () => {
    const { url } = await openProfileServer({ 101: (response) => response.writeHead(302).end(), 102: {} });
    const { source } = openHttpProfile(url, FIELDS);
    expect((await errorOf(source.probe(SARAH))).message).toContain("redirect");
    await source.probe(MARK);
    expect(source.stats()).toMatchObject({ failures: 0, cached: 0 });
  });

  it("keeps 64 KB of an answer apart from one byte more", async () => {
    const body = (bytes: number) => `{"city":"Kiel","more":"${"y".repeat(bytes - 25)}"}`;
    const { url } = await openProfileServer({
      101: (response) => sendJson(response, body(65_536)),
      102: (response) => sendJson(response, body(65_537)),
    });
    const { source } = openHttpProfile(url, FIELDS);
    expect(body(65_536)).toHaveLength(65_536);
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ city: "Kiel" });
    expect((await errorOf(source.read(of(MARK)))).code).toBe("unavailable");
  });
});

describe("an answer of a profile service", () => {
  const read = async (body: string) => {
    const { url } = await openProfileServer({ 101: (response) => sendJson(response, body) });
    return valuesOf(openHttpProfile(url, FIELDS).source.read(of(SARAH)));
  };

  it.each<[string, string, object]>([
    ["lists", '{"city":["Kiel"],"desk":3}', { desk: 3 }],
    ["objects", '{"city":{"x":1},"desk":true}', { desk: true }],
    ["null", '{"city":null,"desk":false}', { desk: false }],
    ["numbers that are not finite", '{"city":1e999,"desk":-0.5}', { desk: -0.5 }],
    ["empty text", '{"city":"  ","desk":0}', { desk: 0 }],
    ["lone surrogates", '{"city":"\\ud800","desk":"ok"}', { desk: "ok" }],
    ["control characters", '{"city":"a\\u0000b","desk":"a\\u001b[2J","work":{"title":"\\u202eevil"}}', {}],
    ["long text", `{"city":"${"y".repeat(2_049)}","desk":"y"}`, { desk: "y" }],
    ["an own __proto__", '{"__proto__":{"city":"x"},"work":{"__proto__":{"title":"x"}}}', {}],
    ["inherited names", '{"work":"text"}', {}],
    ["a list at the top", '[{"city":"x"}]', {}],
    ["text at the top", '"city"', {}],
    ["null at the top", "null", {}],
    ["a list on the way", '{"work":[{"title":"x"}]}', {}],
    ["nesting that is deep", `{"city":"Kiel","more":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, { city: "Kiel" }],
    ["line breaks", '{"city":"a\\nb"}', { city: "a\nb" }],
    ["payment data", '{"city":"4111 1111 1111 1111","desk":"x"}', { desk: "x" }],
    ["secrets", `{"city":"password: ${"hunter2"}-Zq9!","desk":"x"}`, { desk: "x" }],
  ])("gives plain values and leaves out %s", async (_, body, values) => {
    expect(await read(body)).toEqual(values);
  });

  it("gives only short plain values of any JSON", async () => {
    const bodies = fc.oneof(
      fc.record({ city: fc.jsonValue(), work: fc.oneof(fc.jsonValue(), fc.record({ title: fc.jsonValue() })) }),
      fc.jsonValue(),
    );
    const { url, people } = await openProfileServer();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        people[SARAH] = (response) => sendJson(response, JSON.stringify(body));
        const { source } = openHttpProfile(url, FIELDS);
        for (const [key, value] of Object.entries(await valuesOf(source.read(of(SARAH))))) {
          expect(FIELDS.map((field) => field.key)).toContain(key);
          expect(["string", "number", "boolean"]).toContain(typeof value);
          expect(JSON.stringify(value).length).toBeLessThanOrEqual(2_048);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("what is cached of a profile service", () => {
  it("is gone once the person is forgotten, and others stay", async () => {
    const { url, requests } = await openProfileServer({ 101: { city: "Kiel" }, 102: { city: "Bremen" } });
    const { source } = openHttpProfile(url, FIELDS);
    await source.read(of(SARAH));
    await source.read(of(MARK));
    source.forget(SARAH);
    expect(source.peek(of(SARAH))).toBeNull();
    expect(source.stats().cached).toBe(1);
    await source.read(of(SARAH));
    await source.read(of(MARK));
    expect(requests.map(({ path }) => path.at(-1))).toEqual(["1", "2", "1"]);
  });

  it("does not come back with an answer that was under way when the person was forgotten", async () => {
    const waiting: ServerResponse[] = [];
    const { url, people } = await openProfileServer({ 101: (response) => void waiting.push(response) });
    const { source, logged } = openHttpProfile(url, FIELDS);
    const reading = errorOf(source.read(of(SARAH)));
    await expect.poll(() => waiting.length).toBe(1);
    source.forget(SARAH);
    for (const response of waiting) sendJson(response, '{"city":"Kiel"}');
    expect((await reading).code).toBe("unavailable");
    expect(source.stats()).toMatchObject({ cached: 0, failures: 0 });
    expect(logged).toEqual([]);
    people[SARAH] = { city: "Bremen" };
    expect(await valuesOf(source.read(of(SARAH)))).toEqual({ city: "Bremen" });
  });

  it("does not come back, whenever the person is forgotten", async () => {
    const { url } = await openProfileServer({ 101: { city: "Kiel" } });
    const { source } = openHttpProfile(url, FIELDS);
    for (let count = 0; count < 200; count += 1) {
      const reading = source.read(of(SARAH)).then(
        () => {},
        () => {},
      );
      for (let turns = 0; turns < count % 40; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      source.forget(SARAH);
      await reading;
      expect(source.peek(of(SARAH)), `after ${count} turns`).toBeNull();
    }
  });

  it("is for at most a thousand people", async () => {
    const { url } = await openProfileServer();
    const { source } = openHttpProfile(url, FIELDS);
    for (let id = 1; id <= 1_010; id += 1) await source.read(of(String(id) as UserId));
    expect(source.stats().cached).toBe(1_000);
  });
});

describe("a read of a profile", () => {
  it("that nobody waits for any more ends its request", async () => {
    const waiting: ServerResponse[] = [];
    let closed = 0;
    const { url } = await openProfileServer({
      101: (response) => {
        response.on("close", () => {
          closed += 1;
        });
        waiting.push(response);
      },
    });
    const { source } = openHttpProfile(url, FIELDS);
    const controller = new AbortController();
    const reading = errorOf(source.read(of(SARAH), controller.signal));
    await expect.poll(() => waiting.length).toBe(1);
    controller.abort();
    expect((await reading).code).toBe("cancelled");
    await expect.poll(() => closed).toBe(1);
    expect(source.stats()).toMatchObject({ failures: 0, cached: 0 });
  });

  it("ends when the source is closed", async () => {
    const waiting: ServerResponse[] = [];
    const { url } = await openProfileServer({ 101: (response) => void waiting.push(response) });
    const { source } = openHttpProfile(url, FIELDS);
    const reading = errorOf(source.read(of(SARAH)));
    await expect.poll(() => waiting.length).toBe(1);
    source.close();
    expect((await reading).code).toBe("unavailable");
  });

  it("goes past every proxy that the environment names", async () => {
    const service = await openProfileServer({ 101: { city: "Kiel" } });
    const proxy = await openProfileServer();
    const module = new URL("http-profile.ts", import.meta.url).href;
    const script = `
      const { HttpProfile } = await import(${JSON.stringify(module)});
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const fields = [{ path: ["city"], key: "city", visibility: "private" }];
      const source = new HttpProfile({ url: ${JSON.stringify(service.url)}, fields }, { clock: { now: () => 0 }, log });
      console.log(JSON.stringify([...(await source.read({ person: "101", guildId: null }))]));`;
    const address = new URL(proxy.url).origin;
    const proxies = { HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, NO_PROXY: "", no_proxy: "" };
    const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, ...proxies, NODE_USE_ENV_PROXY: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    await once(child, "close");
    expect(printed.trim()).toBe('[["city","Kiel"]]');
    expect(proxy.requests).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });
});
