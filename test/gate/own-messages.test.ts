import { describe, expect, it } from "vitest";
import { mentionsOf } from "../../sandbox/render/mentions.ts";
import type { MessageId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { openTestGate, openWorld } from "../support/gate.ts";

async function arrive() {
  /** Where the typing sign was shown. */
  const typed: string[] = [];
  const world = await openWorld({
    sandbox: {
      onResponse({ path, status }) {
        const [, channelId] = /channels\/(\d+)\/typing$/.exec(path) ?? [];
        if (channelId && status === 204) typed.push(channelId);
      },
    },
  });
  const { sandbox, as, id } = world;
  const text = (key: string, messageId: string) =>
    sandbox.world.channels.get(id(key))?.messages.get(messageId)?.content ?? null;
  /** Sends as Sarah, in an operation of its own. */
  const sent = async (key: string) => {
    const args = { channel_id: id(key), text: "the demo is at ten" };
    const { message_id } = await as("sarah").in(key).calls<{ message_id: string }>("discord.send", args);
    return { channel_id: id(key), message_id };
  };
  return { ...world, text, sent, typed };
}

const ABSENT = { code: "not_found", message: "Message not found" };

describe("a message that a client sent for somebody", () => {
  it("can be edited and deleted in a later operation of the same client and actor", async () => {
    const { sent, text, as } = await arrive();
    const message = await sent("general");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.edit", { ...message, text: "the demo is at eleven" });
    expect(text("general", message.message_id)).toBe("the demo is at eleven");
    await sarah.calls("discord.delete", message);
    expect(text("general", message.message_id)).toBeNull();
    await expect(sarah.calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
    await expect(sarah.calls("discord.edit", { ...message, text: "again" })).rejects.toMatchObject(ABSENT);
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
    const { operations, within, sent, id, text, as, person } = await arrive();
    const message = await sent("general");
    const edit = { ...message, text: "mine" };
    const mark = as("mark").in("general");
    await expect(mark.calls("discord.edit", edit)).rejects.toMatchObject(ABSENT);
    await expect(mark.calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
    const client = { name: "other", grant: OPERATOR_GRANT };
    const actor = person("sarah");
    const other = within(await operations.open(client, { actor, channelId: id("general") }));
    await expect(other.calls("discord.edit", edit)).rejects.toMatchObject(ABSENT);
    await expect(other.calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
    const sarah = as("sarah").in("general");
    await expect(sarah.calls("discord.edit", { ...edit, channel_id: id("pier") })).rejects.toMatchObject(ABSENT);
    expect(text("general", message.message_id)).toBe("the demo is at ten");
  });

  it("is told from messages of people, which look absent", async () => {
    const { sandbox, id, text, as } = await arrive();
    const { id: messageId } = sandbox.as("sarah").say("general", "my own words");
    const sarah = as("sarah").in("general");
    const message = { channel_id: id("general"), message_id: messageId };
    await sarah.calls("discord.react", { ...message, emoji: "👍" });
    await expect(sarah.calls("discord.edit", { ...message, text: "x" })).rejects.toMatchObject(ABSENT);
    await expect(sarah.calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
    await expect(sarah.calls("discord.delete", { ...message, message_id: "1" })).rejects.toMatchObject(ABSENT);
    expect(text("general", messageId)).toBe("my own words");
  });

  it("is not found once somebody else has deleted it", async () => {
    const { sandbox, sent, settle, as } = await arrive();
    const message = await sent("general");
    sandbox.as("mei").delete(message.message_id);
    await settle();
    const sarah = as("sarah").in("general");
    await expect(sarah.calls("discord.edit", { ...message, text: "still there?" })).rejects.toMatchObject(ABSENT);
    await expect(sarah.calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
  });

  it("is not changed by the tools where it is an answer of the agent, which follows its sources", async () => {
    const { answers, open, within, id, text } = await arrive();
    const operation = await open("sarah", "general");
    const channelId = id("general");
    const [answer] = await answers.post(operation, { question: "q1", channelId, text: "forty-two" });
    const message = { channel_id: channelId, message_id: answer?.message_id ?? "" };
    const { calls } = within(operation);
    await expect(calls("discord.edit", { ...message, text: "forty-three" })).rejects.toMatchObject(ABSENT);
    await expect(calls("discord.delete", message)).rejects.toMatchObject(ABSENT);
    expect(text("general", message.message_id)).toBe("forty-two");
  });
});

describe("an edit", () => {
  it("says nothing that not everybody there may know, but what was said can be taken back", async () => {
    const { sandbox, sent, id, text, settle, asked, gate, as, person } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    const message = await sent("general");
    await settle();
    const sarah = as("sarah").in("general", {}, { isPrivate: true });
    await sarah.calls("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(sarah.calls("discord.edit", { ...message, text: "the crane is broken" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(sarah.calls("discord.delete", message)).rejects.toMatchObject({ code: "confirmation_needed" });
    expect(text("general", message.message_id)).toBe("the demo is at ten");
    await gate.confirm(asked[0]?.id ?? "", person("sarah"));
    expect(text("general", message.message_id)).toBeNull();
  });

  it("outside of the destination waits for the actor, and then puts exactly the confirmed bytes there", async () => {
    const { sandbox, sent, id, text, asked, gate, as, person } = await arrive();
    const message = await sent("pier");
    sandbox.as("mark").say("general", "at eleven");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.channel.messages", { channel_id: id("general") });
    const edit = { ...message, text: "at eleven, see https://evil.example/?q=11" };
    await expect(sarah.calls("discord.edit", edit)).rejects.toMatchObject({ code: "confirmation_needed" });
    expect(text("pier", message.message_id)).toBe("the demo is at ten");
    const exact = "at eleven, see hxxps://evil[.]example/?q=11";
    expect(asked[0]?.action).toEqual({
      kind: "edit",
      channelId: message.channel_id,
      messageId: message.message_id,
      text: exact,
    });
    await gate.confirm(asked[0]?.id ?? "", person("sarah"));
    expect(text("pier", message.message_id)).toBe(exact);
    await sarah.calls("discord.edit", edit);
    expect(asked).toHaveLength(1);
  });

  it("pings nobody, and must fit into one message", async () => {
    const { sandbox, sent, as } = await arrive();
    const message = await sent("general");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.edit", { ...message, text: `<@${sandbox.as("mark").id}>` });
    const record = sandbox.world.channels.get(message.channel_id)?.messages.get(message.message_id as MessageId);
    expect(record && mentionsOf(sandbox.world, record)).toMatchObject({ users: [], roles: [] });
    await expect(sarah.calls("discord.edit", { ...message, text: "x".repeat(2_001) })).rejects.toMatchObject({
      code: "invalid",
    });
  });

  it("is refused where the actor may no longer speak, and looks absent where they may no longer read", async () => {
    const { sandbox, open, within, sent, settle, text } = await arrive();
    const message = await sent("pier");
    const operation = await open("sarah", "general");
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    const { calls } = within(operation);
    await expect(calls("discord.edit", { ...message, text: "x" })).rejects.toMatchObject({ code: "forbidden" });
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    await expect(calls("discord.edit", { ...message, text: "x" })).rejects.toMatchObject({ code: "not_found" });
    await expect(calls("discord.delete", message)).rejects.toMatchObject({ code: "not_found" });
    expect(text("pier", message.message_id)).toBe("the demo is at ten");
  });
});

describe("the typing sign", () => {
  it("is shown where the actor may speak, and waits for the actor once something was read", async () => {
    const { sandbox, open, within, id, asked, gate, typed, person } = await arrive();
    sandbox.as("mark").say("general", "ahoy");
    const operation = await open("sarah", "general");
    const { calls } = within(operation);
    await calls("discord.typing", { channel_id: id("pier") });
    await calls("discord.channel.messages", { channel_id: id("general") });
    await calls("discord.typing", { channel_id: id("general") });
    await expect(calls("discord.typing", { channel_id: id("pier") })).rejects.toMatchObject({
      code: "confirmation_needed",
    });
    expect(typed).toEqual([id("pier"), id("general")]);
    await gate.confirm(asked[0]?.id ?? "", person("sarah"));
    expect(typed).toEqual([id("pier"), id("general"), id("pier")]);
  });

  it("is not shown where not everybody may know what was read, nor where the actor may not speak", async () => {
    const { sandbox, id, settle, typed, as } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["SendMessages"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    await settle();
    const sarah = as("sarah").in("general", {}, { isPrivate: true });
    await expect(sarah.calls("discord.typing", { channel_id: id("pier") })).rejects.toMatchObject({
      code: "forbidden",
    });
    await sarah.calls("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(sarah.calls("discord.typing", { channel_id: id("general") })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(typed).toEqual([]);
  });
});
