import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Step, StepRequest, TokenUsage } from "../../ports/chat-model.ts";
import { mintId } from "./collect-calls.ts";
import type { RawAnswer } from "./read-answer.ts";
import { ServerProblem } from "./server.ts";
import { separateCalls, withoutThinking } from "./split-text.ts";
import { estimateStepTokens } from "./to-messages.ts";

const MAX_DEPTH = 100;

export function toStep(answer: RawAnswer, request: StepRequest): Step {
  const { text, calls: written } = separateCalls(withoutThinking(answer.text), offeredNames(request));
  const calls = answer.calls.map(({ id, tool, args }) => ({ id, tool, args: parseJson(args) }));
  const usedIds = new Set([...earlierIds(request), ...calls.map(({ id }) => id)]);
  for (const { tool, args } of written) {
    // Some servers send a call in both ways.
    const isKnown = calls.some((call) => call.tool === tool && JSON.stringify(call.args) === JSON.stringify(args));
    if (!isKnown) calls.push({ id: mintId(usedIds), tool, args });
  }
  return { text, calls, isCut: answer.isCut, usage: toUsage(answer, request) };
}

/** A server that counts nothing may still report zeros. */
function toUsage(answer: RawAnswer, request: StepRequest): TokenUsage {
  const said = [answer.reasoning, answer.text, ...answer.calls.map(({ tool, args }) => `${tool} ${args}`)];
  const estimatedOutput = said.reduce((total, text) => total + estimateTokens(text), 0);
  const isInputKnown = answer.inputTokens !== undefined && answer.inputTokens > 0;
  const isOutputKnown = answer.outputTokens !== undefined && (answer.outputTokens > 0 || estimatedOutput === 0);
  return {
    inputTokens: isInputKnown ? (answer.inputTokens ?? 0) : estimateStepTokens(request),
    outputTokens: isOutputKnown ? (answer.outputTokens ?? 0) : estimatedOutput,
    isEstimated: !(isInputKnown && isOutputKnown),
  };
}

/** Of the calls in earlier turns. */
export function earlierIds({ turns }: StepRequest): Set<string> {
  return new Set(turns.flatMap((turn) => (turn.role === "assistant" ? turn.calls.map(({ id }) => id) : [])));
}

export function offeredNames({ tools }: StepRequest): Set<string> {
  return new Set(tools.map(({ name }) => name));
}

/** Undefined for what is no JSON. Throws for what is nested more deeply than anything that reads it can follow. */
function parseJson(text: string): unknown {
  const value = tryJson(text);
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new ServerProblem("unreadable");
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return value;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
