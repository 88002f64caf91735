import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError } from "ai";
import { EarshotError } from "../../domain/errors.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";

export interface ServerOptions {
  /** Of any server that speaks OpenAI's protocol, such as Ollama's http://127.0.0.1:11434/v1. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** As that server calls it. */
  readonly name: string;
  readonly timeoutMs?: number;
}

interface Rewriting {
  /** Changes what is sent. */
  readonly toBody?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** Changes what the server answers before the AI SDK reads it. */
  readonly toResponse?: (response: Response) => Response;
}

export function toProvider({ baseUrl, apiKey }: ServerOptions, { toBody, toResponse }: Rewriting = {}) {
  return createOpenAICompatible({
    name: "configured",
    baseURL: baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    // Without it, no server counts the tokens of a stream.
    includeUsage: true,
    ...(toBody && { transformRequestBody: toBody }),
    fetch: async (input, init) => {
      // The target of a redirect is not the configured server, and must not receive what people said.
      const response = await fetch(input, { ...init, redirect: "error" });
      return toResponse?.(response) ?? response;
    },
  });
}

/** The library's errors carry what was asked, and the server's words may repeat it or the key: nothing of them is passed on. */
export function toEarshotError(
  error: unknown,
  { aborted, reason }: AbortSignal,
  what: "model" | "embedder",
): EarshotError {
  if (aborted && reason instanceof DOMException && reason.name === "TimeoutError")
    return new EarshotError("timeout", `The ${what} took too long to answer; try again, or ask for less.`);
  if (aborted) return new EarshotError("cancelled", "The call was cancelled.");
  const { statusCode, responseHeaders } = APICallError.isInstance(error) ? error : { statusCode: 200 };
  if (statusCode === undefined)
    return new EarshotError("unavailable", `The ${what} could not be reached; is its server running?`);
  if (statusCode === 429) return toRateLimit(responseHeaders?.["retry-after"], what);
  if (statusCode < 400) return unreadable(what);
  const problem = `The ${what}'s server refused with status ${statusCode}; are its address, name and key right?`;
  return new EarshotError("unavailable", problem);
}

export function unreadable(what: "model" | "embedder"): EarshotError {
  return new EarshotError("unavailable", `The ${what}'s answer could not be read.`);
}

/** A server that names a longer time is not believed: people are told it. */
const MAX_RETRY_SECONDS = 86_400;

function toRateLimit(header: string | undefined, what: string): EarshotError {
  const retryAfter = Number(header ?? Number.NaN);
  const isKnown = retryAfter >= 0 && retryAfter <= MAX_RETRY_SECONDS;
  const when = isKnown ? `in ${formatSeconds(Math.ceil(retryAfter))}` : "later";
  return new EarshotError("rate_limited", `The ${what} has been asked too much; try again ${when}.`, {
    ...(isKnown && { retryAfter: Math.ceil(retryAfter) }),
  });
}
