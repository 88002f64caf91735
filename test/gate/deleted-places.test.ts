import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/policy/operation.ts";
import { openWorld } from "../support/gate.ts";

const DELETED = {
  code: "forbidden",
  message: "Something that was read for this has been deleted; start a new request.",
};
const NOT_FOR_THEM = {
  code: "forbidden",
  message: "What was read for this is not for everyone there; answer in a more private place.",
};
const UNCERTAIN = { code: "unavailable" };

async function arrive() {
  const test = await openWorld();
  const { sandbox, id } = test;
  const call = async (operation: Operation, name: string, args: object) =>
    (await test.gate.callTool({ name, args, operation })).value;
  const search = (operation: Operation, query: string) => call(operation, "search_messages", { query });
  let sent = 0;
  const send = (operation: Operation, key: string) =>
    call(operation, "discord.send", { channel_id: id(key), text: `answer ${++sent}` });
  /** Why the last effect was refused, as the audit has it; null when it was allowed. */
  const lastReason = () => {
    const last = test.audited.findLast(({ kind, row }) => kind === "decision" && row.effect === "speak");
    return last?.kind === "decision" ? last.row.reason : null;
  };
  /** A channel for those who hold a role, or are named, and the bot. */
  const createRoom = (name: string, who: readonly string[]) => {
    const room = sandbox.admin.createChannel(name, "text");
    for (const each of [...who, "helper"]) sandbox.admin.setOverwrite(room.id, each, { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite(room.id, "everyone", { deny: ["ViewChannel"] });
    return room.id;
  };
  return { ...test, search, send, call, lastReason, createRoom };
}

describe("a channel or thread that was searched without a hit and then deleted", () => {
  it("does not block an answer to people who could read it", async () => {
    const { sandbox, open, settle, search, send, said } = await arrive();
    const thread = sandbox.as("mark").openThread({ in: "general" }, "moorings");
    sandbox.as("mark").say(thread.id, "a buoy");
    sandbox.as("mark").say("general", "a crane");
    await settle();
    const operation = await open("sarah", "general");
    expect(await search(operation, "crane")).toMatchObject({ hits: [{ message: { content: "a crane" } }] });
    expect([...operation.label.channels.keys()]).toContain(thread.id);
    sandbox.admin.deleteChannel(thread.id);
    await settle();
    await send(operation, "general");
    expect(said("general")).toHaveLength(1);
  });

  it("is deleted with its threads, and none of them blocks an answer", async () => {
    const { sandbox, open, settle, search, send, said } = await arrive();
    const dock = sandbox.admin.createChannel("dock", "text");
    const thread = sandbox.as("mark").openThread({ in: dock.id }, "moorings");
    sandbox.as("mark").say(thread.id, "a buoy");
    await settle();
    const operation = await open("sarah", "general");
    await search(operation, "crane");
    expect([...operation.label.channels.keys()]).toEqual(expect.arrayContaining([dock.id, thread.id]));
    sandbox.admin.deleteChannel(dock.id);
    await settle();
    await send(operation, "general");
    expect(said("general")).toHaveLength(1);
  });

  it("is judged by its last members if it was a private thread", async () => {
    const { sandbox, open, settle, search, send, said, lastReason } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general", isPrivate: true }, "gift");
    sandbox.as("sarah").say(thread.id, "a buoy");
    const { channelId: dm } = sandbox.as("sarah").dm("hello");
    await settle();
    // Who is in a private thread is asked for when somebody opens it.
    await open("sarah", thread.id);
    const operation = await open("sarah", "general", {}, { isPrivate: true });
    await search(operation, "crane");
    expect([...operation.label.channels.keys()]).toContain(thread.id);
    sandbox.admin.deleteChannel(thread.id);
    await settle();
    await expect(send(operation, "general")).rejects.toMatchObject(NOT_FOR_THEM);
    expect(lastReason()).toBe("not_for_everyone_there");
    await send(operation, dm);
    expect([said("general").length, said(dm).length]).toEqual([0, 1]);
  });

  it("is judged by current roles: a person who has lost the role since does not count as a reader", async () => {
    const { sandbox, open, settle, search, send, said, lastReason, createRoom } = await arrive();
    for (const person of ["sarah", "mark"]) sandbox.admin.setRoles(person, ["crew"]);
    const crewRoom = createRoom("crew-room", ["crew"]);
    const talk = createRoom("talk", ["person:sarah", "person:mark"]);
    await settle();
    const operation = await open("sarah", talk);
    await search(operation, "crane");
    expect([...operation.label.channels.keys()]).toContain(crewRoom);
    sandbox.admin.deleteChannel(crewRoom);
    await settle();
    await send(operation, talk);
    expect(said(talk)).toHaveLength(1);
    sandbox.admin.setRoles("mark", []);
    await settle();
    await expect(send(operation, talk)).rejects.toMatchObject(NOT_FOR_THEM);
    expect(lastReason()).toBe("not_for_everyone_there");
    sandbox.admin.removeMember("mark");
    await settle();
    await send(operation, talk);
    expect(said(talk)).toHaveLength(2);
  });

  it("blocks every answer, with the true reason, if the bot could not view it when it was deleted", async () => {
    const { sandbox, open, settle, search, send, said, lastReason } = await arrive();
    const dock = sandbox.admin.createChannel("dock", "text");
    await settle();
    const operation = await open("sarah", "general");
    await search(operation, "crane");
    sandbox.admin.setOverwrite(dock.id, "helper", { deny: ["ViewChannel"] });
    await settle();
    await expect(send(operation, "general")).rejects.toMatchObject(UNCERTAIN);
    expect(lastReason()).toBe("source_uncertain");
    sandbox.admin.deleteChannel(dock.id);
    await settle();
    await expect(send(operation, "general")).rejects.toMatchObject(UNCERTAIN);
    expect([lastReason(), said("general")]).toEqual(["source_uncertain", []]);
  });
});

describe("a channel or thread of which something was disclosed before it was deleted", () => {
  it.each([
    ["a message of it", "search_messages", { query: "buoy" }],
    ["its name, among others", "discord.guild.channels", null],
  ])("blocks the answer because of the deletion: %s", async (_, tool, args) => {
    const { sandbox, open, settle, call, send, said, lastReason } = await arrive();
    const thread = sandbox.as("mark").openThread({ in: "general" }, "moorings");
    sandbox.as("mark").say(thread.id, "a buoy");
    await settle();
    const operation = await open("sarah", "general");
    const answer = await call(operation, tool, args ?? { guild_id: sandbox.community.guild.id });
    expect(JSON.stringify(answer)).toContain(thread.id);
    sandbox.admin.deleteChannel(thread.id);
    await settle();
    await expect(send(operation, "general")).rejects.toMatchObject(DELETED);
    expect([lastReason(), said("general")]).toEqual(["source_deleted", []]);
  });

  it("blocks the answer for the same reason if it was deleted with its channel", async () => {
    const { sandbox, open, settle, search, send, lastReason } = await arrive();
    const dock = sandbox.admin.createChannel("dock", "text");
    const thread = sandbox.as("mark").openThread({ in: dock.id }, "moorings");
    sandbox.as("mark").say(thread.id, "a buoy");
    await settle();
    const operation = await open("sarah", "general");
    expect(await search(operation, "buoy")).toMatchObject({ hits: [{ message: { channel_id: thread.id } }] });
    sandbox.admin.deleteChannel(dock.id);
    await settle();
    await expect(send(operation, "general")).rejects.toMatchObject(DELETED);
    expect(lastReason()).toBe("source_deleted");
  });
});
