import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { until } from "../support/edge.ts";
import { connectRaw, type Frame } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

const PING = { method: "rpc.ping", args: {} };
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const withArgs = (args: string) => `{"id":"x","op":"rpc/call","payload":{"method":"rpc.ping","args":${args}}}`;

/** Each with what the answer must name. */
const WRONG: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["no JSON", "{", /JSON/],
  ["nothing", "", /JSON/],
  ["binary", Buffer.from(JSON.stringify({ id: "x", op: "rpc/call", payload: PING })), /binary/],
  ["a list", "[]", /frame/],
  ["null", "null", /frame/],
  ["a number", "1e999", /frame/],
  ["no id", JSON.stringify({ op: "rpc/call", payload: PING }), /id/],
  ["an id that is a number", JSON.stringify({ id: 1, op: "rpc/call", payload: PING }), /id/],
  ["an endless id", JSON.stringify({ id: "x".repeat(129), op: "rpc/call", payload: PING }), /id/],
  ["an unknown op", JSON.stringify({ id: "x", op: "rpc/shout", payload: PING }), /op/],
  ["a server's op", JSON.stringify({ id: "x", op: "rpc/ret", reply_to: "y", payload: { ok: true } }), /op/],
  ["no payload", JSON.stringify({ id: "x", op: "rpc/call" }), /payload/],
  ["a method that is a list", JSON.stringify({ id: "x", op: "rpc/call", payload: { method: [] } }), /payload\.method/],
  ["args that are a list", withArgs("[1]"), /payload\.args/],
  ["args that are text", withArgs('"limit=5"'), /payload\.args/],
  [
    "an unknown field",
    JSON.stringify({ id: "x", op: "rpc/call", payload: { ...PING, opration_id: "" } }),
    /opration_id/,
  ],
  [
    "a poisoned frame",
    '{"id":"x","op":"rpc/call","__proto__":{"admin":true},"payload":{"method":"rpc.ping"}}',
    /__proto__/,
  ],
  ["poisoned args", withArgs('{"a":[{"__proto__":{"admin":true}}]}'), /__proto__/],
  ["poisoned args in disguise", withArgs('{"\\u005f_proto__":{}}'), /__proto__/],
  [
    "many unknown fields",
    `{"id":"x","op":"rpc/call","payload":{},${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join()}}`,
    /There is no field `k9`\.$/,
  ],
  ["far too many values", withArgs(`{"a":[${"1,".repeat(300_000)}1]}`), /10000 values/],
  ["args nested deeply", withArgs(deep(40)), /nested/],
  ["args nested absurdly", withArgs(deep(100_000)), /nested/],
  ["a bottomless list", "[".repeat(500_000), /JSON/],
  ["a list nested absurdly", `${"[".repeat(400_000)}${"]".repeat(400_000)}`, /nested/],
  ["a cancel without a call", JSON.stringify({ id: "x", op: "rpc/cancel", payload: {} }), /payload\.call/],
  ["a cancel of nothing", JSON.stringify({ id: "x", op: "rpc/cancel", payload: { call: "y" } }), /under way/],
];

describe("an invalid frame", () => {
  it.each(WRONG)(
    "is answered with what is wrong with it, and the connection stays open: %s",
    async (_, frame, named) => {
      const rpc = await connectRaw(await openRpcServer());
      rpc.send(frame);
      const answer = await rpc.find(({ op }) => op === "rpc/ret");
      expect(answer.payload).toMatchObject({ ok: false, error: { message: expect.stringMatching(named) } });
      expect(JSON.stringify(answer)).not.toMatch(/internal|\bat .*:\d+/);
      expect(answer.reply_to).toBe(String(frame).includes('"id":"x"') && !Buffer.isBuffer(frame) ? "x" : null);
      expect(await rpc.call("rpc.ping")).toEqual({ ok: true, value: { pong: true } });
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  it("that is too large ends its connection, and no other", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    const other = await connectRaw(server, "other");
    rpc.send(" ".repeat(1024 * 1024 + 1));
    expect(await rpc.closed).toBe(1009);
    expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
  });

  it("that is repeated thousands of times makes the server pause reading from that client, and from no other", async () => {
    const server = await openRpcServer();
    const [rude, other] = [await connectRaw(server, "rude"), await connectRaw(server, "other")];
    for (let count = 0; count < 50_000; count += 1) rude.send("rubbish");
    await until(() => server.transport.stats().refused >= 100, "it was not refused");
    expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
    expect(server.transport.stats().refused).toBeLessThan(25_000);
  });
});

/** Frames that are nearly right: each part may be replaced by anything. */
const anything = fc.anything({
  maxDepth: 3,
  withNullPrototype: false,
  key: fc.oneof(fc.string(), fc.constant("__proto__")),
});
const nearlyRight = fc
  .record(
    {
      id: fc.oneof(fc.string(), fc.constant("same"), anything),
      op: fc.oneof(fc.constantFrom("rpc/call", "rpc/cancel", "rpc/ret", "event/hello"), anything),
      payload: fc.oneof(
        fc.record(
          {
            method: fc.oneof(
              fc.constantFrom("rpc.ping", "rpc.describe", "test.echo", "test.scan", "toString"),
              anything,
            ),
            args: fc.oneof(fc.constant({}), anything),
            operation_id: fc.oneof(fc.string(), anything),
            call: fc.string(),
          },
          { requiredKeys: [] },
        ),
        anything,
      ),
      more: anything,
    },
    { requiredKeys: [] },
  )
  .map((frame) => JSON.stringify(frame, (_, value) => (typeof value === "bigint" ? String(value) : value)) ?? "");
const frames = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: nearlyRight },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array().map((bytes) => Buffer.from(bytes)) },
  ),
  { minLength: 1, maxLength: 40 },
);

describe("a client that sends anything at all", () => {
  it("gets one answer to each frame, never `internal`, while others are served", async () => {
    const server = await openRpcServer();
    const other = await connectRaw(server, "other");
    await fc.assert(
      fc.asyncProperty(frames, async (sent) => {
        const rpc = await connectRaw(server, "hostile");
        for (const frame of sent) rpc.send(frame);
        rpc.send({ id: "the last one", op: "rpc/call", payload: PING });
        expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
        const answers = (): Frame[] => rpc.of("rpc/ret");
        await until(() => answers().length >= sent.length + 1, `${answers().length} of ${sent.length + 1} answers`);
        expect(answers()).toHaveLength(sent.length + 1);
        expect(answers().filter(({ reply_to }) => reply_to === "the last one")).toMatchObject([
          { payload: { ok: true } },
        ]);
        expect(JSON.stringify(answers())).not.toContain('"code":"internal"');
        rpc.socket.terminate();
      }),
      { numRuns: 150 },
    );
    expect(server.logged.filter((line) => line.includes("unexpectedly"))).toEqual([]);
    expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
  });

  it("loses its connection by sending bytes that are no WebSocket frames, and no other client does", async () => {
    const server = await openRpcServer();
    const other = await connectRaw(server, "other");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean(), async (bytes, isCut) => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(
          "GET /rpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
            `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nAuthorization: Bearer token-hostile\r\n\r\n`,
        );
        await once(socket, "data");
        socket.write(bytes);
        expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
        if (isCut) socket.resetAndDestroy();
        else socket.destroy();
      }),
      { numRuns: 100 },
    );
    await until(() => server.transport.stats().connections === 1, "a dead connection is kept");
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
  });
});
