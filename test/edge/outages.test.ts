import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { type EdgeOptions, openTestEdge, until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const toPort = (url: string, port: number) => {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
};

/** A sandbox whose gateway is reached through a network that can fail, and a log of what the edge says. */
async function arrive(options: SandboxOptions = {}, edgeOptions: (proxy: TcpProxy) => EdgeOptions = () => ({})) {
  let port = 0;
  const proxy = await openTcpProxy(() => port);
  onTestFinished(() => proxy.close());
  const sandbox = await openTestSandbox({
    rateLimits: false,
    advertise: { gateway: (url) => toPort(url, proxy.port) },
    ...options,
  });
  port = Number(new URL(sandbox.url).port);
  const lines: string[] = [];
  const write = (_: object, text: string) => void lines.push(text);
  const log = { debug() {}, info: write, warn: write, error: write };
  const edge = await openTestEdge(sandbox, { log, ...edgeOptions(proxy) });
  return { sandbox, proxy, edge, lines };
}

/** A network that is gone for this long, counted by the waits of the client that retries. */
function createOutage(ms: number) {
  let ahead = 0;
  let left = ms;
  const waits: number[] = [];
  return {
    waits,
    clock: { now: () => Date.now() + ahead },
    delay: (proxy: TcpProxy) => async (wait: number) => {
      waits.push(wait);
      ahead += wait;
      left -= wait;
      if (left <= 0 && left + wait > 0) await proxy.restore();
    },
  };
}

function count(sandbox: Sandbox, from: number, to: number): void {
  for (let number = from; number <= to; number += 1) sandbox.as("sarah").say("general", String(number));
}

describe("a network outage", () => {
  it.each([
    ["1.5 seconds", 1_500, [1_000, 2_000]],
    ["20 seconds", 20_000, [1_000, 2_000, 4_000, 8_000, 16_000]],
  ])(
    "of %s loses no event: the session is resumed with back-off",
    async (_, ms, waits) => {
      const outage = createOutage(ms);
      const { sandbox, proxy, edge, lines } = await arrive({}, (each) => ({ ...outage, delay: outage.delay(each) }));
      count(sandbox, 1, 2);
      await edge.find("message", ({ message }) => message.content === "2");
      await proxy.cut();
      count(sandbox, 3, 5);
      await edge.find("message", ({ message }) => message.content === "5");
      expect(edge.said()).toEqual(["1", "2", "3", "4", "5"]);
      expect(edge.of("gap")).toEqual([]);
      expect(outage.waits).toEqual(waits);
      await until(() => edge.discord.state === "ready", "not ready again");
      const of = (part: string) => lines.filter((line) => line.includes(part)).length;
      expect([of("connection lost"), of("trying again"), of("session resumed")]).toEqual([1, waits.length, 1]);
    },
    30_000,
  );

  it("longer than Discord keeps a session leads to a new session and a gap that names the reason", async () => {
    const outage = createOutage(310_000);
    const { sandbox, proxy, edge } = await arrive({}, (each) => ({ ...outage, delay: outage.delay(each) }));
    count(sandbox, 1, 1);
    await edge.find("message");
    await proxy.cut();
    const gap = await edge.find("gap");
    expect(gap).toMatchObject({ reason: "session_expired", guildIds: [sandbox.community.guild.id] });
    expect(Date.parse(gap.to) - Date.parse(gap.from)).toBeGreaterThan(300_000);
  });

  it("of the resume address alone is bypassed over the main address without losing an event", async () => {
    const { sandbox, edge } = await arrive({ advertise: { resume: (url) => toPort(url, 9) } }, () => ({
      delay: async () => {},
    }));
    count(sandbox, 1, 1);
    await edge.find("message");
    sandbox.faults.cutSocket();
    count(sandbox, 2, 3);
    await edge.find("message", ({ message }) => message.content === "3");
    expect(edge.said()).toEqual(["1", "2", "3"]);
    expect(edge.of("gap")).toEqual([]);
  });

  it.each([
    { status: 200 },
    { status: 503 },
    { code: 4000 },
    { code: 4002 },
    { code: 4008 },
    { code: 1000 },
    { code: 1001 },
    { code: 1011 },
  ])("followed by four connections refused with %o loses no event", async (how) => {
    const { sandbox, edge } = await arrive({}, () => ({ delay: async () => {} }));
    count(sandbox, 1, 1);
    await edge.find("message");
    sandbox.faults.refuseConnections(how, 4);
    sandbox.faults.cutSocket();
    count(sandbox, 2, 3);
    await edge.find("message", ({ message }) => message.content === "3");
    expect(edge.said()).toEqual(["1", "2", "3"]);
    expect(edge.of("gap")).toEqual([]);
  });

  it("without a closed socket is noticed by the missing heartbeat: permissions are not trusted and the dead socket is dropped", async () => {
    const { sandbox, edge } = await arrive({ heartbeatMs: 300 }, () => ({ delay: async () => {} }));
    const general = sandbox.community.channels.get("general") as ChannelId;
    const mark = sandbox.community.people.get("mark") as UserId;
    const { directory } = edge.discord;
    expect(directory.canRead(mark, general)).toBe(true);
    const seen: boolean[] = [];
    edge.discord.listen((event) => {
      if (event.type === "connection" && event.state === "reconnecting") seen.push(directory.canRead(mark, general));
    });
    count(sandbox, 1, 1);
    await edge.find("message");
    sandbox.faults.goSilent();
    count(sandbox, 2, 2);
    await edge.find("connection", ({ state }) => state === "reconnecting");
    expect(seen[0]).toBe(false);
    expect(edge.discord.state).toBe("reconnecting");
    sandbox.faults.clear();
    await until(() => edge.discord.state === "ready" && directory.canRead(mark, general), "not ready again");
    count(sandbox, 3, 3);
    await edge.find("message", ({ message }) => message.content === "3");
    expect(edge.said()).toEqual(["1", "2", "3"]);
    expect(edge.of("gap")).toEqual([]);
  });
});

/** A server at the gateway's address that refuses every connection. */
async function openRefusal(refusal: number | { status: number }) {
  const server = createServer((_, response) => response.end("hello"));
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (typeof refusal === "object")
      socket.end(`HTTP/1.1 ${refusal.status} Hm\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`);
    else
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 }, t: null, s: null }));
        webSocket.once("message", () => webSocket.close(refusal, `refused with ${refusal}`));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("a refusing gateway", () => {
  it.each([
    [4002, "unavailable", "code 4002: refused with 4002"],
    [4004, "misconfigured", "does not accept the bot token"],
    [4013, "misconfigured", "code 4013: refused with 4013"],
    [4014, "misconfigured", "code 4014: refused with 4014"],
    [1000, "unavailable", "code 1000: refused with 1000"],
    [{ status: 200 }, "unavailable", "HTTP status 200"],
    [{ status: 503 }, "unavailable", "HTTP status 503"],
  ] as const)(
    "that refuses with %o makes the start fail with the code and the reason in time",
    async (refusal, code, words) => {
      const port = await openRefusal(refusal);
      const sandbox = await openTestSandbox({ advertise: { gateway: (url) => toPort(url, port) } });
      await expect(openTestEdge(sandbox, { maxConnectMs: 1_500 })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
    },
  );

  it("that is not listening makes the start fail with the refused connection as the reason", async () => {
    const sandbox = await openTestSandbox({ advertise: { gateway: (url) => toPort(url, 9) } });
    await expect(openTestEdge(sandbox, { maxConnectMs: 1_500 })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("that does not answer makes the start fail with that as the reason", async () => {
    const sandbox = await openTestSandbox();
    sandbox.faults.goSilent();
    await expect(openTestEdge(sandbox, { maxConnectMs: 1_500 })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("it does not answer"),
    });
  });

  it("that refuses the token later closes the edge and logs why", async () => {
    const { sandbox, edge, lines } = await arrive();
    sandbox.faults.cutSocket(4004);
    await edge.find("connection", ({ state }) => state === "closed");
    expect(lines.at(-1)).toContain("ended for good");
  });
});
