import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { DiscordRest } from "./rest.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A server that hangs up on this many requests before it answers one. */
async function openRude(hangUps: number) {
  const asked: string[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method ?? "");
    paths.push(request.url ?? "");
    if (asked.length <= hangUps) request.socket.destroy();
    else response.setHeader("content-type", "application/json").end(request.method === "GET" ? "[]" : '{"id":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return { asked, paths, rest: new DiscordRest({ api, token: "t" }, { clock: { now: Date.now }, log }) };
}

it("the REST client retries a read once when the connection is closed without an answer", async () => {
  const once = await openRude(1);
  expect(await once.rest.history("1" as ChannelId, { limit: 1 })).toEqual([]);
  expect(once.asked).toEqual(["GET", "GET"]);
  const twice = await openRude(2);
  await expect(twice.rest.history("1" as ChannelId, { limit: 1 })).rejects.toMatchObject({ code: "unavailable" });
});

it("the REST client does not retry a message whose connection was lost, because it may have been sent", async () => {
  const { asked, rest } = await openRude(1);
  const draft = { text: "hello", mentions: [] };
  await expect(rest.send("1" as ChannelId, draft)).rejects.toMatchObject({ code: "outcome_unknown" });
  expect(asked).toEqual(["POST"]);
});

it("the REST client encodes routes as Discord documents them", async () => {
  const { paths, rest } = await openRude(0);
  const message = { channelId: "1" as ChannelId, messageId: "2" as MessageId, emoji: "👍" };
  await rest.react(message);
  await rest.openDm("3" as UserId).catch(() => {});
  await rest.rest.patch("/webhooks/5/secret/messages/%40original");
  expect(paths.toSorted()).toEqual([
    "/api/v10/channels/1/messages/2/reactions/%F0%9F%91%8D/@me",
    "/api/v10/users/@me/channels",
    "/api/v10/webhooks/5/secret/messages/@original",
  ]);
});

/** Answers everything with this status; `listeners` says how many there were on the caller's signal at each request. */
async function openAnswering(status: number) {
  const { signal } = new AbortController();
  const listeners: number[] = [];
  const server = createServer((_, response) => {
    listeners.push(getEventListeners(signal, "abort").length);
    response.statusCode = status;
    response.setHeader("content-type", "application/json").end(status === 204 ? undefined : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const rest = new DiscordRest({ api, token: "t", delay: async () => {} }, { clock: { now: Date.now }, log });
  const send = (recheck: () => void) => rest.showTyping("1" as ChannelId, { signal, recheck }).catch(() => {});
  return { signal, listeners, send };
}

it.each([204, 500])("the REST client keeps nothing of a request that is answered with status %d", async (status) => {
  const { send } = await openAnswering(status);
  const requests: WeakRef<() => void>[] = [];
  for (let count = 0; count < 20; count += 1) {
    const recheck = () => {};
    requests.push(new WeakRef(recheck));
    await send(recheck);
  }
  await nextTurn();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  // Connections keep the last request that was sent on them.
  expect(requests.filter((each) => each.deref() !== undefined).length).toBeLessThan(10);
});

// Node keeps the result of `AbortSignal.any` as long as it has a listener, and the library never removes its listener.
it("the REST client listens to the caller's own signal, and only while a request is under way", async () => {
  const { signal, listeners, send } = await openAnswering(200);
  await send(() => {});
  expect(listeners).toEqual([1]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
