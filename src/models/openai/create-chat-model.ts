import { EarshotError } from "../../domain/errors.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ChatModel, Step, StepRequest, TokenUsage } from "../../ports/chat-model.ts";
import { mintId } from "./collect-calls.ts";
import { type AnswerBounds, type RawAnswer, readAnswer } from "./read-answer.ts";
import { post, type ServerOptions, ServerProblem, toModelFailure } from "./server.ts";
import { separateCalls, toShownText, withoutThinking } from "./split-text.ts";
import { estimateStepTokens, toMessage, toTool } from "./to-messages.ts";

/** Without a byte from the server. A slow model that goes on writing is not cut off. */
const TIMEOUT_MS = 60_000;
/** Far more than a token has on average: 4. */
const MAX_CHARACTERS_PER_TOKEN = 32;
/** Each token may come as an event of its own, with probabilities. */
const MAX_BYTES_PER_TOKEN = 8_192;
/** Servers that count thinking apart may send more than `maxOutputTokens`. */
const MIN_TOKENS = 1_024;
/** A text is looked at again when it has grown by this share: each look goes through all of it, and a delta may be a single character. */
const MIN_GROWTH = 1 / 256;
/** Refusals that say nothing about pictures: the key, the account, the time, the rate. */
const OTHER_REFUSALS = [401, 402, 403, 408, 429];

/** A model that calls tools, behind a server that speaks OpenAI's protocol. */
export function createChatModel(options: ServerOptions): ChatModel {
  const { timeoutMs = TIMEOUT_MS } = options;
  return {
    async step(request) {
      const silence = new AbortController();
      let hasBegun = false;
      const timer = setTimeout(() => silence.abort(new DOMException("No byte came.", "TimeoutError")), timeoutMs);
      const signal = AbortSignal.any([silence.signal, ...(request.signal ? [request.signal] : [])]);
      const shown = createShown(request);
      const onBytes = () => {
        hasBegun = true;
        timer.refresh();
      };
      try {
        const body = await post(options, { path: "/chat/completions", body: toBody(request, options), signal });
        const answer = await readAnswer(body, { ...toLimits(request), onBytes, onText: shown.onText });
        signal.throwIfAborted();
        const step = toStep(answer, request);
        shown.end(step.text);
        return step;
      } catch (error) {
        if (!signal.aborted && isPictureRefusal(error, request))
          throw new EarshotError("unsupported", "The model's server does not accept these pictures; ask without them.");
        throw toModelFailure(error, signal, "model", hasBegun);
      } finally {
        clearTimeout(timer);
        // Closes the connection where the answer has not been read to its end.
        silence.abort();
      }
    },
  };
}

function toBody({ system, turns, tools, toolChoice, maxOutputTokens }: StepRequest, { name }: ServerOptions): object {
  return {
    model: name,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...turns.map(toMessage)],
    ...(tools.length > 0 && { tools: tools.map(toTool), tool_choice: toolChoice }),
    max_tokens: maxOutputTokens,
    stream: true,
    // Without it, no server counts the tokens of a stream.
    stream_options: { include_usage: true },
  };
}

/** Shows what has been said so far, as far as that can be told from thinking and calls. */
function createShown(request: StepRequest) {
  const offered = offeredNames(request);
  let shown = "";
  let lookedAt = 0;
  const show = (text: string) => {
    if (text === shown || text === "") return;
    shown = text;
    request.onText?.(text);
  };
  return {
    onText(text: string) {
      if (!request.onText || text.length - lookedAt < text.length * MIN_GROWTH) return;
      lookedAt = text.length;
      show(toShownText(text, offered));
    },
    end: show,
  };
}

function toLimits(request: StepRequest): AnswerBounds {
  const tokens = Math.max(request.maxOutputTokens, MIN_TOKENS);
  return {
    takenIds: earlierIds(request),
    maxCharacters: tokens * MAX_CHARACTERS_PER_TOKEN,
    maxBytes: tokens * MAX_BYTES_PER_TOKEN,
  };
}

function isPictureRefusal(error: unknown, { turns }: StepRequest): boolean {
  const status = (error instanceof ServerProblem && error.status) || 0;
  const hasPictures = turns.some((turn) => turn.role === "user" && (turn.pictures?.length ?? 0) > 0);
  return hasPictures && status >= 400 && status < 500 && !OTHER_REFUSALS.includes(status);
}

const MAX_DEPTH = 100;

function toStep(answer: RawAnswer, request: StepRequest): Step {
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

function earlierIds({ turns }: StepRequest): Set<string> {
  return new Set(turns.flatMap((turn) => (turn.role === "assistant" ? turn.calls.map(({ id }) => id) : [])));
}

function offeredNames({ tools }: StepRequest): Set<string> {
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
