import { describe, expect, it } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { openTestAgent } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** Somebody asks in #general while #pier cannot be read. */
async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const test = await openTestAgent(sandbox, { answerer: createBuiltinAnswerer() });
  const ask = async (words: string, place = "general") => {
    const question = sandbox.as("sarah").say(place, `<@${test.edge.discord.botId}> ${words}`);
    return (await test.answerTo(question.id)).content;
  };
  const match = `GET /channels/${sandbox.community.channels.get("pier")}/messages`;
  sandbox.faults.failRest({ match, times: 1_000, status: 400 });
  return { ...test, sandbox, ask };
}

const OUTAGE = "Some channels could not be read just now.";

describe("the built-in agent, while a channel cannot be read,", () => {
  it.each([
    ["where is the zeppelin?", "No messages found matching 'zeppelin'"],
    ["what did Mei say about the zeppelin?", "No messages found from "],
    ["what did we talk about last week?", "No recent activity"],
    ["have I asked you about the zeppelin before?", "No messages found from "],
  ])("says so before it says that nothing was found: %s", async (question, nothing) => {
    const { ask, sandbox } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    const answer = await ask(question);
    expect(answer.split("\n")[0]).toBe(OUTAGE);
    expect(answer).toContain(`\n${nothing}`);
    sandbox.faults.clear();
    expect(await ask(question)).toMatch(new RegExp(`^${nothing}`));
  });

  it("says in German what could not be read", async () => {
    const { ask } = await arrive();
    expect(await ask("wo ist der Zeppelin?")).toMatch(/^Einige Kanäle konnten gerade nicht gelesen werden\.\n/);
  });

  it("says in the small print of what it found that it did not see everything", async () => {
    const { ask, sandbox } = await arrive();
    sandbox.as("mark").say("general", "the crane is behind the shed");
    const answer = await ask("where is the crane?");
    expect(answer).toMatch(/behind the shed.*\n-# .*not everything could be reached just now/s);
    expect(answer).not.toContain(OUTAGE);
  });

  it("says of the channel itself that it cannot be read, and not that nothing was said there", async () => {
    const { ask } = await arrive();
    const answer = await ask("what did I miss in #pier?");
    expect(answer).toMatch(/^Discord does not accept the request\./);
  });
});
