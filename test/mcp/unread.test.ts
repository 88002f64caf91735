import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { ServerFeatures } from "../../src/transports/mcp/features.ts";
import { arrive } from "./arrive.ts";
import { type Address, headersOf, openSocket } from "./clients.ts";

/** More than the buffers of two sockets take. */
const LARGE = 24 * 1024 * 1024;
/** More than one of these answers, and less than four of them leave unread. */
const LIMITS = { unreadBytes: 1.5 * LARGE };
const COUNT = 4;

const extras: ServerFeatures = {
  tools: ["large", "small"].map((name) => ({
    definition: { name, inputSchema: { type: "object" } },
    call: async () => ({ content: [{ type: "text", text: "x".repeat(name === "large" ? LARGE : 1) }] }),
  })),
  prompts: [],
  resources: { list: [], templates: [], read: () => null },
};

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const toCall = (name: string, id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta } });

/** The answer, of which nothing has been read. */
function call(address: Address, name: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
    ...headersOf(address),
  };
  const asking = request(address.url, { method: "POST", headers, agent: false }, resolve);
  asking.on("error", reject);
  asking.end(JSON.stringify(toCall(name, 1)));
  return promise;
}

/** Whether all of it arrives. */
async function isWhole(answer: IncomingMessage): Promise<boolean> {
  return (await text(answer).catch(() => "")).length > LARGE;
}

describe("a client over MCP that does not read its answers", () => {
  it("loses some of them once it leaves too much unread over HTTP, and may go on asking", async () => {
    const { address, token } = await arrive({ limits: LIMITS, extras });
    const answers: IncomingMessage[] = [];
    for (let count = 0; count < COUNT; count += 1) answers.push(await call(address("sarah"), "large"));
    expect(await text(await call(address("sarah"), "small"))).toContain('"x"');
    expect(await isWhole(await call(address("sarah", { token: token("other") }), "large"))).toBe(true);
    const whole = await Promise.all(answers.map(isWhole));
    expect(whole.filter(Boolean).length).toBeLessThan(COUNT);
    expect(await isWhole(await call(address("sarah"), "large"))).toBe(true);
  });

  it("loses connections once it leaves too much unread on all of them together", async () => {
    const { address, transport } = await arrive({ limits: LIMITS, extras });
    for (let count = 0; count < COUNT; count += 1) {
      const socket = await openSocket(address("sarah"));
      socket.write(`${JSON.stringify(toCall("large", count))}\n`);
    }
    await expect.poll(() => transport.stats().connections).toBeLessThan(COUNT);
    const socket = await openSocket(address("sarah"));
    socket.write(`${JSON.stringify(toCall("small", 1))}\n`);
    const [line] = await socket.take(1).toArray();
    expect(String(line)).toContain('"x"');
  });
});
