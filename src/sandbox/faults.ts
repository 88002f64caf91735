import { setTimeout as sleep } from "node:timers/promises";
import { createGatewayFaults, type GatewayFaults } from "./gateway/faults.ts";
import type { RequestSummary } from "./rest/app.ts";

/** What goes wrong on demand. Everything has a count, and nothing goes wrong that was not asked for. */
export interface Faults extends Omit<GatewayFaults, "line">, RestFaults {
  /** For the gateway: where its connections and events pass through. */
  readonly line: GatewayFaults["line"];
  /** Ends every fault, whatever is left of it. */
  clear(): void;
}

interface RestFaults {
  /** Answers so many requests with this status instead of serving them. */
  failRest(fault: RequestMatch & { readonly status: number; readonly times?: number }): void;
  /** Serves so many requests only after a pause. */
  slowRest(fault: RequestMatch & { readonly ms: number; readonly times?: number }): void;
  /** Answers so many requests with 429; `retryAfter` is in seconds. */
  stormRest(
    fault: RequestMatch & { readonly times: number; readonly retryAfter: number; readonly global?: boolean },
  ): void;
  /** How the REST side asks: what comes back is the answer instead of the real one. */
  beforeRequest(request: RequestSummary): Promise<Response | undefined>;
}

/** Which requests a fault meets: part of "GET /channels/1/messages", or a pattern upon it. All of them when absent. */
interface RequestMatch {
  readonly match?: string | RegExp;
}

interface RestFault extends RequestMatch {
  left: number;
  meet(): Promise<Response | undefined>;
}

export function createFaults(): Faults {
  const gateway = createGatewayFaults();
  const rest = createRestFaults();
  return {
    ...gateway,
    ...rest,
    clear() {
      gateway.clear();
      rest.clear();
    },
  };
}

function createRestFaults(): RestFaults & { clear(): void } {
  let faults: RestFault[] = [];
  const add = ({ match, times = 1 }: RequestMatch & { readonly times?: number }, meet: RestFault["meet"]): void => {
    faults.push({ ...(match !== undefined && { match }), left: times, meet });
  };
  return {
    failRest: (fault) => add(fault, async () => toFailure(fault.status)),
    slowRest: (fault) => add(fault, async () => void (await sleep(fault.ms))),
    stormRest: (fault) => add(fault, async () => toRateLimited(fault.retryAfter, fault.global ?? false)),
    async beforeRequest(request) {
      const line = `${request.method} ${readable(request.path)}`;
      for (const fault of faults.filter(({ match }) => meets(line, match))) {
        if (fault.left <= 0) continue;
        fault.left -= 1;
        const answer = await fault.meet();
        if (answer) return answer;
      }
      faults = faults.filter(({ left }) => left > 0);
      return undefined;
    },
    clear() {
      faults = [];
    },
  };
}

function meets(line: string, match: RequestMatch["match"]): boolean {
  if (match === undefined) return true;
  return typeof match === "string" ? line.includes(match) : match.test(line);
}

/** Clients escape more than they must: `/users/%40me`. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Discord itself answers a 500 in JSON; what stands before it answers the others in HTML. */
function toFailure(status: number): Response {
  if (status === 500) return Response.json({ message: "500: Internal Server Error", code: 0 }, { status });
  const page = `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>`;
  return new Response(page, { status, headers: { "content-type": "text/html" } });
}

function toRateLimited(retryAfter: number, global: boolean): Response {
  const body = { message: "You are being rate limited.", retry_after: retryAfter, global };
  const headers: Record<string, string> = {
    "retry-after": String(Math.ceil(retryAfter)),
    "x-ratelimit-reset-after": String(retryAfter),
    "x-ratelimit-scope": global ? "global" : "user",
    ...(global && { "x-ratelimit-global": "true" }),
  };
  return Response.json(body, { status: 429, headers });
}
