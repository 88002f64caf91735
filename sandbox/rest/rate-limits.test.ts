import { REST } from "@discordjs/rest";
import { Routes } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer } from "../../test/support/rest-server.ts";
import { createRateLimits } from "./rate-limits.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer({ rateLimits: true });
});

afterEach(() => server.close());

const limitHeaders = (response: Response) => [
  response.headers.get("x-ratelimit-limit"),
  response.headers.get("x-ratelimit-remaining"),
];

it("the sandbox reports the remaining requests of a bucket in headers", async () => {
  const path = `/channels/${server.channels.general.id}/typing`;
  const first = await server.fetch(path, { method: "POST" });
  expect(limitHeaders(first)).toEqual(["5", "4"]);
  expect(Number(first.headers.get("x-ratelimit-reset-after"))).toBe(5);
  expect(first.headers.get("x-ratelimit-bucket")).toMatch(/^[0-9a-f]{32}$/);
  const second = await server.fetch(path, { method: "POST" });
  expect(limitHeaders(second)).toEqual(["5", "3"]);
  const elsewhere = await server.fetch(`/channels/${server.channels.random.id}/typing`, { method: "POST" });
  expect(limitHeaders(elsewhere)).toEqual(["5", "4"]);
});

it("the sandbox answers the request above the limit with 429, and accepts it after the window", async () => {
  const path = `/channels/${server.channels.general.id}/typing`;
  for (let count = 0; count < 5; count += 1) await server.fetch(path, { method: "POST" });
  const refused = await server.fetch(path, { method: "POST" });
  expect(refused.status).toBe(429);
  expect([refused.headers.get("retry-after"), refused.headers.get("x-ratelimit-scope")]).toEqual(["5", "user"]);
  expect(await refused.json()).toEqual({ message: "You are being rate limited.", retry_after: 5, global: false });
  server.clock.advance(5000);
  expect((await server.fetch(path, { method: "POST" })).status).toBe(204);
});

it("the sandbox announces a thousand pages of history and refuses the sixth", async () => {
  const path = `/channels/${server.channels.general.id}/messages`;
  const promised: unknown[] = [];
  for (let count = 0; count < 5; count += 1) promised.push(limitHeaders(await server.fetch(path)));
  expect(promised.at(0)).toEqual(["1000", "999"]);
  expect(promised.at(-1)).toEqual(["1000", "995"]);
  const refused = await server.fetch(path);
  expect(refused.status).toBe(429);
  expect(limitHeaders(refused)).toEqual(["5", "0"]);
});

it("the real client waits out the sandbox's rate limit", async () => {
  const waits: number[] = [];
  const rest = new REST({ api: `${server.origin}/api`, version: "10" }).setToken(server.bot.token);
  rest.on("rateLimited", ({ retryAfter }) => {
    waits.push(retryAfter);
    server.clock.advance(5000);
  });
  // The pause the client is told to make must be short in real time: most of the window is already over.
  await rest.get(Routes.channelMessages(server.channels.general.id));
  server.clock.advance(4900);
  for (let count = 0; count < 4; count += 1) await rest.get(Routes.channelMessages(server.channels.general.id));
  expect(await rest.get(Routes.channelMessages(server.channels.general.id))).toEqual([]);
  expect(waits).toHaveLength(1);
  expect(server.exchanges.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 200]);
});

it("the sandbox limits all requests together to fifty per second, except interactions", () => {
  let now = 0;
  const limit = createRateLimits({ now: () => now });
  const request = (index: number, isGlobal = true) =>
    limit({ method: "GET", path: "/channels/{channel_id}", major: String(index), who: "bot", isGlobal });
  for (let index = 0; index < 50; index += 1) expect(request(index).refusal).toBeUndefined();
  const { refusal, headers } = request(50);
  expect(refusal).toMatchObject({ global: true });
  expect(headers).toMatchObject({ "X-RateLimit-Global": "true", "X-RateLimit-Scope": "global" });
  expect(request(51, false).refusal).toBeUndefined();
  now += 1000;
  expect(request(52).refusal).toBeUndefined();
});
