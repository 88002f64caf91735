import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, extractReasoningMiddleware, generateText, wrapLanguageModel } from "ai";
import { EarshotError } from "../../domain/errors.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Model } from "../../ports/model.ts";

interface AiSdkModelOptions {
  /** Of any server that speaks OpenAI's protocol, such as Ollama's http://127.0.0.1:11434/v1. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** As that server calls it. */
  readonly name: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** A model behind an OpenAI-compatible server, spoken to by the AI SDK. */
export function createAiSdkModel(options: AiSdkModelOptions): Model {
  const { baseUrl, apiKey, name, timeoutMs = TIMEOUT_MS } = options;
  const provider = createOpenAICompatible({
    name: "configured",
    baseURL: baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    // Whoever is redirected to is not who was configured, and must not be told what people said.
    fetch: (input, init) => fetch(input, { ...init, redirect: "error" }),
  });
  const model = wrapLanguageModel({
    model: provider.chatModel(name),
    middleware: extractReasoningMiddleware({ tagName: "think" }),
  });
  return {
    async generate({ system, prompt, maxOutputTokens, signal }) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        abortSignal.throwIfAborted();
        const request = { model, instructions: system, prompt, maxOutputTokens, abortSignal, maxRetries: 0 };
        const { text, usage } = await generateText(request);
        return {
          text,
          inputTokens: usage.inputTokens ?? estimateTokens(system) + estimateTokens(prompt),
          outputTokens: usage.outputTokens ?? estimateTokens(text),
        };
      } catch (error) {
        throw toEarshotError(error, abortSignal);
      }
    },
  };
}

/** The library's errors carry the prompt, and the server's words may repeat it or the key: nothing of them is passed on. */
function toEarshotError(error: unknown, { aborted, reason }: AbortSignal): EarshotError {
  if (aborted && reason instanceof DOMException && reason.name === "TimeoutError")
    return new EarshotError("timeout", "The model took too long to answer; try again, or ask for less.");
  if (aborted) return new EarshotError("cancelled", "The call was cancelled.");
  const { statusCode, responseHeaders } = APICallError.isInstance(error) ? error : { statusCode: 200 };
  if (statusCode === undefined)
    return new EarshotError("unavailable", "The model could not be reached; is its server running?");
  if (statusCode === 429) return toRateLimit(responseHeaders?.["retry-after"]);
  if (statusCode < 400) return new EarshotError("unavailable", "The model's answer could not be read.");
  const problem = `The model's server refused with status ${statusCode}; are its address, name and key right?`;
  return new EarshotError("unavailable", problem);
}

function toRateLimit(header: string | undefined): EarshotError {
  const retryAfter = Number(header ?? Number.NaN);
  const isKnown = Number.isFinite(retryAfter) && retryAfter >= 0;
  const when = isKnown ? `in ${Math.ceil(retryAfter)} seconds` : "later";
  return new EarshotError("rate_limited", `The model has been asked too much; try again ${when}.`, {
    ...(isKnown && { retryAfter: Math.ceil(retryAfter) }),
  });
}
