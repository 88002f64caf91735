import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { linkCitations } from "../../src/agent/citations.ts";
import { shownPart } from "../../src/domain/answer/shown-part.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { createAiSdkChatModel } from "../../src/models/ai-sdk/create-chat-model.ts";
import { openTestAgent } from "../support/agent.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { openModelServer } from "../support/model-server.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { createScriptedAnswerer } from "../support/scripted-answerer.ts";

const SECRET = "The zeppelin lands at noon.";

describe("an answer that the gate refused", () => {
  it("does not come back when its model goes on writing during the next attempt", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    for (const channel of ["general", "pier"])
      sandbox.admin.setOverwrite(channel, "person:mark", { deny: ["ViewChannel"] });
    const answerer = createScriptedAnswerer();
    const { edge } = await openTestAgent(sandbox, { answerer, time: createFakeTime() });
    const { botId, directory } = edge.discord;
    const shown: string[] = [];
    edge.discord.listen((event) => {
      if ((event.type === "message" || event.type === "message_update") && event.message.author.id === botId)
        shown.push(event.message.content);
    });
    sandbox.as("mei").say("pier", SECRET);
    sandbox.as("sarah").say("general", `<@${botId}> zeppelin`);
    const first = await answerer.next();
    expect(first.found).toBe(SECRET);
    // From now on, Mark reads the answer, who may not read its source.
    sandbox.admin.removeOverwrite("general", "person:mark");
    const general = sandbox.community.channels.get("general") as ChannelId;
    await expect.poll(() => directory.canView(sandbox.community.people.get("mark") as UserId, general)).toBe(true);
    first.grow(`${SECRET} And`);
    const second = await answerer.next();
    expect(second.found).toBe("");
    first.grow(`${SECRET} And so on. And`);
    // Time for what would be shown of it.
    await delay(100);
    second.finish("Nothing was found. So it is.");
    await expect.poll(() => shown.at(-1)).toContain("So it is.");
    expect(shown.join()).not.toContain(SECRET);
  });
});

describe("a long text of a model", () => {
  it.each([
    ["white space", `It is${" ".repeat(30_000)}${"\n".repeat(30_000)}noon.`],
    ["marks of emphasis", "*a_".repeat(20_000)],
    ["sentences", "Noon. ".repeat(10_000)],
  ])("does not take the square of its length when it consists of %s", (_, text) => {
    // Each of these took more than the time of a test.
    for (let count = 0; count < 3; count += 1) {
      shownPart(text);
      expect(linkCitations(`${text} [m1]`, new Map()).unknown).toBe(1);
    }
  });

  it("is not looked at once more for each of its characters", async () => {
    const text = Array.from({ length: 8_000 }, (_, index) => (index % 8 === 7 ? " " : "a"));
    const server = await openModelServer(() => ({ text }));
    const model = createAiSdkChatModel({ baseUrl: server.url, name: "test" });
    const shown: string[] = [];
    const turns = [{ role: "user", text: "Go on." }] as const;
    const asked = { system: "", turns, tools: [], toolChoice: "auto", maxOutputTokens: 600 } as const;
    const step = await model.step({ ...asked, onText: (given) => void shown.push(given) });
    expect(shown.at(-1)).toBe(step.text);
    expect(step.text).toHaveLength(7_999);
    expect(shown.length).toBeGreaterThan(500);
    expect(shown.length).toBeLessThan(2_000);
  });
});
