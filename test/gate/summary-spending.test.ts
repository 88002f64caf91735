import { expect, it } from "vitest";
import type { Model } from "../../src/ports/model.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTestSpending } from "../support/spending.ts";

it("a summary is written by the model until its actor has used up the tokens, then it is put together without it", async () => {
  const sandbox = await openTestSandbox();
  const budget = await openTestSpending({
    ...{ tokensPerAnswer: 5_000, tokensPerPersonHour: 5_000, tokensPerServerDay: 50_000 },
    tokensPerClientDay: 50_000,
  });
  const prompts: string[] = [];
  const model: Model = {
    async generate({ prompt }) {
      prompts.push(prompt);
      return { text: "- The mast comes on Monday [m1]", inputTokens: 4_000, outputTokens: 900 };
    },
  };
  const { call } = await openTestGate(sandbox, { model, spending: budget.spending });
  sandbox.as("sarah").say("general", "the mast comes on Monday");
  const summarise = async (as: string, focus: string) =>
    (await call("get_channel_summary", { focus }, { as, in: "general" })) as {
      by: string;
      points: { text: string }[];
    };

  expect(await summarise("sarah", "mast")).toMatchObject({ by: "model" });
  const extract = await summarise("sarah", "Monday");
  expect(extract.by).toBe("extract");
  expect(JSON.stringify(extract.points)).toContain("the mast comes on Monday");
  // What is in the cache costs nothing, and others have budgets of their own.
  expect(await summarise("sarah", "mast")).toMatchObject({ by: "model" });
  expect(await summarise("mark", "Monday")).toMatchObject({ by: "model" });
  expect(prompts).toHaveLength(2);
  expect(budget.spending.totals().today).toEqual({ inputTokens: 8_000, outputTokens: 1_800 });
});
