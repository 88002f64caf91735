import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { openTestAgent } from "../support/agent.ts";
import { createFakeTime } from "../support/fake-time.ts";
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
