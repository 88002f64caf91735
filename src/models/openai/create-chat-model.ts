import { EarshotError } from "../../domain/errors.ts";
import type { ChatModel, StepRequest } from "../../ports/chat-model.ts";
import { type AnswerBounds, readAnswer } from "./read-answer.ts";
import { post, type ServerOptions, ServerProblem, toModelFailure } from "./server.ts";
import { toShownText } from "./split-text.ts";
import { toMessage, toTool } from "./to-messages.ts";
import { earlierIds, offeredNames, toStep } from "./to-step.ts";

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
