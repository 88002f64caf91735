import { describe, expect, it } from "vitest";
import { mentionsOf } from "../../sandbox/render/mentions.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openTestGate, type TestGateOptions } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive(options: TestGateOptions = {}) {
  /** Where the typing sign was shown. */
  const typed: string[] = [];
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse({ path, status }) {
      const [, channelId] = /channels\/(\d+)\/typing$/.exec(path) ?? [];
      if (channelId && status === 204) typed.push(channelId);
    },
  });
  const asked: Confirmation[] = [];
  const onConfirmation = (one: Confirmation) => void asked.push(one);
  const test = await openTestGate(sandbox, { onConfirmation, ...options });
  const id = (key: string) => sandbox.community.channels.get(key) ?? key;
  const within = (operation: Operation) => async (name: string, args: object) =>
    (await test.gate.callTool({ name, args, operation })).value;
  const settle = async (edge = test.edge) => {
    const { id: marker } = sandbox.as("olga").dm("settled?");
    await edge.find("message", ({ message }) => message.message_id === marker);
  };
  const text = (key: string, messageId: string) =>
    sandbox.world.channels.get(id(key))?.messages.get(messageId)?.content ?? null;
  /** Sends as Sarah, in an operation of its own. */
  const sent = async (key: string, words = "the demo is at ten") => {
    const call = within(await test.open("sarah", key));
    const { message_id } = (await call("discord.send", { channel_id: id(key), text: words })) as {
      message_id: string;
    };
    return { channel_id: id(key), message_id };
  };
  return { sandbox, ...test, asked, id, within, settle, text, sent, typed };
}

const ABSENT = { code: "not_found", message: "Message not found" };

describe("a message that a client sent for somebody", () => {
  it("can be edited and deleted in a later operation of the same client and actor", async () => {
    const { open, within, sent, text } = await arrive();
    const message = await sent("general");
    const call = within(await open("sarah", "general"));
    await call("discord.edit", { ...message, text: "the demo is at eleven" });
    expect(text("general", message.message_id)).toBe("the demo is at eleven");
    await call("discord.delete", message);
    expect(text("general", message.message_id)).toBeNull();
    await expect(call("discord.delete", message)).rejects.toMatchObject(ABSENT);
    await expect(call("discord.edit", { ...message, text: "again" })).rejects.toMatchObject(ABSENT);
  });

  it("can be edited after a restart, by what the audit keeps", async () => {
    const { sandbox, audit, sent, text } = await arrive();
    const message = await sent("general");
    const later = await openTestGate(sandbox, { wrapAudit: () => audit });
    const operation = await later.open("sarah", "general");
    const args = { ...message, text: "the demo is at eleven" };
    await later.gate.callTool({ name: "discord.edit", args, operation });
    expect(text("general", message.message_id)).toBe("the demo is at eleven");
  });

  it("is not found by another actor, by another client, or in another channel", async () => {
    const { open, operations, sandbox, within, sent, id, text } = await arrive();
    const message = await sent("general");
    const edit = { ...message, text: "mine" };
    const mark = within(await open("mark", "general"));
    await expect(mark("discord.edit", edit)).rejects.toMatchObject(ABSENT);
    await expect(mark("discord.delete", message)).rejects.toMatchObject(ABSENT);
    const client = { name: "other", grant: OPERATOR_GRANT };
    const actor = sandbox.as("sarah").id as UserId;
    const other = within(await operations.open(client, { actor, channelId: id("general") as ChannelId }));
    await expect(other("discord.edit", edit)).rejects.toMatchObject(ABSENT);
    await expect(other("discord.delete", message)).rejects.toMatchObject(ABSENT);
    const call = within(await open("sarah", "general"));
    await expect(call("discord.edit", { ...edit, channel_id: id("pier") })).rejects.toMatchObject(ABSENT);
    expect(text("general", message.message_id)).toBe("the demo is at ten");
  });

  it("is told from messages of people, which look absent", async () => {
    const { sandbox, open, within, id, text } = await arrive();
    const { id: messageId } = sandbox.as("sarah").say("general", "my own words");
    const call = within(await open("sarah", "general"));
    const message = { channel_id: id("general"), message_id: messageId };
    await call("discord.react", { ...message, emoji: "👍" });
    await expect(call("discord.edit", { ...message, text: "x" })).rejects.toMatchObject(ABSENT);
    await expect(call("discord.delete", message)).rejects.toMatchObject(ABSENT);
    await expect(call("discord.delete", { ...message, message_id: "1" })).rejects.toMatchObject(ABSENT);
    expect(text("general", messageId)).toBe("my own words");
  });

  it("is not found once somebody else has deleted it", async () => {
    const { sandbox, open, within, sent, settle } = await arrive();
    const message = await sent("general");
    sandbox.as("mei").delete(message.message_id);
    await settle();
    const call = within(await open("sarah", "general"));
    await expect(call("discord.edit", { ...message, text: "still there?" })).rejects.toMatchObject(ABSENT);
    await expect(call("discord.delete", message)).rejects.toMatchObject(ABSENT);
  });

  it("is not changed by the tools where it is an answer of the agent, which follows its sources", async () => {
    const { answers, open, within, id, text } = await arrive();
    const operation = await open("sarah", "general");
    const channelId = id("general") as ChannelId;
    const [answer] = await answers.post(operation, { question: "q1", channelId, text: "forty-two" });
    const message = { channel_id: channelId, message_id: answer?.message_id ?? "" };
    const call = within(operation);
    await expect(call("discord.edit", { ...message, text: "forty-three" })).rejects.toMatchObject(ABSENT);
    await expect(call("discord.delete", message)).rejects.toMatchObject(ABSENT);
    expect(text("general", message.message_id)).toBe("forty-two");
  });
});

describe("an edit", () => {
  it("says nothing that not everybody there may know, but what was said can be taken back", async () => {
    const { sandbox, open, within, sent, id, text, settle, asked, gate } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    const message = await sent("general");
    await settle();
    const call = within(await open("sarah", "general", {}, { isPrivate: true }));
    await call("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(call("discord.edit", { ...message, text: "the crane is broken" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(call("discord.delete", message)).rejects.toMatchObject({ code: "confirmation_needed" });
    expect(text("general", message.message_id)).toBe("the demo is at ten");
    await gate.confirm(asked[0]?.id ?? "", sandbox.as("sarah").id as UserId);
    expect(text("general", message.message_id)).toBeNull();
  });

  it("outside of the destination waits for the actor, and then puts exactly the confirmed bytes there", async () => {
    const { sandbox, open, within, sent, id, text, asked, gate } = await arrive();
    const message = await sent("pier");
    sandbox.as("mark").say("general", "at eleven");
    const call = within(await open("sarah", "general"));
    await call("discord.channel.messages", { channel_id: id("general") });
    const edit = { ...message, text: "at eleven, see https://evil.example/?q=11" };
    await expect(call("discord.edit", edit)).rejects.toMatchObject({ code: "confirmation_needed" });
    expect(text("pier", message.message_id)).toBe("the demo is at ten");
    const exact = "at eleven, see hxxps://evil[.]example/?q=11";
    expect(asked[0]?.action).toEqual({
      kind: "edit",
      channelId: message.channel_id,
      messageId: message.message_id,
      text: exact,
    });
    await gate.confirm(asked[0]?.id ?? "", sandbox.as("sarah").id as UserId);
    expect(text("pier", message.message_id)).toBe(exact);
    await call("discord.edit", edit);
    expect(asked).toHaveLength(1);
  });

  it("pings nobody, and must fit into one message", async () => {
    const { sandbox, open, within, sent } = await arrive();
    const message = await sent("general");
    const call = within(await open("sarah", "general"));
    await call("discord.edit", { ...message, text: `<@${sandbox.as("mark").id}>` });
    const record = sandbox.world.channels.get(message.channel_id)?.messages.get(message.message_id as MessageId);
    expect(record && mentionsOf(sandbox.world, record)).toMatchObject({ users: [], roles: [] });
    await expect(call("discord.edit", { ...message, text: "x".repeat(2_001) })).rejects.toMatchObject({
      code: "invalid",
    });
  });

  it("is refused where the actor may no longer speak, and looks absent where they may no longer read", async () => {
    const { sandbox, open, within, sent, settle, text } = await arrive();
    const message = await sent("pier");
    const operation = await open("sarah", "general");
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    const call = within(operation);
    await expect(call("discord.edit", { ...message, text: "x" })).rejects.toMatchObject({ code: "forbidden" });
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    await expect(call("discord.edit", { ...message, text: "x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(call("discord.delete", message)).rejects.toMatchObject({ code: "not_found" });
    expect(text("pier", message.message_id)).toBe("the demo is at ten");
  });
});

describe("the typing sign", () => {
  it("is shown where the actor may speak, and waits for the actor once something was read", async () => {
    const { sandbox, open, within, id, asked, gate, typed } = await arrive();
    sandbox.as("mark").say("general", "ahoy");
    const operation = await open("sarah", "general");
    const call = within(operation);
    await call("discord.typing", { channel_id: id("pier") });
    await call("discord.channel.messages", { channel_id: id("general") });
    await call("discord.typing", { channel_id: id("general") });
    await expect(call("discord.typing", { channel_id: id("pier") })).rejects.toMatchObject({
      code: "confirmation_needed",
    });
    expect(typed).toEqual([id("pier"), id("general")]);
    await gate.confirm(asked[0]?.id ?? "", sandbox.as("sarah").id as UserId);
    expect(typed).toEqual([id("pier"), id("general"), id("pier")]);
  });

  it("is not shown where not everybody may know what was read, nor where the actor may not speak", async () => {
    const { sandbox, open, within, id, settle, typed } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["SendMessages"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    await settle();
    const call = within(await open("sarah", "general", {}, { isPrivate: true }));
    await expect(call("discord.typing", { channel_id: id("pier") })).rejects.toMatchObject({ code: "forbidden" });
    await call("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(call("discord.typing", { channel_id: id("general") })).rejects.toMatchObject({ code: "forbidden" });
    expect(typed).toEqual([]);
  });
});
