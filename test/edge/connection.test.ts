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

describe("the gateway connection", () => {
  it("is resumed after it was cut, without losing or repeating an event", async () => {
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

  it("reports a gap that covers the missed time when Discord refuses to resume the session", async () => {
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

  it("waits a second for a new session where Discord refuses to resume, however often it was not reached before", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const entries: { readonly msg: string; readonly waitMs?: number }[] = [];
    const info = (fields: { readonly waitMs?: number }, msg: string) => void entries.push({ ...fields, msg });
    const log = { debug() {}, info, warn() {}, error() {} };
    const edge = await openTestEdge(sandbox, { log, delay: async () => {} });
    sandbox.faults.refuseResume();
    sandbox.faults.refuseConnections({ status: 503 }, 5);
    sandbox.faults.cutSocket();
    await edge.find("gap", ({ reason }) => reason === "resume_refused");
    const waits = entries.filter(({ waitMs }) => waitMs !== undefined).map(({ msg, waitMs }) => [msg, waitMs]);
    const missed = "gateway not reached; trying again after the back-off";
    expect(waits).toEqual([
      ...[1_000, 2_000, 4_000, 8_000, 16_000].map((waitMs) => [missed, waitMs]),
      ["Discord does not resume the session; asking for a new one", 1_000],
    ]);
  });

  it("reports a gap when Discord invalidates the session", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox);
    sandbox.faults.invalidateSession();
    await edge.find("gap", ({ reason }) => reason === "resume_refused");
  });

  it("reconnects without a gap when Discord requests it", async () => {
    const sandbox = await openTestSandbox();
    const edge = await openTestEdge(sandbox);
    sandbox.faults.askReconnect();
    await edge.find("connection", ({ state }) => state === "reconnecting");
    count(sandbox, 1, 2);
    await edge.find("message", ({ message }) => message.content === "2");
    expect(edge.of("gap")).toEqual([]);
  });

  it("is replaced when heartbeats go unanswered", async () => {
    const sandbox = await openTestSandbox({ heartbeatMs: 1_000 });
    const edge = await openTestEdge(sandbox);
    sandbox.faults.muteHeartbeatAcks(3);
    await edge.find("connection", ({ state }) => state === "reconnecting");
    count(sandbox, 1, 1);
    await edge.find("message", ({ message }) => message.content === "1");
    expect(edge.of("gap")).toEqual([]);
  });

  it("reports a gap when events were lost, and trusts no permissions until they are confirmed", async () => {
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

  it("trusts no permissions after it was resumed without events that were lost before, until the new session it waits for", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const logged: string[] = [];
    const note = (_fields: object, text: string) => void logged.push(text);
    // New sessions are a minute apart. By this clock 55 seconds have passed since the last, so that the next one has to be waited for.
    const openedAt = Date.now();
    const clock = { now: () => Date.now() - openedAt + 55_000 };
    const edge = await openTestEdge(sandbox, { clock, log: { debug() {}, info: note, warn() {}, error() {} } });
    const { directory } = edge.discord;
    const isTrusted = () => directory.guilds().every(({ available }) => available);
    const canRead = (person: string) =>
      directory.canRead(
        sandbox.community.people.get(person) as UserId,
        sandbox.community.channels.get("general") as ChannelId,
      );
    sandbox.faults.loseEvents(({ type }) => type === "CHANNEL_UPDATE", 1);
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    count(sandbox, 1, 1);
    await until(() => !isTrusted(), "the loss was not noticed");
    sandbox.faults.cutSocket();
    await until(() => logged.includes("gateway session resumed") || isTrusted(), "not connected again");
    expect(canRead("mark")).toBe(false);
    await until(() => isTrusted() && canRead("sarah"), "no new session after the loss");
    expect(canRead("mark")).toBe(false);
  });

  it("trusts no permissions that arrive after newer ones, until they are described again", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const edge = await openTestEdge(sandbox);
    const canRead = (person: string) =>
      edge.discord.directory.canRead(
        sandbox.community.people.get(person) as UserId,
        sandbox.community.channels.get("general") as ChannelId,
      );
    sandbox.faults.reorderEvents(1);
    sandbox.admin.setOverwrite("general", "person:mark", { allow: ["ViewChannel"] });
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ViewChannel"] });
    count(sandbox, 1, 1);
    await edge.find("message");
    expect(canRead("mark")).toBe(false);
    await until(() => canRead("sarah"), "not described again");
    expect(canRead("mark")).toBe(false);
  });

  it("delivers repeated events once, and delivers events that arrive out of order", async () => {
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

  it("does not restore a message whose deletion arrived first", async () => {
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

  it("buffers events until the first listener is added", async () => {
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

  it("uses one of the daily session starts for each new session and none for a resume", async () => {
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

  it("can be closed at once while it is reconnecting", async () => {
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

  it("fails to open with an error that tells a wrong token from an unreachable server", async () => {
    const sandbox = await openTestSandbox();
    await expect(openTestEdge(sandbox, { token: "wrong" })).rejects.toMatchObject({ code: "misconfigured" });
    await sandbox.close();
    await expect(openTestEdge(sandbox)).rejects.toMatchObject({ code: "unavailable" });
  });
});
