import { EarshotError } from "../../domain/errors.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import { ModelFailure } from "../../ports/model-failure.ts";

export interface ServerOptions {
  /** The address of any server that speaks OpenAI's protocol, such as Ollama's http://127.0.0.1:11434/v1. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** As that server calls it. */
  readonly name: string;
  readonly timeoutMs?: number;
}

type Reason = keyof typeof PROBLEMS | "unreachable" | "too_many_requests";

/** A failure of a model server. It contains no part of the request, nor of the server's words, which may repeat the request or the key. */
export class ServerProblem extends Error {
  readonly reason: Reason;
  /** Null where it could not be reached. */
  readonly status: number | null;
  readonly retryAfter: string | null;

  constructor(
    reason: Reason,
    { status = 200, retryAfter = null }: Partial<Pick<ServerProblem, "status" | "retryAfter">> = {},
  ) {
    super(reason);
    this.reason = reason;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The body of the server's answer. Throws a `ServerProblem`, or why the signal aborts. */
export async function post(
  { baseUrl, apiKey }: ServerOptions,
  { path, body, signal }: { readonly path: string; readonly body: object; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  signal.throwIfAborted();
  const request = {
    method: "POST",
    headers: { "content-type": "application/json", ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
    // The target of a redirect is not the configured server, and must not receive what people said.
    redirect: "error",
    signal,
  } as const;
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}${path}`, request).catch(() => null);
  if (!response) throw new ServerProblem("unreachable", { status: null });
  const { ok, status, headers } = response;
  const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "");
  if (ok && response.body && !isPage) return response.body;
  // Only the status and the headers of a refusal are needed.
  response.body?.cancel().catch(() => {});
  const reason = ok ? (isPage ? "not_a_model" : "unreadable") : toReason(status);
  throw new ServerProblem(reason, { status, retryAfter: headers.get("retry-after") });
}

function toReason(status: number): Reason {
  if (status === 429) return "too_many_requests";
  if (status === 401 || status === 403) return "key_refused";
  if (status === 404) return "no_such_model";
  return status < 500 ? "refused" : "server_failed";
}

type What = "model" | "embedder";

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
  const problem = error instanceof ServerProblem ? error : new ServerProblem("unreadable");
  if (problem.reason === "too_many_requests") return toRateLimit(problem.retryAfter, what);
  const details = { reason: problem.reason, httpStatus: problem.status };
  if (problem.reason === "unreachable")
    return fail("unavailable", details, `The ${what} could not be reached; is its server running?`);
  return fail("unavailable", details, PROBLEMS[problem.reason](`The ${what}'s server`, problem.status ?? 0));
}

const PROBLEMS = {
  key_refused: (server: string, status: number) => `${server} does not accept the key (status ${status}).`,
  no_such_model: (server: string, status: number) =>
    `${server} knows no model of that name, or nothing at that address (status ${status}).`,
  refused: (server: string, status: number) => `${server} refused (status ${status}).`,
  server_failed: (server: string, status: number) =>
    `${server} failed${status < 400 ? " in the middle of its answer" : ` (status ${status})`}; its log may say why.`,
  not_a_model: (server: string) => `${server} answered with a web page; is its address right?`,
  unreadable: (server: string) => `${server} gave an answer that could not be read.`,
  cut_off: (server: string) => `${server} ended its answer in the middle.`,
};

function fail(
  code: "timeout" | "unavailable",
  details: ConstructorParameters<typeof ModelFailure>[2],
  problem: string,
): ModelFailure {
  return new ModelFailure(code, problem, details);
}

/** A server that names a longer time is not believed: people are told it. */
const MAX_RETRY_SECONDS = 86_400;

function toRateLimit(header: string | null, what: string): ModelFailure {
  const retryAfter = Number(header ?? Number.NaN);
  const isKnown = retryAfter >= 0 && retryAfter <= MAX_RETRY_SECONDS;
  const when = isKnown ? `in ${formatSeconds(Math.ceil(retryAfter))}` : "later";
  return new ModelFailure("rate_limited", `The ${what} has been asked too much; try again ${when}.`, {
    ...{ reason: "too_many_requests", httpStatus: 429 },
    ...(isKnown && { retryAfter: Math.ceil(retryAfter) }),
  });
}
