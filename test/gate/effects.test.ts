import { describe, expect, it } from "vitest";
import { extractLinks } from "../../src/domain/text/links.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openTestGate, openWorld } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

describe("an effect", () => {
  it("in the channel of the request needs no confirmation, whatever was read", async () => {
    const { sandbox, id, asked, said, as } = await openWorld();
    const question = sandbox.as("sarah").say("general", "what is new?");
    sandbox.as("mark").say("news", "a new crane");
    const sarah = as("sarah").in("general", {}, { messageId: question.id as never });
    await sarah.calls("discord.channel.messages", { channel_id: id("news") });
    await sarah.calls("discord.send", { channel_id: id("general"), text: "a new crane" });
    await sarah.calls("discord.react", { channel_id: id("general"), message_id: question.id, emoji: "👍" });
    expect(said("general")).toEqual(["a new crane"]);
    expect(asked).toEqual([]);
  });

  it("that reacts in the person's own direct messages is refused where others read what comes of it", async () => {
    const { sandbox, edge, as } = await openWorld();
    const { id: messageId, channelId } = sandbox.as("sarah").dm("my locker is number nine");
    await edge.find("message", ({ message }) => message.message_id === messageId);
    const react = { channel_id: channelId, message_id: messageId, emoji: "👍" };
    const absent = { channel_id: channelId, message_id: "1571494979174400006", emoji: "👍" };
    const sarah = as("sarah").in("general");
    for (const args of [react, absent])
      await expect(sarah.calls("discord.react", args)).rejects.toMatchObject({
        code: "not_found",
        message: "Message not found",
      });
    await as("sarah").in(channelId).calls("discord.react", react);
  });

  it("in another channel needs no confirmation while nothing has been read", async () => {
    const { id, said, as } = await openWorld();
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.send", { channel_id: id("news"), text: "hello" });
    expect(said("news")).toEqual(["hello"]);
  });

  it("happens only in a channel whose whole name was given", async () => {
    const { said, as } = await openWorld();
    const sarah = as("sarah").in("general");
    for (const channel of ["genral", "gener", "#new", "the newz channel"])
      await expect(sarah.calls("discord.send", { channel, text: "hello" })).rejects.toMatchObject({
        code: "not_found",
        message: `Could not find channel '${channel}'`,
      });
    await sarah.calls("discord.send", { channel: "the NEWS channel", text: "hello" });
    expect([said("general"), said("news")]).toEqual([[], ["hello"]]);
    await sarah.calls("discord.channel.messages", { channel: "genral" });
  });

  it("in another channel waits for confirmation once something was read, and then happens once, byte for byte", async () => {
    const { sandbox, open, within, id, asked, said, gate, person } = await openWorld();
    sandbox.as("mark").say("general", "the crane is https://crane.example/new");
    const operation = await open("sarah", "general");
    const { calls } = within(operation);
    await calls("discord.channel.messages", { channel_id: id("general") });
    const draft = { channel_id: id("pier"), text: "see https://crane.example/new and https://evil.example/?q=crane" };
    const refused = { code: "confirmation_needed", confirmationId: expect.any(String) };
    await expect(calls("discord.send", draft)).rejects.toMatchObject(refused);
    await expect(calls("discord.send", draft)).rejects.toMatchObject(refused);
    expect([asked.length, said("pier")]).toEqual([1, []]);
    const [one] = asked;
    const exact = "see https://crane.example/new and hxxps://evil[.]example/?q=crane";
    expect(one?.action).toMatchObject({ kind: "send", text: exact });
    await expect(gate.confirm(one?.id ?? "", person("mark"))).rejects.toMatchObject({ code: "not_found" });
    await gate.confirm(one?.id ?? "", person("sarah"));
    await expect(gate.confirm(one?.id ?? "", person("sarah"))).rejects.toMatchObject({ code: "not_found" });
    expect(said("pier")).toEqual([exact]);
    expect(extractLinks(exact)).toEqual(["https://crane.example/new"]);
    const value = await calls("discord.send", draft);
    expect(value).toMatchObject({ message_ids: [expect.any(String)] });
    expect(said("pier")).toEqual([exact]);
  });

  it("may link to messages at the set web address or at Discord's, and messages are linked at the set one", async () => {
    const web = "https://chat.example/app";
    const { sandbox, id, said, as } = await openWorld({ web });
    const { id: messageId, channelId } = sandbox.as("mark").say("general", "a crane");
    const sarah = as("sarah").in("general");
    const path = `channels/${sandbox.community.guild.id}/${channelId}/${messageId}`;
    for (const link of [`${web}/${path}`, `https://discord.com/${path}`])
      expect(await sarah.calls("get_message_context", { message_id: link })).toMatchObject({
        messages: expect.arrayContaining([expect.objectContaining({ link: `${web}/${path}` })]),
      });
    const made = `${web}/channels/1/2/3 https://discord.com/channels/1/2/3`;
    await sarah.calls("discord.send", {
      channel_id: id("general"),
      text: `${made} https://other.example/channels/1/2/3`,
    });
    expect(said("general")).toEqual([`${made} hxxps://other[.]example/channels/1/2/3`]);
  });

  it("that was confirmed does not happen when it is no longer allowed", async () => {
    const { sandbox, id, asked, said, gate, person, settle, as } = await openWorld();
    sandbox.as("mei").say("general", "a crane");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.channel.messages", { channel_id: id("general") });
    await expect(sarah.calls("discord.send", { channel_id: id("pier"), text: "crane" })).rejects.toThrow();
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    await settle();
    const [one] = asked;
    await expect(gate.confirm(one?.id ?? "", person("sarah"))).rejects.toMatchObject({ code: "forbidden" });
    expect(said("pier")).toEqual([]);
    sandbox.admin.removeOverwrite("general", "person:mark");
    await settle();
    await expect(gate.confirm(one?.id ?? "", person("sarah"))).rejects.toMatchObject({ code: "not_found" });
  });

  it("in another channel needs confirmation if the request was made in private", async () => {
    const { sandbox, edge, operations, within, id, asked, said } = await openWorld();
    const { id: messageId, channelId } = sandbox.as("sarah").dm("post hello in general");
    await edge.find("message", ({ message }) => message.message_id === messageId);
    const message = edge.of("message").find((event) => event.message.message_id === messageId)?.message;
    const operation = operations.openFor({ name: "test", grant: OPERATOR_GRANT }, message as never);
    const { calls } = within(operation);
    await expect(calls("discord.send", { channel_id: id("general"), text: "hello" })).rejects.toMatchObject({
      code: "confirmation_needed",
    });
    await calls("discord.send", { channel_id: channelId, text: "shall I?" });
    expect([asked.length, said("general")]).toEqual([1, []]);
  });

  it("is blocked when a message that was read, or its channel, has been deleted meanwhile", async () => {
    const { sandbox, id, said, settle, as } = await openWorld();
    const crane = sandbox.as("mark").say("news", "a crane");
    const first = as("sarah").in("general");
    await first.calls("discord.channel.messages", { channel_id: id("news") });
    sandbox.as("mark").delete(crane);
    await settle();
    await expect(first.calls("discord.send", { channel_id: id("general"), text: "crane" })).rejects.toMatchObject({
      code: "forbidden",
    });
    sandbox.as("mark").say("pier", "a buoy");
    const second = as("sarah").in("general");
    await second.calls("discord.channel.messages", { channel_id: id("pier") });
    sandbox.admin.deleteChannel("pier");
    await settle();
    await expect(second.calls("discord.send", { channel_id: id("general"), text: "buoy" })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(said("general")).toEqual([]);
  });

  it("may use a direct conversation only for an answer that its participant alone can read", async () => {
    const { sandbox, gate, operations, open, settle } = await openWorld();
    const { channelId } = sandbox.as("sarah").dm("my locker is number nine");
    await settle();
    const read = async (operation: Operation) =>
      gate.callTool({ name: "discord.channel.messages", args: { channel_id: channelId, limit: 5 }, operation });
    const narrowed = await open("sarah", channelId);
    operations.narrow(narrowed);
    const opened = await open("sarah", channelId, {}, { isPrivate: true });
    for (const operation of [narrowed, opened])
      expect(JSON.stringify((await read(operation)).value)).toContain("number nine");
    const elsewhere = await open("sarah", "general", {}, { isPrivate: true });
    await expect(read(elsewhere)).rejects.toMatchObject({ code: "not_found" });
    const fromNowhere = await operations.open(elsewhere.client, { actor: elsewhere.actor, isPrivate: true });
    await expect(read(fromNowhere)).rejects.toMatchObject({ code: "not_found" });
  });

  it("that is prepared in public may be delivered in private: what is read after narrowing reaches the actor alone", async () => {
    const { sandbox, edge, open, within, id, operations, said } = await openWorld({ botSees: ["staff-room"] });
    sandbox.as("mei").say("staff-room", "salaries");
    const operation = await open("mei", "general");
    const { calls } = within(operation);
    const read = () => calls("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(read()).rejects.toMatchObject({ code: "not_found" });
    operations.narrow(operation);
    expect(await read()).toMatchObject({ messages: [{ content: "salaries" }] });
    await expect(calls("discord.send", { channel_id: id("general"), text: "salaries" })).rejects.toMatchObject({
      code: "forbidden",
    });
    const { channelId: dm } = sandbox.as("mei").dm("hello");
    await edge.find("message", ({ message }) => message.channel_id === dm);
    await calls("discord.send", { channel_id: dm, text: "salaries" });
    expect(said("general")).toEqual([]);
    expect([...(sandbox.world.channels.get(dm)?.messages ?? [])].at(-1)?.content).toBe("salaries");
  });

  it("that waited in a queue is not sent when it is no longer allowed", async () => {
    const { sandbox, id, said, settle, as } = await openWorld();
    sandbox.as("mark").say("news", "a crane");
    const sarah = as("sarah").in("general");
    await sarah.calls("discord.channel.messages", { channel_id: id("news") });
    // The first attempt fails; before the second the permissions have changed.
    sandbox.faults.failRest({ match: /^POST .*messages/, status: 502, times: 1 });
    const sending = sarah.calls("discord.send", { channel_id: id("general"), text: "crane" }).then(
      () => "sent",
      ({ code }) => code,
    );
    sandbox.admin.setOverwrite("news", "person:mark", { deny: ["ViewChannel"] });
    await settle();
    expect(await sending).toBe("forbidden");
    expect(said("general")).toEqual([]);
  });

  it("does not happen when it cannot be recorded in the audit", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    let isBroken = false;
    const { gate, open, edge } = await openTestGate(sandbox, {
      wrapAudit: (audit) => ({
        ...audit,
        async settled() {
          if (isBroken) throw Object.assign(new Error("the disk is full"), { code: "unavailable" });
          return audit.settled();
        },
      }),
    });
    const operation = await open("sarah", "general");
    isBroken = true;
    const channel_id = sandbox.community.channels.get("general") ?? "";
    for (const name of ["discord.send", "discord.channel.messages"]) {
      const args = { channel_id, ...(name === "discord.send" && { text: "hello" }) };
      await expect(gate.callTool({ name, args, operation })).rejects.toThrow("the disk is full");
    }
    expect(edge.said()).toEqual([]);
    expect(sandbox.world.channels.get(channel_id)?.messages.size).toBe(0);
  });
});
