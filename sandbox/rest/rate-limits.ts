import { createHash } from "node:crypto";
import type { Clock } from "../world/world.ts";
import type { Method } from "./route.ts";

interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

interface Bucket extends Limit {
  readonly id: string;
  /** The limit announced in the headers, if it differs. */
  readonly promised?: Limit;
}

interface Window {
  used: number;
  endsAt: number;
}

export interface RateLimitRequest {
  readonly method: Method;
  readonly path: string;
  /** The major parameter (channel, guild or webhook): each has its own count. */
  readonly major: string;
  /** The bot, or the webhook. */
  readonly who: string;
  /** Interactions do not count towards the global limit. */
  readonly isGlobal: boolean;
}

export interface RateLimitVerdict {
  readonly headers: Record<string, string>;
  /** Set when the request is refused. */
  readonly refusal?: { readonly message: string; readonly retry_after: number; readonly global: boolean };
}

const GLOBAL: Limit = { requests: 50, windowMs: 1_000 };
const USUAL: Limit = { requests: 50, windowMs: 1_000 };

/** As observed; Discord documents none of them. */
const LIMITS: Readonly<Record<string, Limit & { readonly promised?: Limit }>> = {
  "POST /channels/{channel_id}/messages": { requests: 5, windowMs: 5_000 },
  "PATCH /channels/{channel_id}/messages/{message_id}": { requests: 5, windowMs: 5_000 },
  "DELETE /channels/{channel_id}/messages/{message_id}": { requests: 5, windowMs: 1_000 },
  "POST /channels/{channel_id}/messages/bulk-delete": { requests: 1, windowMs: 3_000 },
  // The headers announce a thousand, but the sixth page within five seconds is refused.
  // https://github.com/discord/discord-api-docs/issues/8161
  "GET /channels/{channel_id}/messages": {
    requests: 5,
    windowMs: 5_000,
    promised: { requests: 1_000, windowMs: 5_000 },
  },
  "PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me": { requests: 1, windowMs: 250 },
  "POST /channels/{channel_id}/typing": { requests: 5, windowMs: 5_000 },
  "GET /guilds/{guild_id}/members": { requests: 10, windowMs: 10_000 },
  "GET /guilds/{guild_id}/members/{user_id}": { requests: 5, windowMs: 1_000 },
  "GET /guilds/{guild_id}/members/search": { requests: 10, windowMs: 10_000 },
  "GET /guilds/{guild_id}/messages/search": { requests: 10, windowMs: 10_000 },
  "POST /users/@me/channels": { requests: 10, windowMs: 10_000 },
  "POST /webhooks/{webhook_id}/{webhook_token}": { requests: 5, windowMs: 2_000 },
};

/** Counts requests as Discord does: a bucket per route and major parameter, and one for everything together. */
export function createRateLimits(clock: Clock): (request: RateLimitRequest) => RateLimitVerdict {
  const windows = new Map<string, Window>();
  const buckets = new Map<string, Bucket>();

  const openWindow = (key: string, limit: Limit): Window => {
    const now = clock.now();
    const current = windows.get(key);
    if (current && current.endsAt > now) return current;
    if (windows.size > 10_000) for (const [old, { endsAt }] of windows) if (endsAt <= now) windows.delete(old);
    const fresh = { used: 0, endsAt: now + limit.windowMs };
    windows.set(key, fresh);
    return fresh;
  };

  return ({ method, path, major, who, isGlobal }) => {
    const route = `${method} ${path}`;
    const bucket = buckets.get(route) ?? toBucket(route);
    buckets.set(route, bucket);
    const shared = isGlobal ? openWindow(`global ${who}`, GLOBAL) : undefined;
    if (shared && shared.used >= GLOBAL.requests) {
      return refuse(shared, clock.now(), { "X-RateLimit-Global": "true", "X-RateLimit-Scope": "global" });
    }
    const window = openWindow(`${bucket.id} ${major} ${who}`, bucket);
    if (window.used >= bucket.requests) {
      const headers = describe(bucket, bucket, { left: 0, window, now: clock.now() });
      return refuse(window, clock.now(), { ...headers, "X-RateLimit-Scope": "user" });
    }
    window.used += 1;
    if (shared) shared.used += 1;
    const told = bucket.promised ?? bucket;
    const left = told.requests - window.used;
    return { headers: describe(bucket, told, { left, window, now: clock.now() }) };
  };
}

function toBucket(route: string): Bucket {
  const id = createHash("md5").update(route).digest("hex");
  return { id, ...(LIMITS[route] ?? USUAL) };
}

function describe(
  bucket: Bucket,
  told: Limit,
  { left, window, now }: { left: number; window: Window; now: number },
): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(told.requests),
    "X-RateLimit-Remaining": String(left),
    "X-RateLimit-Reset": (window.endsAt / 1000).toFixed(3),
    "X-RateLimit-Reset-After": (Math.max(0, window.endsAt - now) / 1000).toFixed(3),
    "X-RateLimit-Bucket": bucket.id,
  };
}

function refuse(window: Window, now: number, headers: Record<string, string>): RateLimitVerdict {
  const wait = Math.max(1, window.endsAt - now) / 1000;
  return {
    headers: { ...headers, "Retry-After": String(Math.ceil(wait)) },
    refusal: {
      message: "You are being rate limited.",
      retry_after: wait,
      global: headers["X-RateLimit-Scope"] === "global",
    },
  };
}
