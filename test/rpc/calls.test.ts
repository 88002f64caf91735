import { describe, expect, it } from "vitest";
import { until } from "../support/edge.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openRpcServer, SECRET } from "../support/rpc-server.ts";

const failure = (code: string, message: unknown = expect.any(String), more: object = {}) => ({
  ok: false,
  error: { code, message, ...more },
});

describe("RPC calls", () => {
  it("a call is answered, with its method written with dots or with slashes", async () => {
    const rpc = await connectRaw(await openRpcServer());
    expect(await rpc.call("rpc.ping")).toEqual({ ok: true, value: { pong: true } });
    const operation = await rpc.operation();
    expect(await rpc.call("test.echo", { text: "ahoy" }, operation)).toEqual({ ok: true, value: { text: "ahoy" } });
    expect(await rpc.call("test/echo", { text: "ahoy" }, operation)).toEqual({ ok: true, value: { text: "ahoy" } });
  });

  it("a call may leave its arguments out, and say null for no operation", async () => {
    const rpc = await connectRaw(await openRpcServer());
    rpc.send({ id: "bare", op: "rpc/call", payload: { method: "rpc.ping" } });
    rpc.send({ id: "null", op: "rpc/call", payload: { method: "rpc.ping", args: {}, operation_id: null } });
    for (const id of ["bare", "null"]) {
      const { payload } = await rpc.find(({ reply_to }) => reply_to === id);
      expect(payload).toEqual({ ok: true, value: { pong: true } });
    }
  });

  it("a call of an unknown method is answered with its name and the closest one", async () => {
    const rpc = await connectRaw(await openRpcServer());
    expect(await rpc.call("test.nonesuch")).toEqual(
      failure("not_found", expect.stringContaining("`test.nonesuch`; `rpc.describe`")),
    );
    expect(await rpc.call("constructor")).toEqual(failure("not_found"));
    expect(await rpc.call("test.ehco")).toEqual(
      failure("not_found", "There is no method `test.ehco`; did you mean `test.echo`?", {
        candidates: [{ name: "test.echo" }],
      }),
    );
    expect(await rpc.call("a\u202eb\n")).toEqual(failure("not_found", expect.stringContaining("`ab⏎`")));
  });

  it("a call with wrong arguments is answered with the field that is wrong", async () => {
    const rpc = await connectRaw(await openRpcServer());
    expect(await rpc.call("operation.open", { actor: 1, channel_id: 5 })).toEqual(
      failure("invalid", expect.stringMatching(/`actor` must .* `channel_id` must /)),
    );
    expect(await rpc.call("rpc.ping", { extra: 1 })).toEqual(failure("invalid", "There is no field `extra`."));
    expect(await rpc.call("test.echo", { text: 5 }, await rpc.operation())).toEqual(
      failure("invalid", expect.stringContaining("text:")),
    );
  });

  it("a call of a tool needs an operation of the same client", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server, "brain");
    const other = await connectRaw(server, "other");
    expect(await rpc.call("test.echo", { text: "" })).toEqual(
      failure("invalid", expect.stringMatching(/^operation_id: /)),
    );
    expect(await rpc.call("test.echo", { text: "" }, "made-up")).toEqual(failure("not_found"));
    expect(await other.call("test.echo", { text: "" }, await rpc.operation())).toEqual(failure("not_found"));
  });

  it("a call that fails unforeseen is answered neutrally, and logged without the error's message", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    const answer = await rpc.call("test.fail", {}, await rpc.operation());
    expect(answer).toEqual(failure("internal"));
    expect(JSON.stringify(answer)).not.toMatch(/TypeError|private| at /);
    const [entry] = server.logged.filter((line) => line.includes("test.fail"));
    expect(entry).toContain("TypeError");
    expect(entry).toContain(" at ");
    expect(entry).not.toContain(SECRET);
    expect(server.logged.join()).not.toContain("token-");
  });

  it("a call whose answer is too large is refused", async () => {
    const rpc = await connectRaw(await openRpcServer({ limits: { replyBytes: 1_000 } }));
    const operation = await rpc.operation();
    expect(await rpc.call("test.echo", { text: "x", times: 2_000 }, operation)).toEqual(failure("unsupported"));
    expect(await rpc.call("test.echo", { text: "x", times: 20 }, operation)).toMatchObject({ ok: true });
  });

  it("a long call reports its progress", async () => {
    const rpc = await connectRaw(await openRpcServer());
    expect(await rpc.call("test.scan", { pages: 3 }, await rpc.operation())).toMatchObject({ ok: true });
    const progress = rpc.of("event/progress");
    expect(progress.map(({ payload }) => payload)).toEqual(
      [100, 200, 300].map((scanned) => ({ scanned, scan: 100_000, found: 0 })),
    );
    expect(new Set(progress.map(({ reply_to }) => reply_to)).size).toBe(1);
  });

  it("a call that is answered at once sends no progress", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    const operation = await rpc.operation();
    for (let count = 0; count < 20; count += 1) {
      expect(await rpc.call("test.echo", { text: "ahoy" }, operation)).toMatchObject({ ok: true });
    }
    expect(rpc.of("event/progress")).toEqual([]);
  });

  it("a cancelled call is answered once, and stops", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    const payload = { method: "test.scan", operation_id: await rpc.operation() };
    rpc.send({ id: "scan", op: "rpc/call", payload });
    await rpc.find(({ op }) => op === "event/progress");
    rpc.send({ id: "stop", op: "rpc/cancel", payload: { call: "scan" } });
    expect((await rpc.find(({ reply_to }) => reply_to === "stop")).payload).toEqual({ ok: true, value: null });
    const answers = () => rpc.of("rpc/ret").filter(({ reply_to }) => reply_to === "scan");
    expect(answers().map((frame) => frame.payload)).toEqual([failure("cancelled")]);
    await until(() => server.transport.stats().running === 0, "the scan goes on");
    expect(answers()).toHaveLength(1);
    rpc.send({ id: "again", op: "rpc/cancel", payload: { call: "scan" } });
    expect((await rpc.find(({ reply_to }) => reply_to === "again")).payload).toEqual(failure("not_found"));
  });

  it("a call that makes no progress is given up, and one that does is not", async () => {
    const rpc = await connectRaw(await openRpcServer({ limits: { callMs: 300 } }));
    const operation = await rpc.operation();
    expect(await rpc.call("test.send", { text: "hm", wait: true }, operation)).toEqual(
      failure("timeout", expect.any(String), { retry: true }),
    );
    expect(await rpc.call("test.scan", { pages: 12, page_ms: 40 }, operation)).toMatchObject({ ok: true });
  });

  it("a call is stopped when its client disconnects", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    rpc.send({ id: "scan", op: "rpc/call", payload: { method: "test.scan", operation_id: await rpc.operation() } });
    await rpc.find(({ op }) => op === "event/progress");
    rpc.socket.terminate();
    await until(() => server.transport.stats().running === 0, "the scan goes on");
  });

  it("a call with an id that is in use does not disturb the call that uses it", async () => {
    const rpc = await connectRaw(await openRpcServer());
    const operation_id = await rpc.operation();
    rpc.send({ id: "twin", op: "rpc/call", payload: { method: "test.scan", args: { pages: 20 }, operation_id } });
    rpc.send({ id: "twin", op: "rpc/call", payload: { method: "rpc.ping" } });
    const refused = await rpc.find(({ op, reply_to }) => op === "rpc/ret" && reply_to === null);
    expect(refused.payload).toEqual(failure("invalid", expect.stringContaining('"twin"')));
    const answer = await rpc.find(({ op, reply_to }) => op === "rpc/ret" && reply_to === "twin");
    expect(answer.payload).toEqual({ ok: true, value: { scanned: 2_000 } });
  });

  it("a call is refused while the maximum is running, cancelled calls that go on included", async () => {
    const rpc = await connectRaw(await openRpcServer({ limits: { concurrentCalls: 2 } }));
    const operation_id = await rpc.operation();
    const payload = { method: "test.send", args: { text: "", wait: true }, operation_id };
    rpc.send({ id: "stuck", op: "rpc/call", payload });
    rpc.send({ id: "cancel", op: "rpc/cancel", payload: { call: "stuck" } });
    await rpc.find(({ reply_to }) => reply_to === "stuck");
    expect(await rpc.call("rpc.ping")).toMatchObject({ ok: true });
    rpc.send({ id: "stuck-2", op: "rpc/call", payload });
    expect(await rpc.call("rpc.ping")).toMatchObject(failure("rate_limited"));
  });

  it("a call beyond the client's rate limit is told when to try again, on every connection of the client", async () => {
    const server = await openRpcServer({ limits: { framesPerSecond: 0.01, burst: 3 } });
    const rpc = await connectRaw(server);
    const twin = await connectRaw(server);
    const other = await connectRaw(server, "other");
    for (let count = 0; count < 3; count += 1) expect(await rpc.call("rpc.ping")).toMatchObject({ ok: true });
    for (const { call } of [rpc, twin]) {
      expect(await call("rpc.ping")).toEqual({
        ok: false,
        error: {
          code: "rate_limited",
          message: expect.any(String),
          retry: true,
          retry_after: expect.closeTo(100, -1),
        },
      });
    }
    expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
  });

  it("a large frame counts several times against the rate limit", async () => {
    const rpc = await connectRaw(await openRpcServer({ limits: { framesPerSecond: 0.01, burst: 210 } }));
    const operation = await rpc.operation();
    const text = "x".repeat(99_000);
    for (let count = 0; count < 8; count += 1) await rpc.call("test.echo", { text }, operation);
    rpc.send({
      id: "ninth",
      op: "rpc/call",
      payload: { method: "test.echo", args: { text }, operation_id: operation },
    });
    const refused = await rpc.find(({ op, reply_to }) => op === "rpc/ret" && reply_to === null);
    expect(refused.payload).toMatchObject(failure("rate_limited"));
  });
});

describe("rpc.describe", () => {
  it("rpc.describe lists what the client may call, and nothing else", async () => {
    const server = await openRpcServer({ grant: (name) => (name === "reader" ? { scopes: ["context:search"] } : {}) });
    const named = async (name: string) => {
      const answer = await (await connectRaw(server, name)).call("rpc.describe");
      if (!answer.ok) throw new Error("not described");
      return (answer.value as { methods: { name: string }[] }).methods.map((method) => method.name);
    };
    const own = ["rpc.ping", "rpc.describe", "operation.open", "operation.narrow", "operation.show"];
    expect(await named("reader")).toEqual([...own, "privacy.show", "test.scan"]);
    expect(await named("brain")).toEqual([
      ...own,
      "agent.ask",
      "privacy.show",
      "test.echo",
      "test.send",
      "test.fail",
      "test.scan",
    ]);
  });
});
