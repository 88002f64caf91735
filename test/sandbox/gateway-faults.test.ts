import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { JourneyClient } from "../support/journey-client.ts";
import { type Arrive, COMPRESSED_TOO, journeys } from "../support/journeys.ts";

function count(sandbox: Sandbox, from: number, to: number): void {
  for (let number = from; number <= to; number += 1) sandbox.as("sarah").say("general", String(number));
}

function counted(client: JourneyClient): string[] {
  return client.seen.of("message").map(({ content }) => content);
}

journeys("a broken connection", tellCut, COMPRESSED_TOO);

function tellCut(arrive: Arrive): void {
  it("is resumed, and missed events are replayed", async () => {
    const { sandbox, client } = await arrive();
    count(sandbox, 1, 3);
    await client.seen.find("message", ({ content }) => content === "3");
    sandbox.faults.cutSocket();
    count(sandbox, 4, 6);
    await client.seen.find("resumed");
    count(sandbox, 7, 7);
    await client.seen.find("message", ({ content }) => content === "7");
    expect(counted(client)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(client.seen.of("ready")).toHaveLength(1);
  });
}

journeys("a faulty gateway", (arrive) => {
  it("closes with a code after which clients resume", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.cutSocket(4000);
    count(sandbox, 1, 1);
    await client.seen.find("resumed");
    await client.seen.find("message", ({ content }) => content === "1");
  });

  it("refuses to resume, and a new session begins with a gap", async () => {
    const { sandbox, client } = await arrive();
    count(sandbox, 1, 1);
    await client.seen.find("message");
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    count(sandbox, 2, 2);
    while (client.seen.of("ready").length < 2) await sleep(20);
    count(sandbox, 3, 3);
    await client.seen.find("message", ({ content }) => content === "3");
    expect(counted(client)).toEqual(["1", "3"]);
    expect(client.seen.of("resumed")).toEqual([]);
  });

  it("requests a reconnect, after which the session continues", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.askReconnect();
    await client.seen.find("resumed");
    count(sandbox, 1, 1);
    await client.seen.find("message", ({ content }) => content === "1");
    expect(client.seen.of("ready")).toHaveLength(1);
  });

  it("invalidates the session, and another one begins", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.invalidateSession();
    while (client.seen.of("ready").length < 2) await sleep(20);
    count(sandbox, 1, 1);
    await client.seen.find("message", ({ content }) => content === "1");
  });

  it("invalidates the session as resumable, and it is resumed at once", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.invalidateSession(true);
    count(sandbox, 1, 1);
    await client.seen.find("resumed");
    await client.seen.find("message", ({ content }) => content === "1");
    expect(client.seen.of("ready")).toHaveLength(1);
  });

  it("loses events for good", async () => {
    const { sandbox, client } = await arrive();
    count(sandbox, 1, 1);
    sandbox.faults.loseEvents(2);
    count(sandbox, 2, 4);
    await client.seen.find("message", ({ content }) => content === "4");
    sandbox.faults.cutSocket();
    await client.seen.find("resumed");
    count(sandbox, 5, 5);
    await client.seen.find("message", ({ content }) => content === "5");
    expect(counted(client)).toEqual(["1", "4", "5"]);
  });

  it("loses only events of the given types", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.loseEvents(({ type }) => type === "MESSAGE_DELETE", 1);
    const first = sandbox.as("sarah").say("general", "first");
    const second = sandbox.as("sarah").say("general", "second");
    sandbox.as("sarah").delete(first);
    sandbox.as("sarah").delete(second);
    await client.seen.find("delete", ({ id }) => id === second.id);
    expect(client.seen.of("delete")).toHaveLength(1);
  });

  it("delays events and keeps their order", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.delayEvents(50);
    count(sandbox, 1, 3);
    sandbox.faults.clear();
    count(sandbox, 4, 4);
    await client.seen.find("message", ({ content }) => content === "4");
    expect(counted(client)).toEqual(["1", "2", "3", "4"]);
  });

  it("repeats events", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.duplicateEvents(1);
    sandbox.as("sarah").type("general");
    sandbox.as("mark").type("general");
    await client.seen.find("typing", ({ userId }) => userId === sandbox.as("mark").id);
    const typists = client.seen.of("typing").map(({ userId }) => userId);
    expect(typists).toEqual(["sarah", "sarah", "mark"].map((name) => sandbox.as(name).id));
  });

  it("swaps neighbouring events", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.reorderEvents(1);
    count(sandbox, 1, 3);
    await client.seen.find("message", ({ content }) => content === "3");
    expect(counted(client)).toEqual(["2", "1", "3"]);
  });

  it("leaves heartbeats unanswered, until the client closes the connection and resumes", async () => {
    const { sandbox, client } = await arrive({ heartbeatMs: 1_000 });
    sandbox.faults.muteHeartbeatAcks(1);
    await client.seen.find("resumed");
    count(sandbox, 1, 1);
    await client.seen.find("message", ({ content }) => content === "1");
  });

  it("works normally again when the faults are cleared", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.loseEvents(10);
    sandbox.faults.clear();
    count(sandbox, 1, 1);
    await client.seen.find("message", ({ content }) => content === "1");
  });
});
