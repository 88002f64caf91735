import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DiscordError, liveTalk, startLiveTalk } from "../../sandbox/index.ts";
import { coreClient } from "../support/core-client.ts";
import { openTestSandbox } from "../support/sandbox.ts";

describe("people in the sandbox", () => {
  it("are found by key, by username and by id", async () => {
    const sandbox = await openTestSandbox();
    const sarah = sandbox.as("sarah");
    expect(sandbox.as(sarah.id).id).toBe(sarah.id);
    const wren = sandbox.admin.createPerson("wren.of.the.quay");
    expect(sandbox.as("wren.of.the.quay").id).toBe(wren);
    expect(() => sandbox.as("nobody")).toThrow('Unknown User: "nobody"');
  });

  it("obey the same rules as bots", async () => {
    const sandbox = await openTestSandbox();
    const said = sandbox.as("sarah").say("general", "mine");
    const refusal = (act: () => unknown): number | undefined => {
      try {
        act();
        return undefined;
      } catch (error) {
        return error instanceof DiscordError ? error.code : undefined;
      }
    };
    expect(refusal(() => sandbox.as("mark").say("staff-room", "let me in"))).toBe(50001);
    expect(refusal(() => sandbox.as("mark").edit(said, "yours"))).toBe(50005);
    expect(refusal(() => sandbox.as("mark").delete(said))).toBe(50013);
    expect(refusal(() => sandbox.as("mark").say("general", ""))).toBe(50006);
    expect(refusal(() => sandbox.as("mei").delete(said))).toBeUndefined();
    sandbox.admin.timeout("mark", 5);
    expect(refusal(() => sandbox.as("mark").say("general", "hello?"))).toBe(50013);
  });
});

describe("the control API for other processes", () => {
  it("sends a message as a person, and lists people and channels", async () => {
    const sandbox = await openTestSandbox();
    const client = await coreClient.connect(sandbox);
    onTestFinished(client.close);
    const said = await post(`${sandbox.url}/sandbox/say`, { as: "sarah", in: "general", text: "from outside" });
    expect(said.status).toBe(200);
    const seen = await client.seen.find("message");
    expect(await said.json()).toMatchObject({ message_id: seen.id });
    const reply = { as: "mark", in: "general", text: "indeed", reply_to: seen.id };
    await post(`${sandbox.url}/sandbox/say`, reply);
    await client.seen.find("message", ({ replyTo }) => replyTo === seen.id);
    const info = await (await fetch(`${sandbox.url}/sandbox/info`)).json();
    expect(info).toMatchObject({
      name: "Quay",
      bots: [{ name: "Earshot", token: sandbox.token }, { name: "gabriel" }],
    });
  });

  it("refuses to run a command that is unknown, for nobody, or not named", async () => {
    const sandbox = await openTestSandbox();
    const run = (body: object) => post(`${sandbox.url}/sandbox/run`, body);
    expect((await run({ as: "sarah" })).status).toBe(400);
    expect((await run({ as: "nobody", command: "x" })).status).toBe(404);
    expect((await run({ as: "sarah", command: "no-such-command" })).status).toBe(404);
  });

  it("rejects unknown commands and whatever Discord would reject", async () => {
    const sandbox = await openTestSandbox();
    const status = async (body: unknown) => (await post(`${sandbox.url}/sandbox/say`, body)).status;
    expect(await status({ as: "sarah" })).toBe(400);
    expect(await status({ as: "nobody", in: "general", text: "hi" })).toBe(404);
    expect(await status({ as: "mark", in: "staff-room", text: "hi" })).toBe(403);
  });
});

describe("live chatter", () => {
  it("continues until it is stopped, and skips people who may not send", async () => {
    const sandbox = await openTestSandbox();
    const general = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "");
    const lines = [
      { in: "general", by: "sarah", text: "one" },
      { in: "staff-room", by: "mark", text: "never" },
      { in: "general", by: "mark", text: "two" },
    ];
    const stop = startLiveTalk(sandbox, lines, { everyMs: 2, roundMs: 0 });
    while ((general?.messages.size ?? 0) < 4) await sleep(2);
    stop();
    const said = [...(general?.messages ?? [])].map(({ content }) => content);
    expect(said.slice(0, 4)).toEqual(["one", "two", "one", "two"]);
    await sleep(20);
    expect(general?.messages.size).toBe(said.length);
  });
});

describe("the talk of the sample community", () => {
  it("repeats no line within an hour, however fast it is", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const everyMs of [500, 45_000]) {
      const said: string[] = [];
      const stage = {
        as: (by: string) => ({ say: (place: string, text: string) => said.push(`${by} ${place} ${text}`) }),
      };
      const stop = startLiveTalk(stage, liveTalk, { everyMs });
      await vi.advanceTimersByTimeAsync(3_600_000);
      stop();
      expect(said.length).toBeGreaterThan(75);
      expect(new Set(said).size).toBe(said.length);
    }
  });
});

describe("a closing sandbox", () => {
  it("accepts no new connections while clients are connected", async () => {
    const sandbox = await openTestSandbox();
    const client = await coreClient.connect(sandbox);
    onTestFinished(client.close);
    await sandbox.close();
    await expect(fetch(`${sandbox.url}/sandbox/info`)).rejects.toThrow("fetch failed");
    await sandbox.close();
  });
});

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
}
