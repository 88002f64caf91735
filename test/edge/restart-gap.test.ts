import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { createRpcTransport } from "../../src/transports/rpc/rpc-transport.ts";
import { createTestPersonMemory, createTestPrivacy } from "../support/consent.ts";
import { openTestEdge, until } from "../support/edge.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const lastHeardAt = (time: number) => ({ load: async () => time, save: async () => {} });
const EVER = "2015-01-01T00:00:00.000Z";

describe("the gap after a restart", () => {
  it("names its servers and its time span", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const before = Date.now() - 60_000;
    const edge = await openTestEdge(sandbox, { lastHeard: lastHeardAt(before) });
    const gap = await edge.find("gap");
    expect(gap).toMatchObject({
      reason: "restart",
      from: new Date(before).toISOString(),
      guildIds: [sandbox.community.guild.id],
    });
    expect(Date.parse(gap.to)).toBeGreaterThan(before);
    expect(edge.events.findIndex(({ type }) => type === "gap")).toBeLessThan(
      edge.events.findIndex(({ type }) => type === "guild"),
    );
  });

  it("begins for each shard where that one was heard last, which is kept for each", async () => {
    const inside = await openTestSandbox({ rateLimits: false });
    const server = createServer(async ({ url = "", headers }, response) => {
      const answer = await fetch(`${inside.url}${url}`, { headers: { authorization: String(headers.authorization) } });
      const body = (await answer.json()) as object;
      const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 2 };
      const more = url.includes("/gateway/bot") ? { shards: 2, session_start_limit: limit } : {};
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...body, ...more }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const now = Date.now();
    const [before, saved] = [[now - 90_000, now - 60_000], new Map<string, number>()];
    const edge = await openTestEdge(
      { ...inside, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` },
      {
        lastHeard: {
          load: async (_, [id]) => before[id] ?? null,
          save: async (_, shard, at) => void saved.set(shard.join(" of "), at),
        },
      },
    );
    for (const shard of [0, 1]) {
      const from = new Date(before[shard] ?? 0).toISOString();
      expect(await edge.find("gap", (gap) => gap.shard === shard)).toMatchObject({ reason: "restart", from });
    }
    await edge.discord.close();
    expect([...saved.keys()].sort()).toEqual(["0 of 2", "1 of 2"]);
    for (const at of saved.values()) expect(at).toBeGreaterThanOrEqual(now);
  });

  it.each([
    ["makes no sense", 0],
    ["is in the future", Date.now() + 3_600_000],
    ["is before Discord existed", 1_000],
  ])("starts at the earliest possible time when the last heard time %s", async (_, time) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox, { lastHeard: lastHeardAt(time) });
    expect(await edge.find("gap")).toMatchObject({ reason: "restart", from: EVER });
  });

  it("is delivered to every listener that is added later", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox, { lastHeard: lastHeardAt(Date.now() - 1_000) });
    await edge.find("gap");
    const heard: string[] = [];
    edge.discord.listen(({ type }) => heard.push(type));
    expect(heard).toEqual(["gap"]);
  });

  it("is pushed to a client that reconnects with an older cursor", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const before = Date.now() - 60_000;
    const { gate, operations, clientEvents, consent, edge } = await openTestGate(sandbox, {
      lastHeard: lastHeardAt(before),
    });
    const transport = createRpcTransport({
      gate,
      operations,
      clientEvents,
      consent,
      privacy: createTestPrivacy(consent),
      personMemory: createTestPersonMemory(),
      listen: (listener) => edge.discord.listen(listener),
      authenticate: () => ({ name: "brain", grant: OPERATOR_GRANT }),
      clock: { now: () => Date.now() },
      log: { debug() {}, info() {}, warn() {}, error() {} },
      mintId: randomUUID,
    });
    const server = createServer().on("upgrade", transport.handleUpgrade);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      await transport.close();
      server.close();
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/rpc?cursor=from-before`;
    const socket = new WebSocket(url, { headers: { authorization: "Bearer x" } });
    onTestFinished(() => socket.terminate());
    const frames: { op: string; payload: Record<string, unknown> }[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(data.toString())));
    const gap = await until(() => frames.find(({ op }) => op === "event/discord.gap"), "no gap was told");
    expect(gap.payload).toMatchObject({
      reason: "restart",
      from: new Date(before).toISOString(),
      guild_ids: [sandbox.community.guild.id],
    });
  });
});
