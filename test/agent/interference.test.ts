import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { openReusedAnswers } from "../support/agent-in-process.ts";
import { agentCases, compareAgents, emptyAgentTally } from "../support/agent-interference.ts";
import { assertUntil } from "../support/assert-until.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: process.env["SOAK_RUNS"] ? 0 : 240_000 });

const numRuns = Number(process.env["SOAK_RUNS"] ?? 8);

it("what the readers of an answer may not see changes no byte of what the agent says, shows or takes back", async () => {
  const tally = emptyAgentTally();
  const answers = await openReusedAnswers();
  const same = fc.asyncProperty(agentCases, async (one) => {
    expect(await compareAgents(one, tally, answers)).toBeNull();
  });
  // A comparison of silence with silence would hold as well.
  const expectEnough = () => {
    expect(tally.differences).toBeGreaterThan(numRuns / 2);
    expect(tally.quoting).toBeGreaterThan(0);
    expect(tally.hiddenMemories).toBeGreaterThan(0);
  };
  await assertUntil(same, expectEnough, { numRuns, endOnFailure: true });
  answers.close();
  // What is remembered is seldom for all who read an answer; in a few worlds there may be none.
  if (numRuns < 100) return;
  expect(tally.facts).toBeGreaterThan(0);
  expect(tally.talks).toBeGreaterThan(0);
  console.log(tally);
});
