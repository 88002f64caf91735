import { describe, expect, it } from "vitest";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** A forum in which only moderators may call something solved, and a bot that is one. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const tags = [{ name: "question" }, { name: "solved", moderated: true }];
  sandbox.admin.updateChannel("help", { tags });
  sandbox.admin.setOverwrite("help", "person:earshot", {
    allow: ["ViewChannel", "SendMessages", "SendMessagesInThreads", "ManageThreads"],
  });
  const test = await openTestGate(sandbox);
  const { id } = test;
  const post = async (tag: string) => {
    const operation = await test.open("sarah", "general");
    const args = { channel_id: id("help"), name: "Raffle", text: "Who brings the prizes?", tags: [tag] };
    return test.gate.callTool({ name: "discord.thread.create", args, operation }).then(
      () => "posted",
      ({ code }: { code: string }) => code,
    );
  };
  const posted = () =>
    [...sandbox.world.channels.values()].filter(({ parentId, name }) => parentId === id("help") && name === "Raffle");
  return { ...test, post, posted };
}

describe("a post in a forum", () => {
  it("bears no tag that its author may not set themselves, whatever the bot may", async () => {
    const { sandbox, post, settle, posted } = await arrive();
    expect(await post("solved")).toBe("forbidden");
    expect(posted()).toEqual([]);
    expect(await post("question")).toBe("posted");
    sandbox.admin.setOverwrite("help", "person:sarah", { allow: ["ManageThreads"] });
    await settle();
    expect(await post("solved")).toBe("posted");
    expect(posted()).toHaveLength(2);
  });
});
