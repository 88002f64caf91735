import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openTestEdge, until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

function count(sandbox: Sandbox, from: number, to: number): void {
  for (let number = from; number <= to; number += 1) sandbox.as("sarah").say("general", String(number));
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe("the connection of the edge", () => {
  it("is resumed after a cut, and nothing is lost or doubled", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    count(sandbox, 1, 3);
    await edge.find("message", ({ message }) => message.content === "3");
    sandbox.faults.cutSocket();
    count(sandbox, 4, 6);
    await edge.find("message", ({ message }) => message.content === "6");
    expect(edge.said()).toEqual(numbers(1, 6));
    expect(edge.of("gap")).toEqual([]);
    await until(() => edge.discord.state === "ready", "not ready again");
  });

  it("reports a gap that spans what was missed when the resume is refused", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox);
    count(sandbox, 1, 1);
    await edge.find("message");
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    const missed = sandbox.as("sarah").say("general", "missed");
    const gap = await edge.find("gap");
    expect(gap).toMatchObject({ reason: "resume_refused", guildIds: [sandbox.community.guild.id], shard: 0 });
    expect(Date.parse(gap.from)).toBeLessThanOrEqual(missed.timestamp);
    expect(Date.parse(gap.to)).toBeGreaterThanOrEqual(missed.timestamp);
    await until(
      () => edge.discord.directory.guilds().every(({ available }) => available),
      "the guild was not described again",
    );
    count(sandbox, 2, 2);
    await edge.find("message", ({ message }) => message.content === "2");
    expect(edge.said()).toEqual(["1", "2"]);
  });

  it("reports a gap when the session is invalidated", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox);
    sandbox.faults.invalidateSession();
    await edge.find("gap", ({ reason }) => reason === "resume_refused");
  });

  it("follows a request to reconnect without a gap", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    sandbox.faults.askReconnect();
    await edge.find("connection", ({ state }) => state === "reconnecting");
    count(sandbox, 1, 2);
    await edge.find("message", ({ message }) => message.content === "2");
    expect(edge.of("gap")).toEqual([]);
  });

  it("notices a connection that has died without a word", async () => {
    const sandbox = await openTestSandbox({ heartbeatMs: 1_000 });
    const edge = await openTestEdge(sandbox);
    sandbox.faults.muteHeartbeatAcks(3);
    await edge.find("connection", ({ state }) => state === "reconnecting");
    count(sandbox, 1, 1);
    await edge.find("message", ({ message }) => message.content === "1");
    expect(edge.of("gap")).toEqual([]);
  });

  it("notices that events were lost, trusts nothing until it knows better, and says so", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox);
    const { directory } = edge.discord;
    const general = sandbox.community.channels.get("general") as ChannelId;
    const mark = sandbox.community.people.get("mark") as UserId;
    expect(directory.canRead(mark, general)).toBe(true);
    count(sandbox, 1, 1);
    await edge.find("message");
    sandbox.faults.loseEvents(({ type }) => type === "CHANNEL_UPDATE", 1);
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    expect(directory.canRead(mark, general)).toBe(true);
    count(sandbox, 2, 2);
    const gap = await edge.find("gap", ({ reason }) => reason === "events_lost");
    expect(Date.parse(gap.from)).toBeLessThanOrEqual(Date.parse(gap.to));
    await until(() => directory.guilds().every(({ available }) => available), "no new session");
    expect(directory.canRead(mark, general)).toBe(false);
    expect(edge.said()).toEqual(["1", "2"]);
  });

  it("delivers what comes twice once, and what comes in the wrong order all the same", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    sandbox.faults.duplicateEvents(3);
    count(sandbox, 1, 3);
    sandbox.faults.reorderEvents(2);
    count(sandbox, 4, 7);
    await edge.find("message", ({ message }) => message.content === "7");
    await until(() => edge.said().length === 7, "not all arrived");
    expect([...edge.said()].sort()).toEqual(numbers(1, 7));
    await sleep(2_500);
    expect(edge.of("gap")).toEqual([]);
  });

  it("does not bring back a message whose deletion came first", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    sandbox.faults.reorderEvents(1);
    const sarah = sandbox.as("sarah");
    sarah.delete(sarah.say("general", "regretted"));
    count(sandbox, 1, 1);
    await edge.find("message", ({ message }) => message.content === "1");
    expect(edge.said()).toEqual(["1"]);
    expect(edge.of("message_delete")).toHaveLength(1);
  });

  it("keeps what happens before anybody listens", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox, { listenLater: true });
    count(sandbox, 1, 3);
    await sleep(100);
    expect(edge.events).toEqual([]);
    edge.listen();
    await edge.find("message", ({ message }) => message.content === "3");
    expect(edge.said()).toEqual(numbers(1, 3));
    expect(edge.of("guild")).toHaveLength(1);
  });

  it("spends one of the day's session starts on each new session, none on a resume", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const left = async () => {
      const response = await fetch(`${sandbox.api}/v10/gateway/bot`, {
        headers: { authorization: `Bot ${sandbox.token}` },
      });
      return ((await response.json()) as { session_start_limit: { remaining: number } }).session_start_limit.remaining;
    };
    expect(await left()).toBe(1000);
    const edge = await openTestEdge(sandbox);
    sandbox.faults.askReconnect();
    await edge.find("connection", ({ state }) => state === "reconnecting");
    await until(() => edge.discord.state === "ready", "not ready again");
    expect(await left()).toBe(999);
  });

  it("closes at once while it is trying to reconnect", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    await sandbox.close();
    await edge.find("connection", ({ state }) => state === "reconnecting");
    await edge.discord.close();
    expect(edge.discord.state).toBe("closed");
    const seen = edge.events.length;
    await sleep(1_200);
    expect(edge.events).toHaveLength(seen);
  });

  it("says plainly that the token is wrong, or that nobody is there", async () => {
    const sandbox = await openTestSandbox();
    await expect(openTestEdge(sandbox, { token: "wrong" })).rejects.toMatchObject({ code: "misconfigured" });
    await sandbox.close();
    await expect(openTestEdge(sandbox)).rejects.toMatchObject({ code: "unavailable" });
  });
});
