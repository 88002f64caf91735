import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ConnectOptions, connectEarshot, type EarshotClient, type EarshotEvent } from "../../src/client/index.ts";
import { until } from "../support/edge.ts";
import { openRpcServer, type RpcServer, type RpcServerOptions } from "../support/rpc-server.ts";

const IMPATIENT = { firstWaitMs: 10, longestWaitMs: 50 };

async function connect(server: Pick<RpcServer, "url" | "token">, options: Partial<ConnectOptions> = {}) {
  const client = await connectEarshot({ url: server.url, token: server.token(), ...IMPATIENT, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function operation(client: EarshotClient): Promise<string> {
  return (await client.call("operation.open", { actor: "400", channel_id: "200" })).operation_id;
}

/** Takes events as they come. */
function collect(client: EarshotClient) {
  const events: EarshotEvent[] = [];
  const ended = (async () => {
    for await (const event of client.events()) events.push(event);
  })();
  const said = () => events.map((event) => (event.name === "discord.message" ? event.payload.content : event.name));
  return { events, ended, said };
}

/** A line that can be cut, silenced and restored while the server goes on. */
async function openCable(server: RpcServer) {
  const sockets = new Set<Socket>();
  let isDown = false;
  const cable = createServer((near) => {
    if (isDown) {
      near.destroy();
      return;
    }
    const far = connectSocket(server.port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  cable.listen(0, "127.0.0.1");
  await once(cable, "listening");
  onTestFinished(() => void cable.close());
  return {
    url: `ws://127.0.0.1:${(cable.address() as AddressInfo).port}/rpc`,
    token: server.token,
    cut() {
      isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isDown = false;
    },
    /** Nothing passes any more, and nobody is told. */
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
  };
}

describe("the client", () => {
  it("the client calls methods, typed by name, and knows its own name", async () => {
    const client = await connect(await openRpcServer());
    const { pong } = await client.call("rpc.ping", {});
    expect(pong).toBe(true);
    const { methods } = await client.call("rpc.describe", {});
    expect(methods.map(({ name }) => name).sort()).toEqual(Object.keys(client.methods).sort());
    expect(client.name).toBe("brain");
    expect(client.methods["test.send"]).toBe("send");
    const operationId = await operation(client);
    expect(await client.request("test/echo", { text: "ahoy" }, { operationId })).toMatchObject({
      value: { text: "ahoy" },
    });
  });

  it("the client throws what the server refuses, with its code and when to try again", async () => {
    const client = await connect(await openRpcServer({ limits: { framesPerSecond: 0.01, burst: 1 } }));
    await expect(client.request("test.nonesuch", {})).rejects.toMatchObject({
      name: "EarshotError",
      code: "not_found",
    });
    await expect(client.call("rpc.ping", {})).rejects.toMatchObject({
      code: "rate_limited",
      retryAfter: expect.any(Number),
    });
  });

  it("the client fails at once when there is no server, or the token is wrong", async () => {
    const server = await openRpcServer();
    const unreachable = { code: "unavailable", message: expect.not.stringContaining("nobody") };
    await expect(connectEarshot({ url: server.url, token: "nobody" })).rejects.toMatchObject(unreachable);
    await server.close();
    await expect(connectEarshot({ url: server.url, token: server.token() })).rejects.toMatchObject(unreachable);
    await expect(connectEarshot({ url: "http://127.0.0.1", token: "x" })).rejects.toMatchObject({ code: "invalid" });
    await expect(connectEarshot({ url: server.url, token: "two words" })).rejects.toMatchObject({ code: "invalid" });
  });

  it("the client gives up on a server that never says hello", async () => {
    const mute = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
    await once(mute, "listening");
    onTestFinished(() => void mute.close());
    const url = `ws://127.0.0.1:${(mute.address() as AddressInfo).port}/rpc`;
    await expect(connectEarshot({ url, token: "x", connectTimeoutMs: 50 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("the client gives up a call after its timeout, and cancels it on the server", async () => {
    const server = await openRpcServer();
    const client = await connect(server);
    const operationId = await operation(client);
    await expect(client.request("test.scan", {}, { operationId, timeoutMs: 50 })).rejects.toMatchObject({
      code: "timeout",
    });
    await until(() => server.transport.stats().running === 0, "the scan goes on");
  });

  it("the client hands out events that came before they were asked for, each once, until it is closed", async () => {
    const server = await openRpcServer();
    const client = await connect(server);
    server.say("one");
    server.say("@bot two");
    await client.call("rpc.ping", {});
    for await (const event of client.events()) {
      expect(event).toMatchObject({ name: "discord.message", payload: { content: "one" }, operationId: null });
      break;
    }
    const { events, ended, said } = collect(client);
    server.say("three");
    await until(() => events.length === 2, "not all events came");
    expect(said()).toEqual(["@bot two", "three"]);
    expect(
      await client.request("test.echo", { text: "" }, { operationId: events[0]?.operationId ?? "" }),
    ).toMatchObject({
      value: { text: "" },
    });
    expect(client.cursor).toBe(events[1]?.cursor);
    await client.close();
    await ended;
  });

  it("the client keeps a maximum of events, and hands out a gap where some are missing", async () => {
    const server = await openRpcServer();
    const client = await connect(server, { eventBuffer: 3 });
    for (let count = 1; count <= 9; count += 1) server.say(String(count));
    await client.call("rpc.ping", {});
    const { events, said } = collect(client);
    await until(() => events.length === 4, "not all events came");
    server.say("10");
    await until(() => events.length === 5, "not all events came");
    expect(said()).toEqual(["1", "2", "3", "gap", "10"]);
    expect(events[3]?.payload).toMatchObject({ from_cursor: events[2]?.cursor, reason: "slow_reader" });
  });

  it("the client rejects running calls when it is closed", async () => {
    const client = await connect(await openRpcServer());
    const operationId = await operation(client);
    const scan = client.request("test.scan", {}, { operationId });
    const closing = client.close();
    await expect(scan).rejects.toMatchObject({ code: "cancelled" });
    await closing;
    await expect(client.call("rpc.ping", {})).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("the client, after a lost connection", () => {
  it("the client reconnects after a lost connection and misses nothing", async () => {
    const server = await openRpcServer();
    const cable = await openCable(server);
    const client = await connect(cable);
    const { said } = collect(client);
    server.say("one");
    await until(() => said().length === 1, "one was not heard");
    cable.cut();
    await until(() => server.transport.stats().connections === 0, "still connected");
    server.say("two");
    cable.mend();
    await until(() => said().length === 2, "two was not heard");
    server.say("three");
    await until(() => said().length === 3, "three was not heard");
    expect(said()).toEqual(["one", "two", "three"]);
  });

  it("the client that does not reconnect ends with its connection, and says so to every call", async () => {
    const server = await openRpcServer();
    const cable = await openCable(server);
    const client = await connect(cable, { reconnects: false });
    const { ended } = collect(client);
    cable.freeze();
    const waiting = client.call("rpc.ping", {});
    cable.cut();
    const lost = { code: "unavailable", message: expect.stringContaining("The connection to Earshot was lost") };
    await expect(waiting).rejects.toMatchObject(lost);
    await expect(client.call("rpc.ping", {})).rejects.toMatchObject(lost);
    await ended;
  });

  it("the client repeats calls that only read or carry a key, and never one that would be sent twice", async () => {
    const server = await openRpcServer({ limits: { callMs: 2_000 } });
    const cable = await openCable(server);
    const client = await connect(cable);
    const operationId = await operation(client);
    const outcome = (call: Promise<unknown>) =>
      call.then(
        () => "done",
        (error: { code: string }) => error.code,
      );
    const read = outcome(client.request("test.scan", { pages: 3, page_ms: 100 }, { operationId }));
    const keyed = outcome(client.request("test.send", { text: "keyed", key: "k", wait: true }, { operationId }));
    const plain = outcome(client.request("test.send", { text: "plain", wait: true }, { operationId }));
    await until(() => server.sent.length === 2, "not sent");
    cable.cut();
    expect(await plain).toBe("unavailable");
    const late = outcome(client.call("rpc.ping", {}));
    cable.mend();
    expect(await late).toBe("done");
    expect(await read).toBe("done");
    expect(await keyed).toBe("timeout");
    expect(server.sent).toEqual(["keyed", "plain"]);
  });

  it("the client waits longer before each reconnect, with jitter, up to a maximum", async () => {
    const server = await openRpcServer();
    const cable = await openCable(server);
    let asked = 0;
    const random = () => {
      asked += 1;
      return 0.01;
    };
    const client = await connect(cable, { random, firstWaitMs: 100, longestWaitMs: 1_000 });
    cable.cut();
    await until(() => asked >= 8, "it does not try again");
    cable.mend();
    expect(await client.call("rpc.ping", {})).toEqual({ pong: true });
  });

  it("the client notices a connection that has gone silent", async () => {
    const server = await openRpcServer({ limits: { heartbeatMs: 500 }, heartbeats: "timed" });
    const cable = await openCable(server);
    const client = await connect(cable);
    const { said } = collect(client);
    cable.freeze();
    server.say("while frozen");
    await until(() => said().includes("while frozen"), "it waits for ever");
    expect(await client.call("rpc.ping", {})).toEqual({ pong: true });
  });

  it("the client lets a call time out while there is no connection", async () => {
    const cable = await openCable(await openRpcServer());
    const client = await connect(cable);
    cable.cut();
    await expect(client.call("rpc.ping", {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("the client, when the server is restarted", () => {
  it("the client connects to a restarted server, and is sent a gap", async () => {
    const server = await openRpcServer();
    const client = await connect(server);
    const { events, said } = collect(client);
    server.say("before");
    await until(() => said().length === 1, "nothing was heard");
    const { cursor } = client;
    await server.close();
    const waiting = client.call("rpc.ping", {});
    const options: RpcServerOptions = { port: server.port };
    const next = await openRpcServer(options);
    expect(await waiting).toEqual({ pong: true });
    next.say("after");
    await until(() => said().length === 3, "nothing more was heard");
    expect(said()).toEqual(["before", "gap", "after"]);
    expect(events[1]?.payload).toMatchObject({ from_cursor: cursor, reason: "unknown_cursor" });
  });
});
