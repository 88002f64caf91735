import { APICallError, streamText } from "ai";
import { EarshotError } from "../../domain/errors.ts";
import type { ChatModel, StepRequest } from "../../ports/chat-model.ts";
import { type MendOptions, mendStream } from "./mend-stream.ts";
import { type ServerOptions, toModelFailure, toProvider } from "./server.ts";
import { toShownText } from "./split-text.ts";
import { toMessage, toToolSet } from "./to-messages.ts";
import { earlierIds, offeredNames, type RawAnswer, toStep } from "./to-step.ts";

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

/** A model that calls tools, behind an OpenAI-compatible server, spoken to by the AI SDK. */
export function createAiSdkChatModel(options: ServerOptions): ChatModel {
  const { timeoutMs = TIMEOUT_MS } = options;
  return {
    async step(request) {
      const silence = new AbortController();
      let hasBegun = false;
      const timer = setTimeout(() => silence.abort(new DOMException("No byte came.", "TimeoutError")), timeoutMs);
      const signals = [silence.signal, ...(request.signal ? [request.signal] : [])];
      const abortSignal = AbortSignal.any(signals);
      const onBytes = () => {
        hasBegun = true;
        timer.refresh();
      };
      try {
        abortSignal.throwIfAborted();
        const mend = { ...toLimits(request), onBytes };
        const { answer, shown } = await readAnswer(request, { options, mend, abortSignal });
        const step = toStep(answer, request);
        if (step.text !== shown && step.text !== "") request.onText?.(step.text);
        return step;
      } catch (error) {
        if (!abortSignal.aborted && isPictureRefusal(error, request))
          throw new EarshotError("unsupported", "The model's server does not accept these pictures; ask without them.");
        throw toModelFailure(error, abortSignal, "model", hasBegun);
      } finally {
        clearTimeout(timer);
        // Closes the connection where the answer has not been read to its end.
        silence.abort();
      }
    },
  };
}

async function readAnswer(
  request: StepRequest,
  deps: { readonly options: ServerOptions; readonly mend: MendOptions; readonly abortSignal: AbortSignal },
): Promise<{ readonly answer: RawAnswer; readonly shown: string }> {
  const { system, turns, tools, toolChoice, maxOutputTokens, onText } = request;
  const { options, mend, abortSignal } = deps;
  const offered = offeredNames(request);
  const provider = toProvider(options, {
    // Some servers do not heed it. The SDK would fail then, so that it is not told.
    toBody: (body) => (tools.length > 0 ? { ...body, tool_choice: toolChoice } : body),
    toResponse: (response) => mendResponse(response, mend),
  });
  const { stream } = streamText({
    model: provider.chatModel(options.name),
    ...(system !== "" && { instructions: system }),
    messages: turns.map(toMessage),
    ...(tools.length > 0 && { tools: toToolSet(tools) }),
    maxOutputTokens,
    abortSignal,
    maxRetries: 0,
    // The default prints the error, with everything that was asked.
    onError: () => {},
    // Pictures come as bytes: nobody may make us fetch an address.
    experimental_download: async (addresses) => {
      if (addresses.length > 0) throw new Error("Nothing is downloaded.");
      return [];
    },
  });
  const answer: RawAnswer = {
    text: "",
    reasoning: "",
    calls: new Map(),
    isCut: false,
    inputTokens: undefined,
    outputTokens: undefined,
  };
  /** What `onText` got last. */
  let shown = "";
  let lookedAt = 0;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    else if (part.type === "reasoning-delta") answer.reasoning += part.text;
    else if (part.type === "tool-input-start") answer.calls.set(part.id, { tool: part.toolName, args: "" });
    else if (part.type === "tool-input-delta") {
      const call = answer.calls.get(part.id);
      if (call) call.args += part.delta;
    } else if (part.type === "finish-step") {
      answer.isCut = part.finishReason === "length";
      answer.inputTokens = part.usage.inputTokens;
      answer.outputTokens = part.usage.outputTokens;
    } else if (part.type === "text-delta") {
      answer.text += part.text;
      const { length } = answer.text;
      if (length - lookedAt < length * MIN_GROWTH) continue;
      lookedAt = length;
      const text = onText ? toShownText(answer.text, offered) : shown;
      if (text === shown || text === "") continue;
      shown = text;
      onText?.(text);
    }
  }
  abortSignal.throwIfAborted();
  return { answer, shown };
}

/** Of a refusal, only the status and the headers are of use. */
function mendResponse(response: Response, options: MendOptions): Response {
  const { ok, body, status, headers } = response;
  if (!ok || !body) {
    void body?.cancel();
    return new Response(null, { status, headers });
  }
  const stream = ReadableStream.from(mendStream(body, options));
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}

function toLimits(request: StepRequest): MendOptions {
  const tokens = Math.max(request.maxOutputTokens, MIN_TOKENS);
  return {
    takenIds: earlierIds(request),
    maxCharacters: tokens * MAX_CHARACTERS_PER_TOKEN,
    maxBytes: tokens * MAX_BYTES_PER_TOKEN,
  };
}

function isPictureRefusal(error: unknown, { turns }: StepRequest): boolean {
  const status = APICallError.isInstance(error) ? (error.statusCode ?? 0) : 0;
  const hasPictures = turns.some((turn) => turn.role === "user" && (turn.pictures?.length ?? 0) > 0);
  return hasPictures && status >= 400 && status < 500 && !OTHER_REFUSALS.includes(status);
}
