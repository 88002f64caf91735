import { describe, expect, it, onTestFinished } from "vitest";
import { createMetrics } from "../src/transports/http/metrics.ts";
import { openHttp } from "../src/transports/http/open-http.ts";
import { openTestGate } from "./support/gate.ts";
import { openTestSandbox } from "./support/sandbox.ts";

const IDLE = {
  connections: 0,
  calls: 0,
  refused: 0,
  events: 0,
  gaps: 0,
  running: 0,
  queuedFrames: 0,
  queuedBytes: 0,
  heldEvents: 0,
  heldBytes: 0,
};

async function arrive() {
  const sandbox = await openTestSandbox();
  const calls: { tool: string; outcome: string; milliseconds: number }[] = [];
  const test = await openTestGate(sandbox, { onCall: (call) => void calls.push(call) });
  const { discord } = test.edge;
  const metrics = createMetrics({ discord, timelines: test.timelines, rpc: () => IDLE });
  const deps = { metrics, health: () => ({ discord: discord.state }), isClient: () => false, handleUpgrade: () => {} };
  const http = await openHttp({ host: "127.0.0.1", port: 0 }, deps);
  onTestFinished(() => http.close());
  return { sandbox, ...test, calls, metrics, http };
}

describe("the program's HTTP port", () => {
  it("tells whether Discord is being heard", async () => {
    const { http, edge } = await arrive();
    const healthy = await fetch(`${http.url}/healthz`);
    expect([healthy.status, await healthy.json()]).toEqual([200, { ok: true, discord: "ready" }]);
    await edge.discord.close();
    expect((await fetch(`${http.url}/healthz`)).status).toBe(503);
    expect((await fetch(`${http.url}/other`)).status).toBe(404);
  });

  it("counts calls, waits and what is held, without a name or a text", async () => {
    const { sandbox, http, metrics, calls, call } = await arrive();
    sandbox.as("sarah").say("general", "the heron keeps the spare key");
    await call(
      "discord.channel.messages",
      { channel_id: sandbox.community.channels.get("general") },
      { as: "sarah", in: "general" },
    );
    await call("discord.channel.messages", { channel_id: "5" }, { as: "sarah", in: "general" }).catch(() => {});
    for (const one of calls) metrics.noteCall(one);
    const text = await (await fetch(`${http.url}/metrics`)).text();
    expect(text).toContain('earshot_calls_total{tool="discord.channel.messages",outcome="ok"} 1');
    expect(text).toContain('earshot_calls_total{tool="discord.channel.messages",outcome="not_found"} 1');
    expect(text).toMatch(/earshot_timeline_messages [1-9]/);
    expect(text).toMatch(/earshot_discord_rest_calls_total [1-9]/);
    for (const secret of ["heron", "sarah", "Skipper", "general", "Quay", sandbox.token])
      expect(text).not.toContain(secret);
  });

  it("says which port is taken", async () => {
    const { http, metrics } = await arrive();
    const port = Number(new URL(http.url).port);
    const again = openHttp(
      { host: "127.0.0.1", port },
      { metrics, health: () => ({ discord: "ready" }), isClient: () => false, handleUpgrade: () => {} },
    );
    await expect(again).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`Port ${port} is taken`),
    });
  });
});
