import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { Confirmation } from "../../src/policy/confirmations.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const asked: Confirmation[] = [];
  const test = await openTestGate(sandbox, { onConfirmation: (one) => void asked.push(one) });
  const id = (key: string) => sandbox.community.channels.get(key) ?? key;
  const within = (operation: Operation) => async (name: string, args: object) =>
    (await test.gate.callTool({ name, args, operation })).value as { thread_id: string; message_id: string };
  const settle = async () => {
    const { id: marker } = sandbox.as("olga").dm("settled?");
    await test.edge.find("message", ({ message }) => message.message_id === marker);
  };
  const threads = (key: string) =>
    [...sandbox.world.channels.values()].filter(({ parentId, thread }) => thread && parentId === id(key));
  const firstOf = ({ thread_id, message_id }: { thread_id: string; message_id: string }) =>
    sandbox.world.channels.get(thread_id)?.messages.get(message_id)?.content;
  return { sandbox, ...test, asked, id, within, settle, threads, firstOf };
}

const POST_THREADS = /^POST \/channels\/\d+\/threads/;
const RAFFLE = { name: "Raffle", text: "Who brings the prizes?" };

describe("discord.thread.create", () => {
  it("starts a thread in a channel, from a message, and in an announcement channel, with its first message", async () => {
    const { sandbox, open, within, id, threads, firstOf } = await arrive();
    const { id: messageId } = sandbox.as("mark").say("general", "shall we have a raffle?");
    const call = within(await open("sarah", "general"));
    const started = await call("discord.thread.create", { channel_id: id("general"), ...RAFFLE });
    expect(firstOf(started)).toBe(RAFFLE.text);
    const from = { channel_id: id("general"), message_id: messageId, ...RAFFLE };
    const onMessage = await call("discord.thread.create", from);
    expect([onMessage.thread_id, firstOf(onMessage)]).toEqual([messageId, RAFFLE.text]);
    expect(threads("general").map(({ name, type }) => [name, type])).toEqual([
      ["Raffle", 11],
      ["Raffle", 11],
    ]);
    const news = within(await open("sarah", "news"));
    await news("discord.thread.create", { channel_id: id("news"), ...RAFFLE });
    expect(threads("news").map(({ type }) => type)).toEqual([10]);
  });

  it("is in the audit before and after it is done, with its decision, what was made and the hashes of its words", async () => {
    const { open, within, id, audited, audit } = await arrive();
    const operation = await open("sarah", "general");
    const started: { thread_id: string; message_id: string }[] = [];
    for (const key of ["general", "help"])
      started.push(await within(operation)("discord.thread.create", { channel_id: id(key), ...RAFFLE }));
    await within(operation)("discord.send", { channel: id("general"), text: RAFFLE.text });
    const events = audited.flatMap(({ kind, row }) => (kind === "event" ? [row] : []));
    const of = (name: string) =>
      events.filter((row) => row.name === name).map(({ detail_json }) => JSON.parse(detail_json) as object);
    const decided = audited.flatMap(({ kind, row }) => (kind === "decision" && row.effect === "thread" ? [row] : []));
    expect(decided).toMatchObject(
      ["general", "help"].map((key) => ({
        tool: "discord.thread.create",
        target: `channel:${id(key)}`,
        allowed: true,
      })),
    );
    const hashes = { bytes_hash: audit.hash(RAFFLE.text), name_hash: audit.hash(RAFFLE.name) };
    const begun = ["general", "help"].map((key, index) => {
      return { tool: "discord.thread.create", channel_id: id(key), ...hashes, decision_id: decided[index]?.id };
    });
    expect(of("thread_begun")).toEqual(begun);
    expect(of("thread_done")).toEqual(
      begun.map(({ decision_id: _, ...detail }, index) => ({ ...detail, thread_id: started[index]?.thread_id })),
    );
    // The first message of each, and the one that was sent by itself.
    const made = started.map(({ thread_id, message_id }) => ({ channel_id: thread_id, message_id }));
    expect(of("send_done")).toMatchObject([...made, { channel_id: id("general"), message_id: expect.any(String) }]);
    expect(JSON.stringify(events)).not.toContain(RAFFLE.name);
  });

  it("posts to a forum with tags by name, and what was posted can be edited", async () => {
    const { sandbox, open, within, id, threads, firstOf } = await arrive();
    const call = within(await open("sarah", "general"));
    const post = { channel_id: id("help"), ...RAFFLE, tags: ["Tools"] };
    const posted = await call("discord.thread.create", post);
    expect(firstOf(posted)).toBe(RAFFLE.text);
    const [thread] = threads("help");
    expect(thread?.thread?.appliedTags).toEqual(
      sandbox.world.channels.get(id("help"))?.tags.flatMap((tag) => (tag.name === "tools" ? [tag.id] : [])),
    );
    await call("discord.edit", { channel_id: posted.thread_id, message_id: posted.message_id, text: "Never mind." });
    expect(firstOf(posted)).toBe("Never mind.");
    const refused = { code: "invalid" };
    await expect(call("discord.thread.create", { ...post, tags: ["none"] })).rejects.toMatchObject(refused);
    await expect(call("discord.thread.create", { ...post, channel_id: id("general") })).rejects.toMatchObject(refused);
    await expect(call("discord.thread.create", { channel_id: id("pier"), ...RAFFLE })).rejects.toMatchObject({
      code: "unsupported",
    });
    expect(threads("help")).toHaveLength(1);
  });

  it("is refused where the actor may not start threads, also where they asked", async () => {
    const { sandbox, open, within, id, settle, threads } = await arrive();
    const question = sandbox.as("sarah").say("general", "a thread, please");
    sandbox.admin.setOverwrite("general", "person:sarah", { deny: ["CreatePublicThreads"] });
    sandbox.admin.setOverwrite("help", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    const call = within(await open("sarah", "general", {}, { messageId: question.id as never }));
    const refused = { code: "forbidden", message: "The person asking may not start threads in that channel." };
    for (const key of ["general", "help"])
      await expect(call("discord.thread.create", { channel_id: id(key), ...RAFFLE })).rejects.toMatchObject(refused);
    expect([...threads("general"), ...threads("help")]).toEqual([]);
  });

  it("says nothing that not everybody there may know", async () => {
    const { sandbox, open, within, id, settle, threads } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("staff-room", "person:sarah", { allow: ["ViewChannel"] });
    sandbox.as("mei").say("staff-room", "the crane is broken");
    await settle();
    const call = within(await open("sarah", "general", {}, { isPrivate: true }));
    await call("discord.channel.messages", { channel_id: id("staff-room") });
    for (const key of ["general", "help"])
      await expect(call("discord.thread.create", { channel_id: id(key), ...RAFFLE })).rejects.toMatchObject({
        code: "forbidden",
      });
    expect([...threads("general"), ...threads("help")]).toEqual([]);
  });

  it("waits for the actor elsewhere once something was read, and starts exactly what was confirmed, once", async () => {
    const { sandbox, open, within, id, asked, gate, threads, firstOf } = await arrive();
    sandbox.as("mark").say("general", "ahoy");
    const call = within(await open("sarah", "general"));
    await call("discord.channel.messages", { channel_id: id("general") });
    const post = { channel_id: id("help"), name: "See https://evil.example/?q=1", text: "ahoy", tags: ["solved"] };
    await expect(call("discord.thread.create", post)).rejects.toMatchObject({ code: "confirmation_needed" });
    const name = "See hxxps://evil[.]example/?q=1";
    const exact = { kind: "thread", channelId: id("help"), messageId: null, name, text: "ahoy", tags: ["solved"] };
    expect(asked.map(({ action }) => action)).toEqual([exact]);
    await gate.confirm(asked[0]?.id ?? "", sandbox.as("sarah").id as UserId);
    expect(threads("help").map((thread) => thread.name)).toEqual([name]);
    expect(firstOf(await call("discord.thread.create", post))).toBe("ahoy");
    expect(threads("help")).toHaveLength(1);
  });

  it("finds the thread again when Discord did not say that it was started", async () => {
    const { sandbox, open, within, id, threads, firstOf, settle } = await arrive();
    const call = within(await open("sarah", "general"));
    const args = { channel_id: id("help"), ...RAFFLE };
    sandbox.faults.hangUpRest({ match: POST_THREADS, after: true });
    await expect(call("discord.thread.create", args)).rejects.toMatchObject({ code: "outcome_unknown" });
    await settle();
    expect(firstOf(await call("discord.thread.create", args))).toBe(RAFFLE.text);
    expect(threads("help")).toHaveLength(1);
  });
});
