import type { Clock } from "../world/world.ts";

const MAX_INVALID_REQUESTS = 10_000;
const WINDOW_MS = 10 * 60_000;

export interface InvalidRequests {
  /** Records a response. */
  note(status: number): void;
  /** The response after too many invalid requests. It comes from Cloudflare, not from Discord, and is not JSON. */
  ban(): Response | undefined;
}

/** After ten thousand responses of 401, 403 and 429 within ten minutes, Cloudflare blocks the address. */
export function createInvalidRequests(clock: Clock): InvalidRequests {
  let count = 0;
  let endsAt = 0;
  return {
    note(status) {
      if (status !== 401 && status !== 403 && status !== 429) return;
      if (clock.now() >= endsAt) {
        count = 0;
        endsAt = clock.now() + WINDOW_MS;
      }
      count += 1;
    },
    ban() {
      const wait = endsAt - clock.now();
      if (count < MAX_INVALID_REQUESTS || wait <= 0) return undefined;
      const headers = { "Retry-After": String(Math.ceil(wait / 1000)), "Content-Type": "text/plain" };
      return new Response("error code: 1015", { status: 429, headers });
    },
  };
}
