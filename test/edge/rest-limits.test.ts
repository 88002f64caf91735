import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { RestOptions } from "../../src/discord/resilient-rest.ts";
import { DiscordRest } from "../../src/discord/rest.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { type Answer, openScriptedRest } from "../support/scripted-rest.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = "1000000000000000001" as ChannelId;
const OTHER = "1000000000000000002" as ChannelId;
const MESSAGE = { id: "1000000000000000009", content: "hello" };
const DRAFT = { text: "hello", mentions: [], nonce: "n1" };
const LIMITED = { status: 429, body: { message: "wait", global: false } };

async function arrive(answers: readonly Answer[], options: Partial<RestOptions> = {}) {
  const server = await openScriptedRest(...answers);
  const time = createFakeTime();
  const rest = new DiscordRest(
    { api: server.api, token: "t", delay: time.delay, ...options },
    { clock: time.clock, log },
  );
  return { ...server, time, rest };
}

describe("a Discord rate limit", () => {
  it("without a retry time is retried with growing waits instead of at once", async () => {
    const { rest, time, requests } = await arrive([LIMITED, LIMITED, LIMITED, { status: 200, body: [] }]);
    await rest.history(CHANNEL, { limit: 1 });
    expect(time.waits).toEqual([1_000, 2_000, 4_000]);
    expect(requests).toHaveLength(4);
  });

  it.each([
    ["a header that is a date", { headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } }],
    ["an empty header", { headers: { "retry-after": "" } }],
    ["a negative time", { headers: { "retry-after": "-5" } }],
  ])("with %s is retried after a wait", async (_, more) => {
    const { rest, time } = await arrive([
      { ...LIMITED, ...more },
      { status: 200, body: [] },
    ]);
    await rest.history(CHANNEL, { limit: 1 });
    expect(time.waits).toEqual([1_000]);
  });

  it("with the retry time only in the body is retried after that time", async () => {
    const { rest, time } = await arrive([
      { status: 429, body: { retry_after: 2.5 } },
      { status: 200, body: [] },
    ]);
    await rest.history(CHANNEL, { limit: 1 });
    expect(time.waits).toEqual([2_500]);
  });

  it("longer than the edge waits fails with its seconds and its scope", async () => {
    const { rest, time, requests } = await arrive([{ ...LIMITED, headers: { "retry-after": "30" } }]);
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject({
      code: "rate_limited",
      retryAfter: 30,
      message: "Discord is rate-limiting this route; retry in 30 s.",
    });
    expect(time.waits).toEqual([]);
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject({ code: "rate_limited" });
    expect(requests).toHaveLength(1);
  });

  it("for the whole bot is reported as global and applies to every route", async () => {
    const headers = { "retry-after": "30", "x-ratelimit-global": "true" };
    const { rest, requests } = await arrive([{ ...LIMITED, headers }]);
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject({
      message: "Discord is rate-limiting this bot; retry in 30 s.",
    });
    await expect(rest.send(OTHER, DRAFT)).rejects.toMatchObject({ code: "rate_limited" });
    expect(requests).toHaveLength(1);
  });

  it("that never ends is given up within twenty seconds", async () => {
    const { rest, time } = await arrive([{ ...LIMITED, headers: { "retry-after": "1" } }]);
    const start = time.clock.now();
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject({ code: "rate_limited" });
    expect(time.clock.now() - start).toBeLessThanOrEqual(20_000);
  });

  it("of one channel does not delay another channel", async () => {
    const { rest, requests } = await arrive([
      { ...LIMITED, headers: { "retry-after": "30" } },
      { status: 200, body: [] },
    ]);
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject({ code: "rate_limited" });
    await rest.history(OTHER, { limit: 1 });
    expect(requests).toHaveLength(2);
  });
});

describe("the budget of refused requests", () => {
  it("stops reads first, then every request, as unavailable, and allows requests again later", async () => {
    const { rest, time, requests } = await arrive([{ status: 403, body: { message: "Missing Access", code: 50001 } }], {
      refusals: { optional: 8, all: 12 },
    });
    const ids = Array.from({ length: 20 }, (_, count) => `10000000000000000${count + 10}` as ChannelId);
    const [before = [], after = []] = [ids.slice(0, 8), ids.slice(8, 12)];
    for (const id of before) expect(await rest.channel(id)).toBeNull();
    const heldBack = { code: "unavailable", retryAfter: expect.any(Number) };
    await expect(rest.channel(CHANNEL)).rejects.toMatchObject(heldBack);
    await expect(rest.history(CHANNEL, { limit: 1 })).rejects.toMatchObject(heldBack);
    await expect(rest.message(CHANNEL, MESSAGE.id as MessageId)).rejects.toMatchObject(heldBack);
    await expect(rest.member("3" as GuildId, "4" as UserId)).rejects.toMatchObject(heldBack);
    expect(requests).toHaveLength(8);
    for (const id of after) await expect(rest.send(id, DRAFT)).rejects.toMatchObject({ code: "not_found" });
    await expect(rest.send(CHANNEL, DRAFT)).rejects.toMatchObject(heldBack);
    expect(requests).toHaveLength(12);
    time.advance(620_000);
    expect(await rest.channel(CHANNEL)).toBeNull();
    expect(requests).toHaveLength(13);
  });

  it("does not count rate limits that the bot shares with others", async () => {
    const shared = { ...LIMITED, headers: { "retry-after": "0.001", "x-ratelimit-scope": "shared" } };
    const { rest } = await arrive([...Array.from({ length: 5 }, () => shared), { status: 200, body: [] }]);
    await rest.history(CHANNEL, { limit: 1 });
  });
});

describe("sending a message", () => {
  it("always includes a nonce that Discord enforces, a new one per message when the caller gives none", async () => {
    const { rest, requests } = await arrive([{ status: 200, body: MESSAGE }]);
    await rest.send(CHANNEL, { text: "hello", mentions: [] });
    await rest.send(CHANNEL, { text: "hello", mentions: [] });
    await rest.send(CHANNEL, DRAFT);
    const nonces = requests.map(({ body }) => body?.["nonce"]);
    expect(new Set(nonces).size).toBe(3);
    expect(nonces[2]).toBe("n1");
    expect(requests.every(({ body }) => body?.["enforce_nonce"] === true)).toBe(true);
  });

  it("retries with the same nonce and back-off after a failure, and creates one message", async () => {
    const { rest, time, requests } = await arrive([{ status: 500 }, { status: 502 }, { status: 200, body: MESSAGE }]);
    await rest.send(CHANNEL, DRAFT);
    expect(requests.map(({ body }) => body?.["nonce"])).toEqual(["n1", "n1", "n1"]);
    expect(time.waits).toEqual([250, 500]);
  });

  it.each<[string, Answer]>([
    ["5xx after all repetitions", { status: 500 }],
    ["the connection lost after it was written", (request) => request.socket.destroy()],
    ["no answer in time", () => {}],
    ["an answer that cannot be read", { status: 200, body: { nothing: true } }],
    ["a page of HTML", { status: 200, body: "<html>", headers: { "content-type": "text/html" } }],
    [
      "an answer that ends too early",
      (_, response) =>
        void response.writeHead(200, { "content-type": "application/json", "content-length": "99" }).end("{"),
    ],
    ["no content", { status: 204 }],
  ])("fails with an unknown outcome after %s", async (_, answer) => {
    const { rest } = await arrive([answer], { timeoutMs: 200 });
    await expect(rest.send(CHANNEL, DRAFT)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("may have happened"),
    });
  });

  it.each<[string, Answer, string]>([
    ["it was refused", { status: 403, body: { code: 50013, message: "" } }, "not_found"],
    ["it was malformed", { status: 400, body: { code: 50035, message: "" } }, "invalid"],
  ])("does not report an unknown outcome when %s", async (_, answer, code) => {
    const { rest } = await arrive([answer]);
    await expect(rest.send(CHANNEL, DRAFT)).rejects.toMatchObject({ code });
  });

  it("does not report an unknown outcome when the server could not be reached", async () => {
    const rest = new DiscordRest({ api: "http://127.0.0.1:9/api", token: "t" }, { clock: { now: Date.now }, log });
    await expect(rest.send(CHANNEL, DRAFT)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("reports an unknown outcome when a retry is refused, because the first attempt may have succeeded", async () => {
    const { rest } = await arrive([{ status: 500 }, { status: 403, body: { code: 50013, message: "" } }]);
    await expect(rest.send(CHANNEL, DRAFT)).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  it("sends nothing and fails at once when it is cancelled during a rate limit wait", async () => {
    const stop = new AbortController();
    const { rest, requests } = await arrive([{ ...LIMITED, headers: { "retry-after": "15" } }], {
      async delay(ms, signal) {
        setImmediate(() => stop.abort());
        await sleep(ms, undefined, { ...(signal && { signal }) });
      },
    });
    const sending = rest.send(CHANNEL, DRAFT, { signal: stop.signal });
    await expect(sending).rejects.toMatchObject({ code: "cancelled" });
    expect(requests).toHaveLength(1);
  });

  it("reports an unknown outcome when it is cancelled in flight", async () => {
    const { rest, arrived } = await arrive([() => {}]);
    const stop = new AbortController();
    const sending = rest.send(CHANNEL, DRAFT, { signal: stop.signal });
    await arrived(1);
    stop.abort();
    await expect(sending).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  it("is not retried and reports an unknown outcome when it is cancelled between two attempts", async () => {
    const stop = new AbortController();
    const { rest, requests } = await arrive([{ status: 500 }], {
      delay: async (_, signal) => {
        stop.abort();
        signal?.throwIfAborted();
      },
    });
    await expect(rest.send(CHANNEL, DRAFT, { signal: stop.signal })).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(requests).toHaveLength(1);
  });

  it("sends nothing when it is cancelled beforehand", async () => {
    const { rest, requests } = await arrive([{ status: 200, body: MESSAGE }]);
    const signal = AbortSignal.abort();
    await expect(rest.send(CHANNEL, DRAFT, { signal })).rejects.toMatchObject({ code: "cancelled" });
    const reaction = { channelId: CHANNEL, messageId: MESSAGE.id as MessageId, emoji: "👍" };
    await expect(rest.react(reaction, { signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(requests).toEqual([]);
  });

  it("checks the permission to send again before each retry", async () => {
    const { rest, requests } = await arrive([{ status: 500 }]);
    let checks = 0;
    const recheck = () => {
      checks += 1;
      if (checks > 1) throw new Error("no longer");
    };
    await expect(rest.send(CHANNEL, DRAFT, { recheck })).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(requests).toHaveLength(1);
  });
});
