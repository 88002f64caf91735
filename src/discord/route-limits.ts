import type { InternalRequest } from "@discordjs/rest";
import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";

/** Maximum time for which a refusal is respected. */
const MAX_BLOCK_MS = 3_600_000;
/** First wait after a refusal without a time; doubles with each further one. */
const UNSAID_WAIT_MS = 1_000;
/** From the second consecutive refusal on, the minimum wait, doubling: Discord's times may be too short. */
const REPEATED_WAIT_MS = 250;
const MAX_BACK_OFF_MS = 60_000;

const GLOBAL = "global";

/** The times until which routes must not be called, from Discord's refusals. */
export class RouteLimits {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #refusalsInARow = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the route may be called; 0 if it may be called now. */
  waitMs(route: string): number {
    const until = Math.max(this.#until.get(route) ?? 0, this.#until.get(GLOBAL) ?? 0);
    return Math.max(0, until - this.#clock.now());
  }

  isGlobal(): boolean {
    return (this.#until.get(GLOBAL) ?? 0) > this.#clock.now();
  }

  /** Call when the bucket is empty for this long, without a refusal. */
  noteEmpty(route: string, waitMs: number): void {
    this.#until.set(route, this.#clock.now() + Math.min(waitMs, MAX_BLOCK_MS));
  }

  /** A 429. `waitMs` is null if Discord sent no time. */
  noteRefusal(route: string, waitMs: number | null, isGlobal: boolean): void {
    const count = (this.#refusalsInARow.get(route) ?? 0) + 1;
    this.#refusalsInARow.set(route, count);
    const backOff =
      waitMs === null ? UNSAID_WAIT_MS * 2 ** (count - 1) : count > 1 ? REPEATED_WAIT_MS * 2 ** (count - 2) : 0;
    const wait = Math.max(Math.min(waitMs ?? 0, MAX_BLOCK_MS), Math.min(backOff, MAX_BACK_OFF_MS));
    this.#until.set(isGlobal ? GLOBAL : route, this.#clock.now() + wait);
  }

  noteSuccess(route: string): void {
    this.#refusalsInARow.delete(route);
    this.#until.delete(route);
  }
}

/** Discord limits by route and its first id: the channel, guild or webhook. */
export function toRouteKey({ fullRoute, method }: Pick<InternalRequest, "fullRoute" | "method">): string {
  const [first = ""] = /\d{16,20}/.exec(fullRoute) ?? [];
  return `${method} ${fullRoute.replace(/\d{16,20}/g, ":id").replace(/\/reactions\/.*/, "/reactions")} ${first}`;
}

export function rateLimited(waitMs: number, isGlobal: boolean): EarshotError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000));
  const problem = `Discord is rate-limiting ${isGlobal ? "this bot" : "this route"}; retry in ${retryAfter} s.`;
  return new EarshotError("rate_limited", problem, { retryAfter });
}

/** The wait time of a 429, from its header or its body; null if neither has it. */
export function toWaitMs(header: string | null, body: string): number | null {
  const named = header === null || header.trim() === "" ? bodySeconds(body) : Number(header);
  if (named === null) return null;
  if (Number.isFinite(named) && named > 0) return named * 1_000;
  return null;
}

function bodySeconds(body: string): number | null {
  try {
    const { retry_after } = JSON.parse(body) as { retry_after?: unknown };
    return typeof retry_after === "number" ? retry_after : null;
  } catch {
    return null;
  }
}
