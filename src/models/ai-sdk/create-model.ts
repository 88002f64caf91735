import { extractReasoningMiddleware, generateText, wrapLanguageModel } from "ai";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Model } from "../../ports/model.ts";
import { type ServerOptions, toModelFailure, toProvider } from "./server.ts";

const TIMEOUT_MS = 60_000;

/** A model behind an OpenAI-compatible server, spoken to by the AI SDK. */
export function createAiSdkModel(options: ServerOptions & Pick<Model, "contextTokens">): Model {
  const { name, contextTokens, timeoutMs = TIMEOUT_MS } = options;
  const model = wrapLanguageModel({
    model: toProvider(options).chatModel(name),
    middleware: extractReasoningMiddleware({ tagName: "think" }),
  });
  return {
    ...(contextTokens !== undefined && { contextTokens }),
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
        throw toModelFailure(error, abortSignal, "model");
      }
    },
  };
}
