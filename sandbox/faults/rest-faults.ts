import { setTimeout as sleep } from "node:timers/promises";
import { HANG_UP, type RequestSummary } from "../rest/rest-options.ts";

export interface RestFaults {
  /** Answers `times` requests with this status: instead of serving them, or, with `after`, although they were served. */
  failRest(fault: RestFaultOptions & { readonly status: number; readonly after?: boolean }): void;
  /** Delays `times` requests. */
  slowRest(fault: RestFaultOptions & { readonly ms: number }): void;
  /** Answers `times` requests with 429; `retryAfter` is in seconds, and is not sent when absent. */
  stormRest(fault: RestFaultOptions & { readonly retryAfter?: number; readonly global?: boolean }): void;
  /** Serves `times` requests, but answers 200 with a wrong body. */
  garbleRest(fault: RestFaultOptions & { readonly as: Garbled }): void;
  /** Closes the connection without an answer: before serving the request or, with `after`, once it was served. */
  hangUpRest(fault: RestFaultOptions & { readonly after?: boolean }): void;
  /** Called for each request: a result replaces the real answer. */
  beforeRequest(request: RequestSummary): Promise<Response | undefined>;
  /** The same, after the request has been served. */
  afterRequest(request: RequestSummary, response: Response): Promise<Response>;
}

/** The requests that a fault applies to: part of "GET /channels/1/messages", a pattern, or a predicate; all when absent. */
interface RestFaultOptions {
  readonly match?: string | RegExp | ((line: string) => boolean);
  readonly times?: number;
}

export const GARBLED_KINDS = [
  "html",
  "null",
  "string",
  "object",
  "list",
  "holes",
  "truncated",
  "empty",
  "mislabelled",
  "no_content",
] as const;

/** Kinds of wrong bodies with status 200. */
export type Garbled = (typeof GARBLED_KINDS)[number];

const JSON_HEADERS = { "content-type": "application/json" };

const GARBLED: Readonly<Record<Garbled, (real: Response) => Response>> = {
  /** The response of a captive portal or a proxy. */
  html: () => new Response("<html><body>Please sign in</body></html>", { headers: { "content-type": "text/html" } }),
  null: () => Response.json(null),
  string: () => Response.json("ok"),
  object: () => Response.json({}),
  list: () => Response.json([]),
  holes: () => Response.json([null, 1, "x"]),
  truncated: () => new Response('[{"id":"1","conte', { headers: JSON_HEADERS }),
  empty: () => new Response("", { headers: JSON_HEADERS }),
  /** The right bytes with the wrong content type. */
  mislabelled: (real: Response) => new Response(real.body, { headers: { "content-type": "text/plain" } }),
  no_content: () => new Response(null, { status: 204 }),
};

interface RestFault extends RestFaultOptions {
  left: number;
  before?(): Promise<Response | undefined>;
  after?(real: Response): Response;
}

export function createRestFaults(): RestFaults & { clear(): void } {
  let faults: RestFault[] = [];
  const add = ({ match, times = 1 }: RestFaultOptions, does: Pick<RestFault, "before" | "after">): void => {
    faults.push({ ...(match !== undefined && { match }), left: times, ...does });
  };
  const take = (request: RequestSummary, when: "before" | "after"): RestFault[] => {
    faults = faults.filter(({ left }) => left > 0);
    const line = `${request.method} ${decoded(request.path)}`;
    return faults.filter((fault) => fault[when] && meets(line, fault.match));
  };
  return {
    failRest: (fault) =>
      add(
        fault,
        fault.after ? { after: () => toFailure(fault.status) } : { before: async () => toFailure(fault.status) },
      ),
    slowRest: (fault) => add(fault, { before: async () => void (await sleep(fault.ms)) }),
    stormRest: (fault) => add(fault, { before: async () => toRateLimited(fault.retryAfter, fault.global ?? false) }),
    garbleRest: (fault) => add(fault, { after: GARBLED[fault.as] }),
    hangUpRest: (fault) => add(fault, fault.after ? { after: () => HANG_UP } : { before: async () => HANG_UP }),
    async beforeRequest(request) {
      for (const fault of take(request, "before")) {
        if (fault.left <= 0) continue;
        fault.left -= 1;
        const answer = await fault.before?.();
        if (answer) return answer;
      }
      return undefined;
    },
    async afterRequest(request, response) {
      const [fault] = take(request, "after");
      if (!fault?.after) return response;
      fault.left -= 1;
      return fault.after(response);
    },
    clear() {
      faults = [];
    },
  };
}

function meets(line: string, match: RestFaultOptions["match"]): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(line);
  return typeof match === "string" ? line.includes(match) : match.test(line);
}

/** Clients may escape more than necessary: `/users/%40me`. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const IN_JSON: Readonly<Record<number, string>> = {
  400: "400: Bad Request",
  401: "401: Unauthorized",
  403: "Missing Access",
  404: "404: Not Found",
  500: "500: Internal Server Error",
};

/** Discord itself answers these in JSON; a proxy in front of it answers the others in HTML. */
function toFailure(status: number): Response {
  const message = IN_JSON[status];
  if (message) return Response.json({ message, code: status === 403 ? 50001 : 0 }, { status });
  const page = `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>`;
  return new Response(page, { status, headers: { "content-type": "text/html" } });
}

function toRateLimited(retryAfter: number | undefined, global: boolean): Response {
  if (retryAfter === undefined) return new Response("error code: 1015", { status: 429 });
  const body = { message: "You are being rate limited.", retry_after: retryAfter, global };
  const headers: Record<string, string> = {
    "retry-after": String(Math.ceil(retryAfter)),
    "x-ratelimit-reset-after": String(retryAfter),
    "x-ratelimit-scope": global ? "global" : "user",
    ...(global && { "x-ratelimit-global": "true" }),
  };
  return Response.json(body, { status: 429, headers });
}
