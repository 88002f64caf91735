import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { statusSchema } from "../src/domain/status.ts";
import type { ProfileStats } from "../src/ports/profile-source.ts";
import { createMetrics } from "../src/transports/http/metrics.ts";
import { openHttp } from "../src/transports/http/open-http.ts";
import type { SpentSource } from "../src/transports/http/price-tokens.ts";
import { readStatus } from "../src/transports/http/read-status.ts";
import { openTestGate, toRules } from "./support/gate.ts";
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

const SPENT = {
  totals: () => ({
    today: { inputTokens: 3_000_000, outputTokens: 500_000 },
    sinceStart: { inputTokens: 1_000_000, outputTokens: 100_000 },
  }),
  prices: { input: 2, output: 10 },
};

async function arrive(spent: SpentSource | null = null, profiles: (() => ProfileStats) | null = null) {
  const sandbox = await openTestSandbox();
  const calls: { tool: string; outcome: string; milliseconds: number }[] = [];
  const test = await openTestGate(sandbox, { onCall: (call) => void calls.push(call) });
  const { discord } = test.edge;
  const storage: { state: "working" | "failing" } = { state: "working" };
  const metrics = createMetrics({
    ...{ discord, timelines: test.timelines, spent, profiles: { stats: profiles }, rpc: () => IDLE },
    failures: async () => (storage.state === "failing" ? ["the audit"] : []),
  });
  const upgraded: string[] = [];
  const deps = {
    metrics,
    health: async () => ({ discord: discord.state, storage: storage.state }),
    status: async () =>
      readStatus({
        storage: [],
        ...{ version: "1.2.3", startedAt: 0, clock: { now: () => 90_500 }, discord, timelines: test.timelines },
        slowWrites: () => ({ slowWrites: 2, slowestMs: 300 }),
        spent,
        profiles,
        documents: { stats: () => ({ folders: 1, unreadable: 0, files: 2, passages: 3, skipped: { link: 4 } }) },
        calls: metrics.calls,
        rpc: () => ({ connections: 2 }),
        mcp: () => ({ sessions: 1, connections: 3 }),
      }),
    mayReadMetrics: (token: string) => token === "token-of-the-operator",
    operator: {
      isOperator: (token: string) => token === "token-of-the-operator",
      directory: discord.directory,
      rules: toRules(),
      botId: discord.botId,
      reload: async () => ({ changed: [] }),
      mintConsoleLink: () => "",
      copyData() {},
    },
    handleUpgrade: (request: IncomingMessage, socket: Duplex) => {
      upgraded.push(request.headers.host ?? "");
      socket.destroy();
    },
  };
  const http = await openHttp({ host: "127.0.0.1", port: 0 });
  http.serve(deps);
  onTestFinished(() => http.close());
  return { ...test, calls, metrics, deps, http, upgraded, storage };
}

/** What is answered to these very bytes. */
async function send(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  socket.write(request);
  await once(socket, "close");
  return text;
}

describe("the HTTP port", () => {
  it("reports at /healthz whether Discord is connected and the audit is kept, and at /livez that it runs", async () => {
    const { http, edge, storage } = await arrive();
    const ask = async () => {
      const response = await fetch(`${http.url}/healthz`);
      return [response.status, await response.json()];
    };
    expect(await ask()).toEqual([200, { ok: true, discord: "ready", storage: "working" }]);
    storage.state = "failing";
    expect(await ask()).toEqual([503, { ok: false, discord: "ready", storage: "failing" }]);
    expect((await fetch(`${http.url}/livez`)).status).toBe(200);
    storage.state = "working";
    await edge.discord.close();
    expect((await fetch(`${http.url}/healthz`)).status).toBe(503);
    expect((await fetch(`${http.url}/other`)).status).toBe(404);
  });

  it("counts calls, waits and held messages at /metrics, without names or texts", async () => {
    const { sandbox, http, metrics, calls, call } = await arrive();
    sandbox.as("sarah").say("general", "the heron keeps the spare key");
    await call(
      "discord.channel.messages",
      { channel_id: sandbox.community.channels.get("general") },
      { as: "sarah", in: "general" },
    );
    await call("discord.channel.messages", { channel_id: "5" }, { as: "sarah", in: "general" }).catch(() => {});
    for (const one of calls) metrics.noteCall(one);
    const headers = { authorization: "Bearer token-of-the-operator" };
    const text = await (await fetch(`${http.url}/metrics`, { headers })).text();
    expect(text).toContain('earshot_calls_total{tool="discord.channel.messages",outcome="ok"} 1');
    expect(text).toContain('earshot_calls_total{tool="discord.channel.messages",outcome="not_found"} 1');
    expect(text).toMatch(/earshot_timeline_messages [1-9]/);
    expect(text).toMatch(/earshot_discord_rest_calls_total [1-9]/);
    for (const secret of ["heron", "sarah", "Skipper", "general", "Quay", sandbox.token])
      expect(text).not.toContain(secret);
  });

  it("counts at /metrics the stores that cannot be written", async () => {
    const { metrics, storage } = await arrive();
    expect((await metrics.render()).text).toContain("\nearshot_storage_failures 0\n");
    storage.state = "failing";
    expect((await metrics.render()).text).toContain("\nearshot_storage_failures 1\n");
  });

  it("summarises the state at /status, without names or texts", async () => {
    const { sandbox, http, call, edge } = await arrive();
    sandbox.as("sarah").say("general", "the heron keeps the spare key");
    const general = sandbox.community.channels.get("general");
    await call("discord.channel.messages", { channel_id: general }, { as: "sarah", in: "general" });
    const headers = { authorization: "Bearer token-of-the-operator" };
    const ask = async () => (await fetch(`${http.url}/status`, { headers })).text();
    const text = await ask();
    const status = statusSchema.parse(JSON.parse(text));
    expect(status).toMatchObject({
      ...{ version: "1.2.3", uptime_seconds: 90, clients: { rpc: 2, mcp: 4 } },
      disk: { slow_writes: 2, slowest_write_ms: 300 },
      discord: { state: "ready", servers: 1, gaps: 0, rate_limit_waits: 0, rate_limit_waited_seconds: 0 },
      messages: { unconfirmed: 0, unconfirmed_since: null, erase_at: null },
    });
    for (const count of [status.messages.channels, status.messages.held, status.messages.bytes])
      expect(count).toBeGreaterThan(0);
    for (const secret of ["heron", "sarah", "Skipper", "general", "Quay", sandbox.token])
      expect(text).not.toContain(secret);
    await edge.discord.close();
    expect(JSON.parse(await ask())).toMatchObject({ discord: { state: "closed" } });
  });

  it("shows at /metrics and /status what the model used today and since the start, and the cost where prices are set", async () => {
    const headers = { authorization: "Bearer token-of-the-operator" };
    const ask = async (spent: SpentSource | null) => {
      const { http } = await arrive(spent);
      const [metrics, status] = await Promise.all(
        ["/metrics", "/status"].map(async (path) => (await fetch(`${http.url}${path}`, { headers })).text()),
      );
      return { metrics: metrics ?? "", model: statusSchema.parse(JSON.parse(status ?? "")).model };
    };
    const { metrics, model } = await ask(SPENT);
    for (const line of [
      "earshot_model_input_tokens_total 1000000",
      "earshot_model_output_tokens_total 100000",
      "earshot_model_cost_total 3",
      "earshot_model_input_tokens_today 3000000",
      "earshot_model_output_tokens_today 500000",
      "earshot_model_cost_today 11",
    ])
      expect(metrics).toContain(`\n${line}\n`);
    expect(model).toEqual({
      today: { input_tokens: 3_000_000, output_tokens: 500_000, cost: 11 },
      since_start: { input_tokens: 1_000_000, output_tokens: 100_000, cost: 3 },
      last_failure: null,
    });
    const free = await ask({ ...SPENT, prices: null });
    expect([free.metrics.includes("cost"), free.model?.today.cost]).toEqual([false, null]);
    const none = await ask(null);
    expect([none.metrics.includes("earshot_model"), none.model]).toEqual([false, null]);
  });

  it("counts at /metrics and /status what the profile service was asked, where there is one", async () => {
    const headers = { authorization: "Bearer token-of-the-operator" };
    const ask = async (stats: (() => ProfileStats) | null) => {
      const { http } = await arrive(null, stats);
      const read = async (path: string) => (await fetch(`${http.url}${path}`, { headers })).text();
      return { metrics: await read("/metrics"), status: statusSchema.parse(JSON.parse(await read("/status"))) };
    };
    const { metrics, status } = await ask(() => ({ requests: 7, failures: 2, cached: 3 }));
    for (const line of [
      "earshot_profile_requests_total 7",
      "earshot_profile_failures_total 2",
      "earshot_profiles_cached 3",
    ])
      expect(metrics).toContain(`\n${line}\n`);
    expect(status.profiles).toEqual({ requests: 7, failures: 2, cached: 3 });
    const none = await ask(null);
    expect([none.metrics.includes("profile"), none.status.profiles]).toEqual([false, null]);
  });

  it("refuses /metrics and /status to a client without the scope, even on the same machine", async () => {
    const { http } = await arrive();
    for (const headers of [
      {},
      { authorization: "Bearer of-some-client" },
      { authorization: "token-of-the-operator" },
    ]) {
      for (const path of ["/metrics", "/status"]) {
        const answer = await fetch(`${http.url}${path}`, { headers });
        expect(answer.status).toBe(401);
        expect(Object.keys(JSON.parse(await answer.text()))).toEqual(["error"]);
      }
    }
  });

  it("tells names to the operator alone, and finds people and channels by their names", async () => {
    const { http, sandbox } = await arrive();
    const [sarah, general] = [sandbox.as("sarah").id, sandbox.community.channels.get("general") ?? ""];
    const ask = (path: string, body: unknown, token: string) =>
      fetch(`${http.url}/operator/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
    for (const path of ["names", "find", "why", "reload", "backup", "anything"])
      expect((await ask(path, { ids: [sarah] }, "another")).status, path).toBe(401);
    const named = await ask("names", { ids: [sarah, general, "1"] }, "token-of-the-operator");
    expect(await named.json()).toEqual({ [sarah]: "Skipper", [general]: "#general" });
    const found = async (kind: string, name: string) =>
      (await ask("find", { kind, name }, "token-of-the-operator")).json();
    expect(await found("people", "@SARAH")).toEqual({ id: sarah });
    expect(await found("channels", "#general")).toEqual({ id: general });
    const unknown = (message: string) => ({ error: { code: "invalid", message } });
    expect(await found("channels", "#generl")).toEqual(
      unknown("No channel called '#generl' is known. Did you mean general?"),
    );
    expect(await found("people", "zzzzzz")).toEqual(
      unknown("No person called 'zzzzzz' is known. Check the name, or use the person's id."),
    );
    expect(await found("people", "80351110224678912")).toEqual(
      unknown(
        "No person with the id 80351110224678912 is in a server of the bot. Check the name, or use the person's id.",
      ),
    );
    expect((await ask("names", { ids: "all" }, "token-of-the-operator")).status).toBe(400);
  });

  it.each(["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80", "[::2]"])(
    "rejects requests for the host %s",
    async (host) => {
      const { http, upgraded } = await arrive();
      const port = Number(new URL(http.url).port);
      const lines = ["authorization: Bearer token-of-the-operator", `host: ${host}`].join("\r\n");
      for (const path of ["/healthz", "/metrics", "/status", "/", "/assets/main.js", "/console/session/show", "/other"])
        expect(await send(port, `GET ${path} HTTP/1.1\r\n${lines}\r\nconnection: close\r\n\r\n`)).toMatch(
          /^HTTP\/1.1 40[03] /,
        );
      const upgrade = "connection: Upgrade\r\nupgrade: websocket";
      expect(await send(port, `GET /rpc HTTP/1.1\r\n${lines}\r\n${upgrade}\r\n\r\n`)).toMatch(/^HTTP\/1.1 40[03] /);
      expect(upgraded).toEqual([]);
    },
  );

  it.each(["localhost", "127.0.0.1", "[::1]", "localhost:9"])("answers requests for the host %s", async (host) => {
    const { http, upgraded } = await arrive();
    const port = Number(new URL(http.url).port);
    const request = `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    expect(await send(port, request)).toMatch(/^HTTP\/1.1 200 /);
    await send(port, `GET /rpc HTTP/1.1\r\nhost: ${host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`);
    expect(upgraded).toEqual([host]);
  });

  it("fails to open at an address that this machine does not have, and names the setting", async () => {
    // Of a network that is reserved for documentation.
    const elsewhere = openHttp({ host: "192.0.2.1", port: 0 });
    await expect(elsewhere).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringMatching(/^Earshot cannot listen at 192\.0\.2\.1 \(\w+\); set EARSHOT_HOST /),
    });
  });

  it("fails to open when the port is taken, and names the port", async () => {
    const { http } = await arrive();
    const port = Number(new URL(http.url).port);
    const again = openHttp({ host: "127.0.0.1", port });
    await expect(again).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`Port ${port} is taken`),
    });
  });
});
