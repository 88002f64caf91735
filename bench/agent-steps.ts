import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, jsonSchema, streamText, tool } from "ai";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import { AGENT } from "../src/agent/agent-grant.ts";
import { createBuiltinAnswerer } from "../src/agent/builtin/builtin-answerer.ts";
import { toContextBudget } from "../src/agent/model/context-budget.ts";
import { createModelAnswerer } from "../src/agent/model/model-answerer.ts";
import { toPrompt } from "../src/agent/model/prompt.ts";
import { offerTools } from "../src/agent/model/tool-offers.ts";
import { createToolbox } from "../src/agent/toolbox.ts";
import type { ChannelId, GuildId, UserId } from "../src/domain/ids.ts";
import { createChatModel } from "../src/models/openai/create-chat-model.ts";
import { FairQueue } from "../src/policy/fair-queue.ts";
import type { Operation } from "../src/policy/operation.ts";
import { contextWindow } from "../src/tools/context-window.ts";
import type { Row } from "../test/support/table.ts";
import { openInstantModel } from "./instant-model.ts";
import { openProduct, type Product } from "./product.ts";

const CONTEXT_TOKENS = 32_768;
const ROUNDS = 60;
const WARM_UP = 8;
const GOAL_MS = 15;
const QUESTION = "when is the tideboard deadline?";
const log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * What a step of the agent costs around the model: from the end of the model's answer, which asks for tools, to the arrival of the request with their
 * results. Beside it a bare loop of the AI SDK, with the same prompt and tools, that calls the gate and does nothing else. Both in turn, so that a
 * busy machine slows them alike.
 */
export async function measureSteps(): Promise<Row[]> {
  const clock = { now: () => Date.now() };
  const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
  const product = await openProduct(sandbox, clock);
  const channelId = (sandbox.community.channels.get("general") ?? "") as ChannelId;
  const actor = sandbox.as("sarah").id as UserId;
  const open = () => product.core.operations.open(AGENT, { actor, channelId });
  const rows: Row[] = [];
  for (const calls of [1, 3] as const) {
    const [ours, bare] = [await openInstantModel(calls), await openInstantModel(calls)];
    const answerer = createModelAnswerer({
      model: createChatModel({ baseUrl: ours.url, name: "instant" }),
      contextTokens: CONTEXT_TOKENS,
      builtin: createBuiltinAnswerer(),
      queue: new FairQueue({ running: 1, runningPerOwner: 1, waitingPerOwner: 1 }),
      clock: { now: () => Date.now() },
      log,
    });
    for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
      await runBare(bare.url, await open(), product);
      const toolbox = createToolbox({ operation: await open() }, { gate: product.core.gate, idOf: product.core.idOf });
      await answerer.answer(
        {
          ...{ text: QUESTION, actor: { id: actor, name: "sarah" }, channelId, askedAt: clock.now(), timeZone: "UTC" },
          guildId: sandbox.community.guild.id as GuildId,
          agent: { id: product.discord.botId, name: product.discord.botName },
          ...{ messageId: null, about: null, isPrivate: false, isIsolated: false },
          ...{ languageBefore: null, before: async () => null },
        },
        toolbox,
      );
    }
    rows.push(...toRows(calls, ours.gaps.slice(WARM_UP), bare.gaps.slice(WARM_UP)));
    await ours.close();
    await bare.close();
  }
  await product.close();
  await sandbox.close();
  return rows;
}

async function runBare(url: string, operation: Operation, { core: { gate } }: Product): Promise<void> {
  const budget = toContextBudget(CONTEXT_TOKENS);
  const tools = gate.tools.filter((each) => gate.isFor(each, operation.client));
  const offered = offerTools(tools, { kind: "search", isIsolated: false, budget });
  const args = { handles: true, pictures: "url", pictures_of: "request", max_tokens: budget.windowTokens };
  const { value } = await gate.callTool({ name: contextWindow.name, args, operation });
  const { turns } = contextWindow.output.parse(value);
  const toolSet = offered.map(({ tool: { name, maxTokensField }, offer }) => [
    offer.name,
    tool({
      description: offer.about,
      inputSchema: jsonSchema<object>(offer.schema),
      execute: async (given) => {
        const bounded = { ...given, ...(maxTokensField && { [maxTokensField]: budget.resultTokens }) };
        return (await gate.callTool({ name, args: bounded, operation, wantsText: true })).text ?? "";
      },
    }),
  ]);
  const { text } = streamText({
    model: createOpenAICompatible({ name: "bare", baseURL: url, includeUsage: true }).chatModel("instant"),
    instructions: toPrompt(offered.map(({ tool: { name } }) => name)),
    prompt: [...turns.map((turn) => turn.text), QUESTION].join("\n\n"),
    tools: Object.fromEntries(toolSet),
    stopWhen: isStepCount(budget.maxSteps),
  });
  await text;
}

function toRows(calls: number, ours: readonly number[], bare: readonly number[]): Row[] {
  const what = `a step with ${calls === 1 ? "1 call" : `${calls} calls at once`}`;
  const above = at(ours, 0.95) - at(bare, 0.95);
  return [
    { what: `${what}, bare loop`, figure: format(bare) },
    {
      what: `${what}, the agent`,
      figure: format(ours),
      note: `p95 ${above.toFixed(1)} ms above; goal ${GOAL_MS}: ${above <= GOAL_MS ? "met" : "missed"}`,
    },
  ];
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function format(values: readonly number[]): string {
  return `p50 ${at(values, 0.5).toFixed(1)} ms, p95 ${at(values, 0.95).toFixed(1)} ms`;
}
