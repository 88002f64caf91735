import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { openTestEdge } from "../support/edge.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const EVERY_TIME = 10_000;
const DRAFT = { text: "Hi", mentions: [] };

async function arrive() {
  const lines: string[] = [];
  const sandbox = await openTestSandbox({ rateLimits: false });
  // Sees every request, and matches none.
  sandbox.faults.failRest({ match: (line) => lines.push(line) < 0, status: 500 });
  const time = createFakeTime();
  const { discord, find } = await openTestEdge(sandbox, { clock: time.clock, delay: time.delay });
  const person = (name: string) => sandbox.community.people.get(name) as UserId;
  return { sandbox, time, discord, find, person, sent: (part: string) => lines.filter((l) => l.includes(part)).length };
}

function channelOf(sandbox: Sandbox, name: string): ChannelId {
  return sandbox.community.channels.get(name) as ChannelId;
}

/** Discord refuses the history of #general, whatever the directory says. */
async function arriveRefused() {
  const world = await arrive();
  const { sandbox, discord, sent } = world;
  const general = channelOf(sandbox, "general");
  const route = `/channels/${general}/messages`;
  let isRefused = true;
  sandbox.faults.failRest({ match: (line) => isRefused && line.includes(route), status: 403, times: EVERY_TIME });
  const read = () => discord.history(general, { limit: 1 });
  const refusal = await read().then(
    () => null,
    (error: unknown) => error as Error,
  );
  return { ...world, general, read, refusal, asked: () => sent(`GET ${route}`), allow: () => (isRefused = false) };
}

describe("a request that Discord refused", () => {
  it("is not sent again before a pause that grows each time, and gets the same answer meanwhile", async () => {
    const { read, refusal, asked, time } = await arriveRefused();
    const asks = async () => {
      for (let count = 0; count < 20; count += 1)
        await expect(read()).rejects.toMatchObject({ code: "not_found", message: refusal?.message });
      return asked();
    };
    expect(await asks()).toBe(1);
    time.advance(5_001);
    expect(await asks()).toBe(2);
    time.advance(5_001);
    expect(await asks()).toBe(2);
    time.advance(5_001);
    expect(await asks()).toBe(3);
    time.advance(600_001);
    expect(await asks()).toBe(4);
  });

  it("is sent once when many are waiting for the same channel", async () => {
    const { discord, general, asked } = await arriveRefused();
    const ids = Array.from({ length: 20 }, (_, count) => String(1_300_000_000_000_000_000n + BigInt(count)));
    const found = await Promise.all(ids.map((id) => discord.message(general, id as MessageId)));
    expect(new Set(found)).toEqual(new Set([null]));
    expect(asked()).toBe(2);
  });

  it("in one channel does not hold back the same request in another", async () => {
    const { sandbox, discord, asked } = await arriveRefused();
    await expect(discord.history(channelOf(sandbox, "news"), { limit: 1 })).resolves.toMatchObject({ messages: [] });
    expect(asked()).toBe(1);
  });

  it.each<[string, (sandbox: Sandbox) => void]>([
    [
      "the overwrites of the channel",
      ({ admin }) => admin.setOverwrite("general", "crew", { allow: ["AddReactions"] }),
    ],
    ["a role", ({ admin }) => void admin.updateRole("helper", { permissions: ["ManageThreads", "AttachFiles"] })],
    ["the bot's own roles", ({ admin }) => admin.setRoles("earshot", ["helper", "crew"])],
  ])("is sent again at once after a change of %s", async (_, change) => {
    const { sandbox, read, asked, allow } = await arriveRefused();
    allow();
    await expect(read()).rejects.toMatchObject({ code: "not_found" });
    change(sandbox);
    await expect
      .poll(() =>
        read().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(asked()).toBe(2);
  });

  it("stays remembered when something changes in another server, or for another member", async () => {
    const { sandbox, read, asked, allow, find } = await arriveRefused();
    allow();
    sandbox.admin.createGuild("Elsewhere", "olga");
    sandbox.admin.addMember("earshot", "Elsewhere");
    sandbox.admin.setRoles("mark", ["crew"]);
    sandbox.as("sarah").say("news", "after all of it");
    await find("message", ({ message }) => message.content === "after all of it");
    await expect(read()).rejects.toMatchObject({ code: "not_found" });
    expect(asked()).toBe(1);
  });

  it("for a message that does not exist is never sent again", async () => {
    const { sandbox, discord, time, sent } = await arrive();
    const general = channelOf(sandbox, "general");
    const ask = () => discord.message(general, "1300000000000000000" as MessageId);
    for (const ms of [0, 5_001, 86_400_000]) {
      time.advance(ms);
      expect(await ask()).toBeNull();
    }
    expect(sent("/messages/1300000000000000000")).toBe(1);
  });

  it("does not tell a hidden channel from one that does not exist", async () => {
    const { sandbox, discord, time, sent } = await arrive();
    sandbox.admin.createGuild("Elsewhere", "olga");
    const hidden = sandbox.admin.createChannel("den", "text", { guild: "Elsewhere" }).id as ChannelId;
    const absent = "1300000000000000000" as ChannelId;
    const counts: (readonly number[])[] = [];
    for (let step = 0; step < 30; step += 1) {
      for (const id of [hidden, absent])
        await expect(discord.history(id, { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
      counts.push([hidden, absent].map((id) => sent(`/channels/${id}`)));
      time.advance(31_000);
    }
    for (const [ofHidden, ofAbsent] of counts) expect(ofHidden).toBe(ofAbsent);
    expect(counts.at(-1)?.[0]).toBeLessThan(10);
  });
});

describe("a person who takes no messages from the bot", () => {
  it("is not written to again and again, others are, and a common server ends it", async () => {
    const { sandbox, discord, find, person, sent } = await arrive();
    const [sarah, mark] = [await discord.openDm(person("sarah")), await discord.openDm(person("mark"))];
    sandbox.admin.removeMember("sarah");
    sandbox.as("mark").say("news", "She has left.");
    await find("message", ({ message }) => message.content === "She has left.");
    for (let count = 0; count < 10; count += 1)
      await expect(discord.send(sarah, DRAFT)).rejects.toMatchObject({ code: "not_found" });
    expect(sent(`POST /channels/${sarah}/messages`)).toBe(1);
    await discord.send(mark, DRAFT);
    sandbox.admin.addMember("sarah");
    await expect
      .poll(() =>
        discord.send(sarah, DRAFT).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  it("does not keep the bot from opening a DM with somebody else, and is tried again once they write", async () => {
    const { sandbox, discord, person, sent } = await arrive();
    const route = "POST /users/@me/channels";
    sandbox.faults.failRest({ match: route, status: 403 });
    const open = (name: string) => discord.openDm(person(name));
    for (let count = 0; count < 10; count += 1)
      await expect(open("sarah")).rejects.toMatchObject({ code: "not_found" });
    expect(sent("POST /users/@me/channels")).toBe(1);
    expect(await open("mark")).toMatch(/^\d+$/);
    sandbox.as("sarah").dm("hello");
    await expect
      .poll(() =>
        open("sarah").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });
});
