import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const rpc = await openFullRpc(sandbox);
  const id = (who: string) => sandbox.as(who).id as UserId;
  const connect = async (actors: Grant["actors"], grant: Partial<Grant> = {}, name = "brain") => {
    const token = rpc.token(name, { actors, events: "none", ...grant });
    const client = await connectEarshot({ url: rpc.url, token });
    onTestFinished(() => client.close());
    return client;
  };
  const opened = () => rpc.audited.flatMap(({ kind, row }) => (kind === "operation" ? [row] : []));
  const isOpen = (operationId: string) => {
    try {
      return rpc.operations.find(operationId, { name: "brain", grant: OPERATOR_GRANT }) !== undefined;
    } catch {
      return false;
    }
  };
  return { sandbox, rpc, id, connect, opened, isOpen };
}

const place = (sandbox: Awaited<ReturnType<typeof openTestSandbox>>, key: string) =>
  sandbox.community.channels.get(key) ?? key;

describe("a tool that reads, called without an operation", () => {
  it("is a private operation of its own for the one person of the grant, and over with the answer", async () => {
    const { sandbox, id, connect, opened, isOpen } = await arrive();
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    const client = await connect([id("mei")]);
    const found = await client.call("search_messages", { query: "third buoy" });
    expect(found.hits.map(({ message }) => message.content)).toEqual(["the spare key lies under the third buoy"]);
    await expect(client.call("get_recent_messages", { channel: "no such place" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(client.request("search_messages", { limit: "many" })).rejects.toMatchObject({ code: "invalid" });
    expect(opened()).toMatchObject(
      Array.from({ length: 3 }, () => ({ client: "brain", actor_id: id("mei"), destination: "actor" })),
    );
    expect(new Set(opened().map((row) => row.id)).size).toBe(3);
    expect(opened().map((row) => isOpen(row.id))).toEqual([false, false, false]);
  });

  it("is refused to a client that answers others as well, who may have left out whose question it is about", async () => {
    const { sandbox, id, connect, opened } = await arrive();
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    const client = await connect([id("mei")], { answers: true, events: "addressed" });
    await expect(client.call("search_messages", { query: "third buoy" })).rejects.toMatchObject({ code: "invalid" });
    expect(opened()).toEqual([]);
  });

  it("reads no more than an explicit private operation would", async () => {
    const { sandbox, id, connect } = await arrive();
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    const client = await connect([id("sarah")]);
    const { operation_id: operationId } = await client.call("operation.open", { actor: id("sarah"), private: true });
    const args = { channel: place(sandbox, "staff-room") };
    const outcomes = [{}, { operationId }].map((options) =>
      client.call("discord.channel.messages", args, options).catch(({ code, message }) => ({ code, message })),
    );
    const [without, within] = await Promise.all(outcomes);
    expect(without).toMatchObject({ code: "not_found" });
    expect(without).toEqual(within);
    expect(await client.call("search_messages", { query: "third buoy" })).toMatchObject({ hits: [] });
  });

  it("limits what a confined client says later, as if it had been read in an explicit operation", async () => {
    const { sandbox, id, connect } = await arrive();
    sandbox.as("mei").say("staff-room", "the spare key lies under the third buoy");
    const say = async (client: Awaited<ReturnType<typeof connect>>) => {
      const where = { actor: id("mei"), channel_id: place(sandbox, "general") };
      const { operation_id: operationId } = await client.call("operation.open", where);
      const said = client.call("discord.send", { channel: where.channel_id, text: "hello" }, { operationId });
      return said.then(
        () => "sent",
        ({ code }) => code,
      );
    };
    const confined = await connect([id("mei")], { confined: true }, "confined");
    expect(await say(confined)).toBe("sent");
    await confined.call("search_messages", { query: "third buoy" });
    expect(await say(confined)).toBe("forbidden");
    const free = await connect([id("mei")]);
    await free.call("search_messages", { query: "third buoy" });
    expect(await say(free)).toBe("sent");
  });

  it("is refused with what to do for a client that may act for several people, anyone or nobody", async () => {
    const { id, connect, opened } = await arrive();
    const refusal = {
      code: "invalid",
      message: expect.stringMatching(/^operation_id: .*operation\.open.*names one person and nobody else in `actors`/),
    };
    for (const actors of ["anyone" as const, [id("sarah"), id("mark")], [id("sarah"), id("sarah")], []]) {
      const client = await connect(actors, {}, `of-${actors.length}`);
      await expect(client.call("search_messages", { query: "buoy" })).rejects.toMatchObject(refusal);
    }
    expect(opened()).toEqual([]);
  });

  it("is no way to do something: an effect needs an operation that was opened for it", async () => {
    const { sandbox, id, connect, opened, rpc } = await arrive();
    const client = await connect([id("sarah")]);
    const channel = place(sandbox, "general");
    const effects = rpc.gate.tools.filter(({ effect }) => effect !== "read");
    expect(effects.map(({ name }) => name)).toContain("memory_write.remember_fact");
    for (const { name } of effects)
      await expect(client.request(name, { channel, text: "hello" }), name).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringMatching(`^operation_id: ${name} .*operation.open.*Only tools that read`),
      });
    expect(opened()).toEqual([]);
  });
});

describe("the direct messages of the one person of a grant", () => {
  it("are read and searched by that client, where its grant has `directMessages`", async () => {
    const { sandbox, id, connect } = await arrive();
    sandbox.as("sarah").dm("the lock number is on the yellow card");
    const client = await connect([id("sarah")], { directMessages: true });
    const contents = (read: { messages: readonly { content: string }[] }) => read.messages.map((one) => one.content);
    expect(contents(await client.call("discord.dm.messages", {}))).toContain("the lock number is on the yellow card");
    const { operation_id: operationId } = await client.call("operation.open", { actor: id("sarah"), private: true });
    expect(contents(await client.call("discord.dm.messages", {}, { operationId }))).toHaveLength(1);
    const found = await client.call("search_messages", { query: "yellow card" }, { operationId });
    expect(found.hits.map(({ message }) => message.content)).toEqual(["the lock number is on the yellow card"]);
    const text = "hello";
    const channel = place(sandbox, "general");
    await expect(client.call("discord.send", { channel, text }, { operationId })).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("are nobody else's, and for no other client", async () => {
    const { sandbox, id, connect, rpc } = await arrive();
    const { channelId: letters } = sandbox.as("mark").dm("mine alone");
    sandbox.as("sarah").dm("the lock number is on the yellow card");
    const own = await connect([id("sarah")], { directMessages: true });
    const codes = (calls: Promise<unknown>[]) => Promise.all(calls.map((one) => one.catch(({ code }) => code)));
    expect(
      await codes([
        own.call("discord.dm.messages", { user_id: id("mark") }),
        own.call("discord.channel.messages", { channel: letters }),
      ]),
    ).toEqual(["not_found", "not_found"]);
    expect(await own.call("search_messages", { query: "mine alone" })).toMatchObject({ hits: [] });
    const without = await connect([id("sarah")], { directMessages: false }, "without");
    expect(await codes([without.call("discord.dm.messages", {})])).toEqual(["forbidden"]);
    expect(await without.call("search_messages", { query: "yellow card" })).toMatchObject({ hits: [] });
    for (const actors of ["anyone" as const, [id("sarah"), id("mark")]]) {
      const several = await connect(actors, { directMessages: true }, `of-${actors.length}`);
      const { operation_id: operationId } = await several.call("operation.open", { actor: id("sarah"), private: true });
      expect(await codes([several.call("discord.dm.messages", {}, { operationId })])).toEqual(["not_found"]);
      const found = await several.call("search_messages", { query: "yellow card" }, { operationId });
      expect(found.hits).toEqual([]);
    }
    expect(rpc.edge.discord.directory.channel(letters as ChannelId)).toMatchObject({ kind: "dm" });
  });

  it("stay out of what will be repeated in a channel, and out of public answers", async () => {
    const { sandbox, id, connect } = await arrive();
    sandbox.as("sarah").dm("the lock number is on the yellow card");
    const client = await connect([id("sarah")], { directMessages: true });
    const channel_id = place(sandbox, "general");
    const query = "yellow card";
    expect(await client.call("search_messages", { query, for: channel_id })).toMatchObject({ hits: [] });
    const { operation_id: operationId } = await client.call("operation.open", { actor: id("sarah"), channel_id });
    expect(await client.call("search_messages", { query }, { operationId })).toMatchObject({ hits: [] });
    await expect(client.call("discord.dm.messages", {}, { operationId })).rejects.toMatchObject({ code: "not_found" });
  });
});
