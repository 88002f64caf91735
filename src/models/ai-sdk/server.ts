import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError } from "ai";
import { EarshotError } from "../../domain/errors.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import { ModelFailure } from "../../ports/model-failure.ts";

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
      if (response.ok && /^text\/html\b/i.test(response.headers.get("content-type") ?? "")) {
        void response.body?.cancel();
        throw new BodyProblem("not_a_model");
      }
      return toResponse?.(response) ?? response;
    },
  });
}

/** What is wrong with the body of an answer. The library passes it on as the cause of its own error. */
export class BodyProblem extends Error {
  readonly reason: "server_failed" | "not_a_model" | "unreadable" | "cut_off";

  constructor(reason: BodyProblem["reason"]) {
    super("The body of a model's answer is not what it should be.");
    this.reason = reason;
  }
}

type What = "model" | "embedder";

/** The library's errors carry what was asked, and the server's words may repeat it or the key: nothing of them is passed on. */
export function toModelFailure(error: unknown, { aborted, reason }: AbortSignal, what: What, hasBegun = false): Error {
  if (aborted && reason instanceof DOMException && reason.name === "TimeoutError")
    return hasBegun
      ? fail("timeout", { reason: "stalled", httpStatus: 200 }, `The ${what} stopped in the middle of its answer.`)
      : fail(
          "timeout",
          { reason: "silent", httpStatus: null },
          `The ${what} took too long to answer; try again, or ask for less.`,
        );
  if (aborted) return new EarshotError("cancelled", "The call was cancelled.");
  const { statusCode, responseHeaders } = APICallError.isInstance(error) ? error : { statusCode: 200 };
  const status = statusCode ?? null;
  if (status === null) {
    const problem = `The ${what} could not be reached; is its server running?`;
    return fail("unavailable", { reason: "unreachable", httpStatus: null }, problem);
  }
  if (status === 429) return toRateLimit(responseHeaders?.["retry-after"], what);
  const known = status < 400 ? (findBodyProblem(error) ?? "unreadable") : toRefusal(status);
  return fail("unavailable", { reason: known, httpStatus: status }, PROBLEMS[known](`The ${what}'s server`, status));
}

export function unreadable(what: What): ModelFailure {
  const problem = PROBLEMS.unreadable(`The ${what}'s server`, 200);
  return fail("unavailable", { reason: "unreadable", httpStatus: 200 }, problem);
}

type ServerProblem = "key_refused" | "no_such_model" | "refused" | BodyProblem["reason"];

const PROBLEMS: Readonly<Record<ServerProblem, (server: string, status: number) => string>> = {
  key_refused: (server, status) => `${server} does not accept the key (status ${status}).`,
  no_such_model: (server, status) =>
    `${server} knows no model of that name, or nothing at that address (status ${status}).`,
  refused: (server, status) => `${server} refused (status ${status}).`,
  server_failed: (server, status) =>
    `${server} failed${status < 400 ? " in the middle of its answer" : ` (status ${status})`}; its log may say why.`,
  not_a_model: (server) => `${server} answered with a web page; is its address right?`,
  unreadable: (server) => `${server} gave an answer that could not be read.`,
  cut_off: (server) => `${server} ended its answer in the middle.`,
};

function toRefusal(status: number): ServerProblem {
  if (status === 401 || status === 403) return "key_refused";
  if (status === 404) return "no_such_model";
  return status < 500 ? "refused" : "server_failed";
}

/** How deep the library puts what went wrong at most. */
const MAX_CAUSES = 5;

function findBodyProblem(error: unknown): BodyProblem["reason"] | null {
  let inner = error;
  for (let depth = 0; depth < MAX_CAUSES && inner instanceof Error; depth += 1) {
    if (inner instanceof BodyProblem) return inner.reason;
    inner = inner.cause;
  }
  return null;
}

function fail(
  code: "timeout" | "unavailable",
  details: ConstructorParameters<typeof ModelFailure>[2],
  problem: string,
): ModelFailure {
  return new ModelFailure(code, problem, details);
}

/** A server that names a longer time is not believed: people are told it. */
const MAX_RETRY_SECONDS = 86_400;

function toRateLimit(header: string | undefined, what: string): ModelFailure {
  const retryAfter = Number(header ?? Number.NaN);
  const isKnown = retryAfter >= 0 && retryAfter <= MAX_RETRY_SECONDS;
  const when = isKnown ? `in ${formatSeconds(Math.ceil(retryAfter))}` : "later";
  return new ModelFailure("rate_limited", `The ${what} has been asked too much; try again ${when}.`, {
    ...{ reason: "too_many_requests", httpStatus: 429 },
    ...(isKnown && { retryAfter: Math.ceil(retryAfter) }),
  });
}
