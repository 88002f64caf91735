import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { generateCommunity, openSandbox } from "../sandbox/index.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../src/policy/grant.ts";
import { createRpcTransport } from "../src/transports/rpc/rpc-transport.ts";
import { createTestPersonMemory, createTestPrivacy } from "../test/support/consent.ts";
import { takeCoverage } from "./coverage.ts";
import { openProduct } from "./product.ts";

/** Everything a server needs, in a process of its own: /rpc is Earshot's; /echo is a bare `ws` server, /bulk one that answers with 24 KB. */
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now() };
const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages: 500 }), rateLimits: false });
const { core, discord, folder } = await openProduct(sandbox, clock);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const heard: Record<string, number> = {};
const transport = createRpcTransport({
  ...core,
  privacy: createTestPrivacy(),
  personMemory: createTestPersonMemory(),
  listen: (listener) =>
    discord.listen((event) => {
      if (event.type === "message") heard[event.message.content] = performance.timeOrigin + performance.now();
      listener(event);
    }),
  authenticate: (token) => (token === "bench" ? { name: "bench", grant: OPERATOR_GRANT } : null),
  clock,
  log,
  mintId: randomUUID,
  limits: { framesPerSecond: 1e9, burst: 1e9 },
});
const echo = new WebSocketServer({ noServer: true });
echo.on("connection", (socket) => socket.on("message", (data) => socket.send(data, { binary: false })));
const bulk = new WebSocketServer({ noServer: true });
const answer = Buffer.from(JSON.stringify({ op: "rpc/ret", payload: { ok: true, value: "x".repeat(24_000) } }));
bulk.on("connection", (socket) => socket.on("message", () => socket.send(answer, { binary: false })));

const server = createServer().on("upgrade", (request, socket, head) => {
  if (request.url === "/echo") echo.handleUpgrade(request, socket, head, (one) => echo.emit("connection", one));
  else if (request.url === "/bulk") bulk.handleUpgrade(request, socket, head, (one) => bulk.emit("connection", one));
  else transport.handleUpgrade(request, socket, head);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

process.on("disconnect", () => process.exit(0));
process.on("message", async (order: "say" | "broadcast" | "heard" | "cover" | "covered") => {
  if (order === "heard") process.send?.(heard);
  if (order === "cover" || order === "covered") process.send?.(await takeCoverage());
  const content = `event ${randomUUID()}`;
  if (order === "say") sandbox.as("p0").say("c0", content);
  if (order === "broadcast") {
    heard[content] = performance.timeOrigin + performance.now();
    const frame = Buffer.from(JSON.stringify({ op: "event", payload: { content, text: "x".repeat(400) } }));
    for (const socket of echo.clients) socket.send(frame, { binary: false });
  }
});
process.send?.({
  port: (server.address() as AddressInfo).port,
  actor: sandbox.as("p0").id as UserId,
  channel: sandbox.community.channels.get("c0") as ChannelId,
});
