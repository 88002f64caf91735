import { describe, expect, it } from "vitest";
import { OPERATOR_GRANT, type Scope } from "../../src/policy/grant.ts";
import { openTestAgent } from "../support/agent.ts";
import { serveRpc } from "../support/full-rpc.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { scriptChat } from "../support/scripted-chat.ts";
import { openTestSpending } from "../support/spending.ts";

const LIMITS = { tokensPerAnswer: 10_000, tokensPerPersonHour: 100_000, tokensPerServerDay: 1_000_000 };

/** Programs over a real socket, and a model that is asked for each answer. */
async function arrive(tokensPerClientDay: number, limits: Partial<typeof LIMITS> = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const budget = await openTestSpending({ ...LIMITS, ...limits, tokensPerClientDay });
  const model = scriptChat(() => "Aye.");
  const answerer = openModelAnswerer(model, { contextTokens: 4_096 });
  const world = await openTestAgent(sandbox, { answerer, spending: budget.spending });
  const rpc = await serveRpc(world);
  const channel_id = sandbox.community.channels.get("general");
  /** What a program is answered, or told instead. */
  const ask = async (name: string, scopes: readonly Scope[], who: string, message_id?: string) => {
    const client = await connectRaw({ url: rpc.url, token: () => rpc.token(name, { scopes: [...scopes] }) }, name);
    const opened = await client.call("operation.open", { actor: sandbox.as(who).id, channel_id, message_id });
    const { operation_id } = (opened as unknown as { value: { operation_id: string } }).value;
    const answer = await client.call("agent.ask", { question: "how deep is the harbour?" }, operation_id);
    return "error" in answer ? answer.error : (answer as unknown as { value: { text: string } }).value;
  };
  return { ...world, sandbox, model, ask, spent: () => budget.spending.totals().today };
}

describe("a program that asks the agent", () => {
  it("needs the scope agent:ask, without which nothing of the person's budget is spent", async () => {
    const { ask, model, spent } = await arrive(100_000);
    const rest = OPERATOR_GRANT.scopes.filter((scope) => scope !== "agent:ask");
    const refusal = {
      code: "forbidden",
      message: "This client may not use agent.ask; its grant lacks the scope agent:ask.",
    };
    expect(await ask("without", [], "sarah")).toMatchObject(refusal);
    expect(await ask("without", rest, "sarah")).toMatchObject(refusal);
    expect([model.requests.length, spent().inputTokens]).toEqual([0, 0]);
    expect(await ask("with", [...rest, "agent:ask"], "sarah")).toMatchObject({ text: "Without a source: Aye." });
    expect(spent().inputTokens).toBeGreaterThan(0);
  });

  it("has a question with 🚫 answered from the question alone, however it puts it to the agent", async () => {
    const { ask, model, sandbox } = await arrive(100_000);
    const asked = (text: string) => sandbox.as("sarah").say("general", text).id;
    await ask("desk", OPERATOR_GRANT.scopes, "sarah", asked("how deep is the harbour?"));
    await ask("desk", OPERATOR_GRANT.scopes, "sarah", asked("🚫 how deep is the harbour?"));
    expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false]);
  });

  it("is answered without the model where an answer may take nothing of it, and waits for no time to change that", async () => {
    const { ask, model } = await arrive(100_000, { tokensPerAnswer: 0 });
    const { text } = (await ask("desk", OPERATOR_GRANT.scopes, "sarah")) as { text: string };
    expect(text).toContain("This question would take more of the model than one answer may.");
    expect(model.requests).toHaveLength(0);
  });

  it("has a day's budget of its own, whomever it asks for, that leaves others theirs and names nobody", async () => {
    const { ask, model, sandbox, answerTo, edge } = await arrive(4_000);
    for (let count = 0; model.requests.length === count && count < 50; count += 1)
      await ask("desk", OPERATOR_GRANT.scopes, "sarah");
    const asked = model.requests.length;
    const told = await ask("desk", OPERATOR_GRANT.scopes, "mark");
    expect(JSON.stringify(told)).toContain("The budget for answers of the model is used up");
    expect(JSON.stringify(told)).not.toMatch(/sarah/i);
    expect(model.requests.length).toBe(asked);
    expect(await ask("other", OPERATOR_GRANT.scopes, "mark")).toMatchObject({ text: "Without a source: Aye." });
    const question = sandbox.as("sarah").say("general", `<@${edge.discord.botId}> how deep is the harbour?`);
    expect((await answerTo(question.id)).content).toContain("Aye.");
  });
});
