import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { connectRaw } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

/** What the server says to a handshake with these headers, to the last byte before it hangs up or accepts. */
async function shakeHands(port: number, headers: Record<string, string>, path = "/rpc"): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const lines = {
    host: `127.0.0.1:${port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.from("0123456789abcdef").toString("base64"),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${head.join("")}\r\n`);
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    if (text.startsWith("HTTP/1.1 101")) socket.destroy();
  });
  await once(socket, "close");
  return text;
}

const REFUSED =
  "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

describe("a WebSocket handshake", () => {
  it.each([
    ["no token", {}],
    ["a wrong token", { authorization: "Bearer nobody" }],
    ["another scheme", { authorization: "Basic token-brain" }],
    ["an empty token", { authorization: "Bearer " }],
    ["a wrong token among the subprotocols", { "sec-websocket-protocol": "earshot.rpc.v1, earshot.bearer.nobody" }],
    ["an empty token among the subprotocols", { "sec-websocket-protocol": "earshot.bearer." }],
  ])("with %s is answered with 401 and nothing else", async (_, headers) => {
    const server = await openRpcServer();
    expect(await shakeHands(server.port, headers)).toBe(REFUSED);
  });

  it("with the token in the URL is refused", async () => {
    const server = await openRpcServer();
    expect(await shakeHands(server.port, {}, "/rpc?token=token-brain&access_token=token-brain")).toBe(REFUSED);
  });

  it.each(["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://", "nonsense"])(
    "from the origin %s is refused, even with a token",
    async (origin) => {
      const server = await openRpcServer();
      const answer = await shakeHands(server.port, { origin, authorization: "Bearer token-brain" });
      expect(answer).toMatch(/^HTTP\/1.1 403 /);
      expect(answer).toMatch(/\r\n\r\n$/);
    },
  );

  it.each(["http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"])(
    "from the local origin %s is accepted",
    async (origin) => {
      const server = await openRpcServer();
      expect(await shakeHands(server.port, { origin, authorization: "bearer token-brain" })).toMatch(/^HTTP\/1.1 101 /);
    },
  );

  it("with the token among the subprotocols is accepted, and the token is not repeated", async () => {
    const server = await openRpcServer();
    const offered = { "sec-websocket-protocol": "earshot.bearer.token-brain, earshot.rpc.v1" };
    const answer = await shakeHands(server.port, offered);
    expect(answer).toMatch(/^HTTP\/1.1 101 /);
    expect(answer).toContain("Sec-WebSocket-Protocol: earshot.rpc.v1\r\n");
    expect(answer).not.toContain("token-brain");
  });

  it("for another path is answered with 404", async () => {
    const server = await openRpcServer();
    expect(await shakeHands(server.port, { authorization: "Bearer token-brain" }, "/rpc/x")).toMatch(/^HTTP\/1.1 404 /);
  });

  it("that is malformed is refused, and the server goes on", async () => {
    const server = await openRpcServer();
    const answer = await shakeHands(server.port, { authorization: "Bearer token-brain", "sec-websocket-key": "short" });
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect((await connectRaw(server)).frames).toHaveLength(1);
  });
});

describe("an RPC connection", () => {
  it("begins with a hello: the client's name, the methods it may call, and the cursor of the events", async () => {
    const server = await openRpcServer({ grant: () => ({ scopes: ["discord:send"], toolsets: ["test"] }) });
    const { frames } = await connectRaw(server, "scribe");
    expect(frames).toEqual([
      {
        id: expect.any(String),
        op: "event/hello",
        cursor: expect.any(String),
        payload: {
          client: "scribe",
          protocol: 1,
          heartbeat_seconds: 30,
          methods: {
            "rpc.ping": "read",
            "rpc.describe": "read",
            "operation.open": "read",
            "operation.narrow": "read",
            "operation.show": "read",
            "privacy.show": "read",
            "test.send": "send",
          },
        },
      },
    ]);
  });

  it("is refused beyond the maximum per client and the maximum in total", async () => {
    const server = await openRpcServer({ limits: { connections: 3, connectionsPerClient: 2 } });
    const first = await connectRaw(server, "a");
    await connectRaw(server, "a");
    expect(await shakeHands(server.port, { authorization: "Bearer token-a" })).toMatch(/^HTTP\/1.1 429 /);
    await connectRaw(server, "b");
    expect(await shakeHands(server.port, { authorization: "Bearer token-c" })).toMatch(/^HTTP\/1.1 503 /);
    first.socket.close();
    await first.closed;
    await connectRaw(server, "c");
  });

  it("is closed with code 1001 when the server shuts down, and no new one is accepted", async () => {
    const server = await openRpcServer();
    const { closed } = await connectRaw(server);
    const closing = server.transport.close();
    expect(await shakeHands(server.port, { authorization: "Bearer token-brain" })).toMatch(/^HTTP\/1.1 503 /);
    await closing;
    expect(await closed).toBe(1001);
    expect(server.transport.stats().connections).toBe(0);
  });

  it("that does not answer the close does not hold up the shutdown", async () => {
    const server = await openRpcServer();
    const { socket } = await connectRaw(server);
    socket.pause();
    await server.transport.close();
    expect(server.transport.stats().connections).toBe(0);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("that answers no heartbeat is closed, and one that answers is not", async () => {
    const server = await openRpcServer();
    const dead = await connectRaw(server, "dead");
    const alive = await connectRaw(server, "alive");
    dead.socket.pause();
    for (let beats = 1; beats <= 4; beats += 1) {
      server.beat();
      await alive.find(() => alive.of("event/heartbeat").length === beats);
      // Its answer to the ping came before this call.
      expect(await alive.call("rpc.ping")).toMatchObject({ ok: true });
    }
    await alive.find(() => server.transport.stats().connections === 1);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });
});
