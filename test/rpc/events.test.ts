import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import { toTypedParts } from "../../src/domain/message.ts";
import { until } from "../support/edge.ts";
import { connectRaw, type Frame, type RawRpc } from "../support/raw-rpc.ts";
import { openRpcServer } from "../support/rpc-server.ts";

const messages = (rpc: RawRpc) => rpc.of("event/discord.message").map((frame) => frame.payload as Message);
const said = (rpc: RawRpc) => messages(rpc).map(({ content }) => content);
const hears = (rpc: RawRpc, content: string) =>
  rpc.find((frame) => frame.op === "event/discord.message" && (frame.payload as Message).content === content);
const helloCursor = (rpc: RawRpc) => rpc.of("event/hello")[0]?.cursor ?? "";
const cursors = (frames: readonly Frame[]) => frames.map(({ cursor }) => cursor);

describe("events over RPC", () => {
  it("an event reaches every client, with an operation of its own where it addresses the agent", async () => {
    const server = await openRpcServer();
    const [one, two] = [await connectRaw(server, "one"), await connectRaw(server, "two")];
    const idle = server.say("the tide turns");
    const asked = server.say("@bot when?");
    const heard = [await hears(one, "@bot when?"), await hears(two, "@bot when?")];
    expect(messages(one)).toEqual([idle, asked]);
    expect(messages(two)).toEqual([idle, asked]);
    expect(one.of("event/discord.message")[0]).not.toHaveProperty("operation_id");
    const [first, second] = heard.map(({ operation_id }) => operation_id ?? "");
    expect(first).not.toBe(second);
    expect(await one.call("test.echo", { text: "soon" }, first)).toMatchObject({ ok: true });
    expect(await two.call("test.echo", { text: "soon" }, first)).toMatchObject({ ok: false });
    expect(heard[0]?.cursor).toBe(heard[1]?.cursor);
  });

  it("an event that cannot be decided about reaches nobody, and those after it are pushed", async () => {
    let isBroken = true;
    const server = await openRpcServer({
      clientEvents: {
        mayStillPush: () => true,
        decide(event) {
          if (isBroken) throw new Error("broken");
          const heard = event.type === "message" ? { name: "discord.message", payload: event.message } : null;
          return { mayConcern: () => heard !== null, toClientEvent: () => heard };
        },
      },
    });
    const rpc = await connectRaw(server);
    server.say("lost");
    isBroken = false;
    server.say("heard");
    await hears(rpc, "heard");
    expect(said(rpc)).toEqual(["heard"]);
    expect(server.logged.join()).toContain("an event was not told");
  });
});

describe("a client that reconnects", () => {
  it("a client that reconnects is sent what it missed, in order and once", async () => {
    const server = await openRpcServer();
    const before = await connectRaw(server);
    server.say("one");
    const { cursor } = await hears(before, "one");
    before.socket.terminate();
    server.say("two");
    server.say("three");
    const after = await connectRaw(server, "brain", cursor);
    server.say("four");
    await hears(after, "four");
    expect(said(after)).toEqual(["two", "three", "four"]);
    expect(after.of("event/gap")).toEqual([]);
    expect(helloCursor(after)).toBe(cursor);
  });

  it("a client that reconnects with an unknown cursor is sent a gap", async () => {
    const server = await openRpcServer();
    server.say("before");
    const rpc = await connectRaw(server, "brain", "of-another-process");
    server.say("after");
    await hears(rpc, "after");
    expect(rpc.frames.map(({ op }) => op)).toEqual(["event/hello", "event/gap", "event/discord.message"]);
    const [, gap] = rpc.frames;
    expect(gap?.payload).toEqual({
      from_cursor: "of-another-process",
      to_cursor: helloCursor(rpc),
      reason: "unknown_cursor",
    });
  });

  it("a client that reconnects is sent a gap when more happened than is held", async () => {
    const server = await openRpcServer({ limits: { heldEvents: 5 } });
    const before = await connectRaw(server);
    before.socket.terminate();
    for (let count = 1; count <= 6; count += 1) server.say(String(count));
    const after = await connectRaw(server, "brain", helloCursor(before));
    expect((await after.find(({ op }) => op === "event/gap")).payload).toMatchObject({ reason: "unknown_cursor" });
    expect(server.transport.stats().heldEvents).toBe(5);
  });

  it("a client that was pushed nothing still gets a cursor to go on from", async () => {
    const server = await openRpcServer({ limits: { heldEvents: 5 } });
    const deaf = await connectRaw(server, "deaf");
    for (let count = 0; count < 20; count += 1) server.say("not for you");
    server.beat();
    const { cursor } = await deaf.find(({ op }) => op === "event/heartbeat");
    deaf.socket.terminate();
    server.say("@bot for you");
    const again = await connectRaw(server, "deaf", cursor);
    await hears(again, "@bot for you");
    expect(again.of("event/gap")).toEqual([]);
  });

  it("a client that reconnects is not sent deleted messages, texts before an edit, nor channels that it may no longer see", async () => {
    const server = await openRpcServer();
    const before = await connectRaw(server);
    before.socket.terminate();
    const regretted = server.say("regretted");
    const clumsy = server.say("clumsy words");
    server.say("kept");
    server.say("hidden", { channel_id: "201" as ChannelId });
    server.say("gone", { channel_id: "202" as ChannelId });
    server.say("elsewhere", { channel_id: "203" as ChannelId });
    server.emit({
      type: "message_update",
      message: { ...clumsy, content: "fine words", parts: toTypedParts("fine words") },
    });
    server.emit({ type: "message_delete", channelId: regretted.channel_id, messageIds: [regretted.message_id] });
    server.emit({ type: "access_lost", channelId: "201" as ChannelId, guildId: "300" as GuildId, lineage: [] });
    server.emit({ type: "channel_deleted", channelId: "202" as ChannelId, guildId: "300" as GuildId, lineage: [] });
    server.emit({ type: "guild_removed", guildId: "301" as GuildId, channelIds: ["203" as ChannelId] });
    const after = await connectRaw(server, "brain", helloCursor(before));
    await after.find(({ op }) => op === "event/discord.message_delete");
    expect(said(after)).toEqual(["fine words", "kept"]);
    expect(JSON.stringify(after.frames)).not.toMatch(/clumsy|regretted|hidden|gone|elsewhere/);
  });
});

describe("a cursor", () => {
  it("a cursor does not tell how much happens in places that the client may not see", async () => {
    const server = await openRpcServer();
    const deaf = await connectRaw(server, "deaf");
    server.say("@bot one");
    for (let count = 0; count < 50; count += 1) server.say("elsewhere");
    server.say("@bot two");
    await hears(deaf, "@bot two");
    const told = cursors(deaf.frames);
    expect(new Set(told).size).toBe(3);
    for (const cursor of told) expect(cursor).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a client that reads slowly", () => {
  const LONG = "x".repeat(20_000);

  /** Says so much that neither the socket nor the queue can hold it, and returns what was said. */
  async function stall(rpc: RawRpc, say: (content: string) => void, count: number): Promise<string[]> {
    rpc.socket.pause();
    const all: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const content = `${number} ${LONG}`;
      say(content);
      all.push(content);
      if (number % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  }

  it("a client that reads slowly gets everything in the end, while others are served at once", async () => {
    const server = await openRpcServer({ limits: { heldBytes: 500_000_000 } });
    const slow = await connectRaw(server, "slow");
    const quick = await connectRaw(server, "quick");
    const all = await stall(slow, server.say, 1_000);
    server.say("last");
    await hears(quick, "last");
    const { queuedBytes, queuedFrames } = server.transport.stats();
    expect(queuedBytes).toBeLessThan(400_000);
    expect(queuedFrames).toBeLessThan(256);
    slow.socket.resume();
    await hears(slow, "last");
    expect(said(slow)).toEqual([...all, "last"]);
    expect(said(quick)).toEqual(said(slow));
    expect(slow.of("event/gap")).toEqual([]);
  });

  it("a client that is too far behind is sent exactly one gap, and where to go on from", async () => {
    const server = await openRpcServer({ limits: { heldEvents: 100 } });
    const slow = await connectRaw(server, "slow");
    const all = await stall(slow, server.say, 1_000);
    slow.socket.resume();
    await hears(slow, all.at(-1) ?? "");
    server.say("last");
    await hears(slow, "last");
    const gaps = slow.of("event/gap");
    expect(gaps).toHaveLength(1);
    const at = slow.frames.findIndex(({ op }) => op === "event/gap");
    expect(gaps[0]?.payload).toEqual({
      from_cursor: slow.frames[at - 1]?.cursor,
      to_cursor: gaps[0]?.cursor,
      reason: "slow_reader",
    });
    const told = said(slow);
    expect(told).toEqual([...all.slice(0, at - 1), ...all.slice(-100), "last"]);
    expect(server.transport.stats().gaps).toBe(1);
  });

  it("a client that leaves too many answers unread is disconnected, and others are served", async () => {
    const server = await openRpcServer({ limits: { unreadBytes: 300_000 } });
    const greedy = await connectRaw(server, "greedy");
    const modest = await connectRaw(server, "modest");
    const operation_id = await greedy.operation();
    greedy.socket.pause();
    const call = { method: "test.echo", args: { text: "x", times: 1_000_000 }, operation_id };
    for (let count = 0; count < 30; count += 1) {
      greedy.send({ id: `greedy-${count}`, op: "rpc/call", payload: call });
      expect(await modest.call("rpc.ping")).toMatchObject({ ok: true });
    }
    await until(() => server.transport.stats().connections === 1, "the greedy client is still there");
    expect(await modest.call("rpc.ping")).toMatchObject({ ok: true });
    expect(server.transport.stats().queuedBytes).toBe(0);
  });

  it("a client that leaves too much unread on all of its connections together loses some, and others are served", async () => {
    const server = await openRpcServer({ limits: { unreadBytes: 1e9, unreadBytesPerClient: 20e6 } });
    const modest = await connectRaw(server, "modest");
    const call = { method: "test.echo", args: { text: "x", times: 1_000_000 } };
    for (let connection = 0; connection < 6; connection += 1) {
      const greedy = await connectRaw(server, "greedy");
      const operation_id = await greedy.operation();
      greedy.socket.pause();
      for (let count = 0; count < 20; count += 1)
        greedy.send({ id: `greedy-${count}`, op: "rpc/call", payload: { ...call, operation_id } });
    }
    await until(() => server.transport.stats().connections < 7, "all connections are still there");
    expect(await modest.call("rpc.ping")).toMatchObject({ ok: true });
    await expect.poll(() => server.transport.stats().running).toBe(0);
    expect(server.transport.stats().queuedBytes).toBeLessThan(20e6);
  });

  it("pings of a client that does not read pile up no answers", async () => {
    const server = await openRpcServer();
    const rpc = await connectRaw(server);
    rpc.socket.pause();
    for (let count = 0; count < 100_000; count += 1) {
      rpc.socket.ping("x".repeat(120));
      if (count % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const other = await connectRaw(server, "other");
    await until(() => rpc.socket.bufferedAmount === 0, "the pings were not taken");
    expect(await other.call("rpc.ping")).toMatchObject({ ok: true });
    expect(server.transport.stats().queuedBytes).toBeLessThan(300_000);
  });
});
