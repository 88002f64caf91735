import { describe, expect, it } from "vitest";
import { AGENT } from "../../src/agent/agent-grant.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const BRAIN = { name: "brain", grant: OPERATOR_GRANT };

interface Outcome {
  readonly code: string;
  readonly message_id?: string;
  readonly confirmationId?: string | undefined;
}

/** Sarah asks in #general, and what Mark said there is read. */
async function arrive({ client = BRAIN, hasMessage = true } = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const test = await openTestGate(sandbox);
  const { botId } = test.edge.discord;
  const id = (key: string) => (sandbox.community.channels.get(key) ?? key) as ChannelId;
  const other = sandbox.as("mark").say("general", "the crane is red").id as MessageId;
  const asking = sandbox.as("sarah").say("general", "what is new?").id as MessageId;
  await test.edge.find("message", ({ message }) => message.message_id === asking);
  const sarah = sandbox.as("sarah").id as UserId;
  const request = { actor: sarah, channelId: id("general"), ...(hasMessage && { messageId: asking }) };
  const operation = await test.operations.open(client, request);
  const within = (given: Operation) => (name: string, args: object) =>
    test.gate.callTool({ name, args, operation: given, wantsText: true }).then(
      ({ value }): Outcome => ({ code: "done", ...(value as { message_id?: string }) }),
      ({ code, confirmationId }: Outcome): Outcome => ({ code, confirmationId }),
    );
  const call = within(operation);
  const read = () => call("get_recent_messages", { channel: id("general") });
  const said = () =>
    [...(sandbox.world.channels.get(id("general"))?.messages ?? [])]
      .filter(({ authorId }) => authorId === botId)
      .map(({ content, more }) => [content, more?.reference?.messageId ?? null]);
  const threads = () => [...sandbox.world.channels.values()].filter(({ parentId }) => parentId === id("general"));
  const confirm = (confirmationId: string | undefined) => test.gate.confirm(confirmationId ?? "", sarah);
  return { ...test, id, call, within, read, said, threads, asking, other, operation, confirm, sarah };
}

const WAITS = { code: "confirmation_needed" };

describe("where it was asked, a client", () => {
  it("answers the message that asked, also when it does not say so, and changes its answer, without a confirmation", async () => {
    const { call, read, said, asking, id } = await arrive();
    await read();
    expect(await call("discord.send", { channel: id("general"), text: "a crane", reply_to: asking })).toMatchObject({
      code: "done",
    });
    const { message_id, code } = await call("discord.send", { channel: "general", text: "a red crane" });
    expect(code).toBe("done");
    expect(said()).toEqual([
      ["a crane", asking],
      ["a red crane", asking],
    ]);
    const own = { message_id, channel: id("general") };
    expect(await call("discord.edit", { ...own, text: "a green crane" })).toMatchObject({ code: "done" });
    expect(await call("discord.react", { message_id: asking, channel: "general", emoji: "👍" })).toMatchObject({
      code: "done",
    });
    expect(await call("discord.typing", { channel: "general" })).toMatchObject({ code: "done" });
    expect(await call("discord.delete", own)).toMatchObject({ code: "done" });
    expect(said()).toEqual([["a crane", asking]]);
  });

  it("replies to another message, starts a thread or reacts to another message only once the person has confirmed it", async () => {
    const { call, read, said, threads, other, id } = await arrive();
    await read();
    const channel = id("general");
    expect(await call("discord.send", { channel, text: "indeed", reply_to: other })).toMatchObject(WAITS);
    expect(await call("discord.thread.create", { channel, name: "crane", text: "more" })).toMatchObject(WAITS);
    expect(await call("discord.thread.create", { channel, name: "c", text: "m", message_id: other })).toMatchObject(
      WAITS,
    );
    expect(await call("discord.react", { channel, message_id: other, emoji: "👍" })).toMatchObject(WAITS);
    expect([said(), threads()]).toEqual([[], []]);
  });

  it("changes what the person confirmed only with another confirmation", async () => {
    const { call, read, said, other, confirm, id } = await arrive();
    await read();
    const send = { channel: id("general"), text: "indeed", reply_to: other };
    await confirm((await call("discord.send", send)).confirmationId);
    const { message_id } = await call("discord.send", send);
    const own = { message_id, channel: id("general") };
    expect(await call("discord.edit", { ...own, text: "certainly not" })).toMatchObject(WAITS);
    expect(await call("discord.delete", own)).toMatchObject(WAITS);
    expect(said()).toEqual([["indeed", other]]);
  });

  it("cannot have what the person confirmed left out by sending something else under its id", async () => {
    const { call, read, said, other, asking, confirm, id } = await arrive();
    await read();
    const send = { channel: id("general"), text: "indeed", reply_to: other };
    const { confirmationId } = await call("discord.send", send);
    await call("discord.send", { channel: id("general"), text: "a crane", key: confirmationId });
    await confirm(confirmationId);
    expect(said()).toEqual([
      ["a crane", asking],
      ["indeed", other],
    ]);
  });

  it("does no more than five things besides its answer, reactions to the message that asked included, also at once", async () => {
    const { call, id, asking, said } = await arrive();
    const channel = id("general");
    const acts = [..."😀😁😂😃"].map((emoji) => call("discord.react", { channel, message_id: asking, emoji }));
    for (let count = 1; count <= 4; count += 1)
      acts.push(call("discord.send", { channel: id("pier"), text: `wave ${count}` }));
    const codes = (await Promise.all(acts)).map(({ code }) => code).sort();
    expect(codes).toEqual([...Array(5).fill("done"), ...Array(3).fill("rate_limited")]);
    expect(await call("discord.send", { channel, text: "still an answer" })).toMatchObject({ code: "done" });
    expect(said()).toHaveLength(1);
  });

  it("changes the answer of an earlier request only with a confirmation", async () => {
    const { call, read, within, operations, operation, id, said, asking } = await arrive();
    const { message_id } = await call("discord.send", { channel: "general", text: "a crane" });
    await read();
    const { actor, origin, client } = operation;
    const later = within(await operations.open(client, { actor, channelId: origin.channelId, messageId: asking }));
    await later("get_recent_messages", { channel: id("general") });
    expect(await later("discord.edit", { message_id, channel: "general", text: "a red crane" })).toMatchObject(WAITS);
    expect(said()).toEqual([["a crane", asking]]);
  });

  it("may say something that replies to nothing where no message asked, and nothing else", async () => {
    const { call, read, said, other, id } = await arrive({ hasMessage: false });
    await read();
    expect(await call("discord.send", { channel: id("general"), text: "the news" })).toMatchObject({ code: "done" });
    expect(await call("discord.send", { channel: id("general"), text: "indeed", reply_to: other })).toMatchObject(
      WAITS,
    );
    expect(said()).toEqual([["the news", null]]);
  });

  it("answers in the person's direct messages once the answer is for them alone", async () => {
    const { sandbox, call, read, operations, operation, edge, id, said } = await arrive();
    const { channelId: dm } = sandbox.as("sarah").dm("hello");
    await edge.find("message", ({ message }) => message.channel_id === dm);
    await read();
    operations.narrow(operation);
    expect(await call("discord.send", { channel: dm, text: "a crane" })).toMatchObject({ code: "done" });
    expect(await call("discord.send", { channel: id("general"), text: "a crane" })).toMatchObject(WAITS);
    expect(said()).toEqual([]);
  });
});

it("what the agent's model sends by a tool is no answer, however it names the channel", async () => {
  const { call, read, said, threads, asking, id } = await arrive({ client: AGENT });
  await read();
  for (const channel of [id("general"), "general", "#general", `<#${id("general")}>`, "m1"]) {
    const answered = await call("discord.send", { channel, text: `crane in ${channel}`, reply_to: asking });
    expect([channel, answered.code]).toEqual([channel, "confirmation_needed"]);
  }
  expect(await call("discord.thread.create", { channel: "general", name: "crane", text: "more" })).toMatchObject({
    code: "rate_limited",
  });
  expect([said(), threads()]).toEqual([[], []]);
});

describe("besides the answer", () => {
  it("no more than five things are done for one request", async () => {
    const { call, said, other, asking, id } = await arrive();
    const channel = id("pier");
    // Nothing was read, so nothing needs a confirmation.
    const sends = Array.from({ length: 7 }, (_, count) => call("discord.send", { channel, text: `hello ${count}` }));
    const codes = (await Promise.all(sends)).map(({ code }) => code);
    expect(codes.filter((code) => code === "done")).toHaveLength(5);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(2);
    expect(await call("discord.react", { channel: "general", message_id: other, emoji: "👍" })).toMatchObject({
      code: "rate_limited",
    });
    expect(await call("discord.thread.create", { channel: "general", name: "a", text: "b" })).toMatchObject({
      code: "rate_limited",
    });
    expect(await call("discord.send", { channel: "general", text: "that is all" })).toMatchObject({ code: "done" });
    expect(said()).toEqual([["that is all", asking]]);
  });

  it("a repetition of what was done is told what became of it", async () => {
    const { call, id } = await arrive();
    const send = (key: string) => call("discord.send", { channel: id("pier"), text: `hello ${key}`, key });
    const done = [];
    for (const key of ["a", "b", "c", "d", "e"]) done.push(await send(key));
    expect(await send("e")).toEqual(done[4]);
    expect(await send("f")).toMatchObject({ code: "rate_limited" });
  });

  it("nobody is asked to confirm a sixth", async () => {
    const { call, read, confirm, gate, sarah, id } = await arrive();
    await read();
    for (let count = 0; count < 5; count += 1)
      await confirm((await call("discord.send", { channel: id("pier"), text: `hello ${count}` })).confirmationId);
    expect(await call("discord.send", { channel: id("pier"), text: "hello 5" })).toMatchObject({
      code: "rate_limited",
    });
    expect(gate.confirmations.pending(sarah)).toEqual([]);
    // What became of the others is told all the same.
    expect(await call("discord.send", { channel: id("pier"), text: "hello 4" })).toMatchObject({ code: "done" });
  });
});
