import { AsyncLocalStorage } from "node:async_hooks";
import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  type InternalRequest,
  RateLimitError,
  REST,
  type ResponseLike,
} from "@discordjs/rest";
import { Routes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type Delay, realDelay } from "./delay.ts";
import { type Raw, record } from "./read.ts";
import { RefusalBudget, type RefusalLimits } from "./refusal-budget.ts";
import { RememberedRefusals, type RequestSubject, toSubject } from "./remembered-refusals.ts";
import { mustBeRecord, readBody } from "./rest-answers.ts";
import { isHangUp, neverConnected, toEarshotError } from "./rest-errors.ts";
import { RouteLimits, rateLimited, toRouteKey, toWaitMs } from "./route-limits.ts";
import { TokenHealth } from "./token-health.ts";

export interface RestOptions {
  readonly token: string;
  /** Base of the API without version, such as https://discord.com/api. */
  readonly api: string;
  /** Rate limits that last longer fail with `rate_limited` instead of blocking. Well below what a call may take. */
  readonly maxWaitMs?: number;
  /** Timeout of a request. */
  readonly timeoutMs?: number;
  readonly delay?: Delay;
  /** By default Discord's own limits with a margin. */
  readonly refusals?: RefusalLimits;
}

export interface RestDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when Discord begins to refuse the bot token, and when it accepts it again. */
  onTokenChange?(isRefused: boolean): void;
  /** Called for each request that is refused because of the token. */
  onTokenRefused?: (() => void) | undefined;
}

/** How one request is treated. */
export interface RequestRules {
  /** Called right before each attempt is sent, after all waiting. An error that it throws stops the request. */
  readonly recheck?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Its result is visible to people: if it was sent and no answer came, it fails with `outcome_unknown`. */
  readonly isEffect?: boolean;
  /** Its result is invisible to people, as that of a read. The first to be held back after many refused requests. */
  readonly isOptional?: boolean;
}

type RequestInit = Parameters<typeof DefaultRestOptions.makeRequest>[1];

interface OpenRequest extends RequestRules {
  readonly isProbe?: boolean;
  /** Known once it is queued. */
  route?: string;
  subject?: RequestSubject;
  mayHaveArrived: boolean;
}

const MAX_WAIT_MS = 20_000;
const TIMEOUT_MS = 15_000;
const MAX_RETRIES = 3;
const FIRST_RETRY_MS = 250;
/** Refused requests per warning. */
const REFUSALS_PER_WARNING = 500;

/**
 * The library's client, with strict rules. It throws at every rate limit instead of sleeping, so that waiting is bounded and can be
 * cancelled; a 401 does not lose its token; failures are retried with back-off, if a retry is safe.
 */
export class ResilientRest extends REST {
  calls = 0;
  waits = 0;
  waitedMs = 0;
  readonly token: TokenHealth;
  readonly refusals: RememberedRefusals;
  readonly #requests = new AsyncLocalStorage<OpenRequest>();
  readonly #limits: RouteLimits;
  readonly #budget: RefusalBudget;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #delay: Delay;
  readonly #maxWaitMs: number;
  readonly #closed = new AbortController();

  constructor(options: RestOptions, { clock, log, onTokenChange, onTokenRefused }: RestDeps) {
    super({
      api: options.api,
      version: "10",
      retries: 0,
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      makeRequest: (url, init) => this.#leave(url, init),
      rejectOnRateLimit: () => true,
    });
    this.setToken(options.token);
    this.#clock = clock;
    this.#log = log;
    this.#delay = options.delay ?? realDelay;
    this.#maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;
    this.#limits = new RouteLimits(clock);
    this.#budget = new RefusalBudget(clock, options.refusals);
    this.refusals = new RememberedRefusals(clock);
    this.token = new TokenHealth({
      log,
      delay: this.#delay,
      probe: async () => {
        const request: OpenRequest = { mayHaveArrived: false, isProbe: true };
        await this.#requests.run(request, () => this.get("/users/@me"));
      },
      onChange: (isRefused) => onTokenChange?.(isRefused),
      onRefusal: () => onTokenRefused?.(),
    });
  }

  /** Runs one request by these rules. Throws only Earshot's own errors. */
  async ask<Answer>(rules: RequestRules, request: () => Promise<Answer>): Promise<Answer> {
    const { signal, isEffect = false } = rules;
    // A separate signal: the library never removes its listeners, and Node keeps the result of `AbortSignal.any` while it has listeners.
    const own = new AbortController();
    const abort = () => own.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const open: OpenRequest = { ...rules, signal: own.signal, mayHaveArrived: false };
    try {
      return await this.#requests.run(open, request);
    } catch (error) {
      throw toEarshotError(error, { signal, isEffect, mayHaveArrived: open.mayHaveArrived });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** The library accepts an answer that is not JSON. */
  override async request(request: InternalRequest): Promise<unknown> {
    const body = await readBody(await this.queueRequest(request));
    // Requested by the gateway, which trusts every answer.
    return request.fullRoute === Routes.gatewayBot() ? mustBeRecord(body, isGatewayInfo) : body;
  }

  override async queueRequest(request: InternalRequest): Promise<ResponseLike> {
    const open = this.#requests.getStore();
    // The gateway requests its address without rules.
    if (!open) return this.#requests.run({ mayHaveArrived: false }, () => this.queueRequest(request));
    const route = toRouteKey(request);
    open.route = route;
    const subject = toSubject(request);
    open.subject = subject;
    const deadline = this.#clock.now() + this.#maxWaitMs;
    for (let failures = 0; ; ) {
      // Bypasses the library, which would count it against the global rate limit.
      const refusal = this.refusals.find(subject);
      if (refusal) throw await toApiError(refusal, request);
      if (!open.isProbe && request.auth !== false) this.token.mustBeAccepted();
      this.#budget.mustAllow(open.isOptional !== true);
      await this.#waitFor(route, deadline, open);
      try {
        const response = await super.queueRequest({ ...request, ...(open.signal && { signal: open.signal }) });
        this.#limits.noteSuccess(route);
        this.refusals.noteSuccess(subject);
        return response;
      } catch (error) {
        if (error instanceof RateLimitError) {
          // The library also throws this for buckets known to be empty, without a request.
          const waitMs = Math.max(error.timeToReset, error.retryAfter);
          if (this.#limits.waitMs(route) === 0) this.#limits.noteEmpty(route, Math.max(waitMs, 1));
          continue;
        }
        failures += 1;
        if (!mayRepeat(error, failures, request.method)) throw error;
        await this.#delay(FIRST_RETRY_MS * 2 ** (failures - 1), open.signal);
      }
    }
  }

  /** Too many refusals by Discord: reads are not sent. */
  get holdsBackReads(): boolean {
    return this.#budget.holdsBackReads;
  }

  /** Aborts requests in progress, which would keep the process alive. Safe to repeat. */
  close(): void {
    this.#closed.abort();
    this.token.close();
    this.clearHandlerSweeper();
    this.clearHashSweeper();
  }

  /** Throws `rate_limited` if the route is not free in time. */
  async #waitFor(route: string, deadline: number, { signal }: OpenRequest): Promise<void> {
    const waitMs = this.#limits.waitMs(route);
    if (waitMs === 0) return;
    if (this.#clock.now() + waitMs > deadline) throw rateLimited(waitMs, this.#limits.isGlobal());
    this.waits += 1;
    this.waitedMs += waitMs;
    this.#log.info({ route, waitMs: Math.round(waitMs) }, "waiting for a rate limit of Discord");
    await this.#delay(waitMs, signal);
  }

  /** Called when a request is sent. */
  async #leave(url: string, init: RequestInit): Promise<ResponseLike> {
    const open = this.#requests.getStore() ?? { mayHaveArrived: false };
    if (this.#closed.signal.aborted) throw new EarshotError("unavailable", "Earshot is shutting down.");
    open.recheck?.();
    open.signal?.throwIfAborted();
    // An equal request was refused meanwhile.
    const refusal = open.subject && this.refusals.find(open.subject);
    if (refusal) return refusal;
    if (!open.subject) return this.#send(url, init, open);
    this.refusals.begin(open.subject);
    try {
      return await this.#send(url, init, open);
    } finally {
      this.refusals.end(open.subject);
    }
  }

  async #send(url: string, init: RequestInit, open: OpenRequest): Promise<ResponseLike> {
    this.calls += 1;
    let response: ResponseLike;
    try {
      response = await DefaultRestOptions.makeRequest(toDocumented(url), { ...init, signal: this.#orClosed(init) });
    } catch (error) {
      if (!neverConnected(error)) open.mayHaveArrived = true;
      throw error;
    }
    const { status } = response;
    if (status < 400 || status >= 500) open.mayHaveArrived = true;
    // These bodies are not read elsewhere, and an unread body keeps its request in memory.
    if (status === 204 || status >= 500) await response.arrayBuffer().catch(() => undefined);
    if (status === 401 && hasToken(init)) {
      await response.arrayBuffer().catch(() => undefined);
      this.#countRefusal();
      // The library would drop its token if it saw this answer.
      throw this.token.refuse();
    }
    if (status < 400) this.token.accept();
    if (status === 401 || status === 403 || status === 429) await this.#noteRefusal(response, open.route ?? "");
    return open.subject && (status === 403 || status === 404) ? this.refusals.note(open.subject, response) : response;
  }

  async #noteRefusal(response: ResponseLike, route: string): Promise<void> {
    const { status, headers } = response;
    if (status !== 429 || headers.get("x-ratelimit-scope") !== "shared") this.#countRefusal();
    if (status !== 429) return;
    const waitMs = toWaitMs(headers.get("retry-after"), await response.text().catch(() => ""));
    this.#limits.noteRefusal(route, waitMs, headers.has("x-ratelimit-global"));
  }

  #orClosed({ signal }: { readonly signal?: AbortSignal | null }): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
  }

  #countRefusal(): void {
    const refused = this.#budget.note();
    if (refused % REFUSALS_PER_WARNING === 0)
      this.#log.warn({ refused }, "many refused requests: Discord bans an address after 10,000 in ten minutes");
  }
}

/** The library writes `%40me` and `%40original`, which some servers do not accept in place of Discord's documented routes. */
function toDocumented(url: string): string {
  return url.replace(/(?<=\/)%40(?=(?:me|original)(?:[/?]|$))/gi, "@");
}

/** Creates the error that the library would create from an answer. */
async function toApiError(answer: ResponseLike, { method, fullRoute }: InternalRequest): Promise<DiscordAPIError> {
  const { code = 0, message = "", ...more } = record(await answer.json().catch(() => null));
  return new DiscordAPIError(
    { code: Number(code), message: String(message), ...more },
    Number(code),
    answer.status,
    method,
    fullRoute,
    {},
  );
}

function isGatewayInfo({ url, shards, session_start_limit }: Raw): boolean {
  const { remaining, reset_after, max_concurrency } = record(session_start_limit);
  const counts = [shards, remaining, reset_after, max_concurrency];
  return typeof url === "string" && URL.canParse(url) && counts.every((count) => typeof count === "number");
}

function hasToken({ headers }: { readonly headers?: unknown }): boolean {
  return typeof headers === "object" && headers !== null && "Authorization" in headers;
}

/**
 * 5xx is retried for everything: messages have a nonce, and a private note shown twice does less harm than one not shown. A broken
 * connection is retried once, and only for requests that are safe to repeat.
 */
function mayRepeat(error: unknown, failures: number, method: string): boolean {
  if (error instanceof HTTPError) return error.status >= 500 && failures <= MAX_RETRIES;
  return isHangUp(error) && method !== "POST" && failures <= 1;
}
