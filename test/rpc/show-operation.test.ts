import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const rpc = await openFullRpc(sandbox);
  const id = (who: string) => sandbox.as(who).id as UserId;
  const channel = (key: string) => sandbox.community.channels.get(key) ?? key;
  const connect = async (name = "brain", grant: Partial<Grant> = {}) => {
    const token = rpc.token(name, { events: "none", ...grant });
    const client = await connectEarshot({ url: rpc.url, token });
    onTestFinished(() => client.close());
    const open = async (who: string, more: { channel_id: string } | { private: true }) =>
      (await client.call("operation.open", { actor: id(who), ...more })).operation_id;
    return { client, open, show: (operation_id: string) => client.call("operation.show", { operation_id }) };
  };
  return { sandbox, rpc, id, channel, connect };
}

const NOTHING = { message: 0, channel: 0, server: 0, fact: 0, document: 0, profile: 0 };

describe("operation.show", () => {
  it("tells what was read, what waits and what was done within an operation, and until when it lasts", async () => {
    const { sandbox, id, channel, connect } = await arrive();
    const said = sandbox.as("mark").say("general", "the tide table says 14:10");
    const { client, open, show } = await connect();
    const channel_id = channel("general");
    const opened = await client.call("operation.open", { actor: id("sarah"), channel_id });
    const { operation_id: operationId, expires_at } = opened;
    const empty = { counts: NOTHING, sources: [] };
    const before = { actor: id("sarah"), private: false, expires_at, read: empty, waiting: [], done: [] };
    expect(await show(operationId)).toEqual(before);
    const text = "hello";
    const started = await client.call(
      "discord.thread.create",
      { channel: channel_id, name: "Tides", text },
      { operationId },
    );
    await client.call("search_messages", { query: "tide table" }, { operationId });
    const waiting = client.call("discord.send", { channel: channel_id, text, reply_to: said.id }, { operationId });
    const asked = await waiting.catch((error) => error);
    expect(asked).toMatchObject({ code: "confirmation_needed" });
    const source = { kind: "message", id: said.id, channel_id };
    const after = await show(operationId);
    expect(after.read.sources).toContainEqual(source);
    expect(after.read.counts.message).toBe(after.read.sources.filter(({ kind }) => kind === "message").length);
    expect(after.waiting).toEqual([
      {
        ...{ confirmation_id: asked.confirmationId, tool: "discord.send", action: "send" },
        ...{ channel_id, expires_at: expect.any(String) },
      },
    ]);
    expect(after.done).toEqual([{ action: "thread", channel_id: started.thread_id, message_id: started.message_id }]);
    expect(await show(await open("sarah", { channel_id }))).toMatchObject({ read: empty, waiting: [], done: [] });
  });

  it("knows no operation of another client, none that was made up and none that is over, all in the same words", async () => {
    const { channel, connect, rpc } = await arrive();
    const { open, show } = await connect();
    const other = await connect("other");
    const foreign = await other.open("sarah", { channel_id: channel("general") });
    const over = await open("sarah", { private: true });
    rpc.operations.endOf(["brain"]);
    const problems = await Promise.all(
      [foreign, "made-up", over].map((one) => show(one).catch(({ code, message }) => `${code}: ${message}`)),
    );
    expect(new Set(problems)).toEqual(new Set(["not_found: There is no such operation, or it has expired."]));
    expect(await other.show(foreign)).toMatchObject({ done: [] });
  });

  it("is the same whether or not something was withheld", async () => {
    const { sandbox, rpc, id, channel, connect } = await arrive();
    const { client, open, show } = await connect();
    const look = async () => {
      const operationId = await open("sarah", { channel_id: channel("general") });
      await client.call("search_messages", { query: "third buoy" }, { operationId });
      const hidden = client.call("discord.channel.messages", { channel: channel("staff-room") }, { operationId });
      await expect(hidden).rejects.toMatchObject({ code: "not_found" });
      const { expires_at: _, ...shown } = await show(operationId);
      return shown;
    };
    const without = await look();
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    rpc.consent.set(id("mark"), true);
    sandbox.as("mark").say("general", "the third buoy is green");
    expect(await look()).toEqual(without);
    expect(JSON.stringify(without)).not.toContain(channel("staff-room"));
  });

  it("no longer tells of what was said by somebody who is left out since, or where the person may no longer look", async () => {
    const { sandbox, rpc, id, channel, connect } = await arrive();
    sandbox.as("mark").say("general", "the third buoy is green");
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    const { client, open, show } = await connect();
    const operationId = await open("mei", { private: true });
    for (const key of ["general", "staff-room"])
      await client.call("discord.channel.messages", { channel: channel(key), limit: 1 }, { operationId });
    expect((await show(operationId)).read.counts).toMatchObject({ message: 2 });
    rpc.consent.set(id("mark"), true);
    expect((await show(operationId)).read.counts).toMatchObject({ message: 1 });
    sandbox.admin.setOverwrite("staff-room", "helper", { deny: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:mei", { deny: ["ViewChannel"] });
    const { id: marker } = sandbox.as("olga").dm("settled?");
    await rpc.edge.find("message", ({ message }) => message.message_id === marker);
    const general = { kind: "channel", id: channel("general"), channel_id: null };
    expect((await show(operationId)).read).toEqual({ counts: { ...NOTHING, channel: 1 }, sources: [general] });
  });

  it("tells a confined client of the operation alone, not of all that it has read", async () => {
    const { sandbox, channel, connect } = await arrive();
    sandbox.as("mark").say("general", "the third buoy is green");
    const { client, open, show } = await connect("confined", { confined: true });
    const first = await open("sarah", { private: true });
    await client.call("discord.channel.messages", { channel: channel("general"), limit: 1 }, { operationId: first });
    expect((await show(first)).read.counts).toMatchObject({ message: 1 });
    expect((await show(await open("sarah", { private: true }))).read.counts).toEqual(NOTHING);
  });
});
