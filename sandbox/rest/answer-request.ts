import { RESTJSONErrorCodes as Code } from "discord-api-types/v10";
import { DiscordError, invalidForm } from "../actions/errors.ts";
import { isSnowflake } from "../world/snowflake.ts";
import type { World } from "../world/world.ts";
import { createInvalidRequests } from "./invalid-requests.ts";
import { createRateLimits } from "./rate-limits.ts";
import { readBody } from "./read-body.ts";
import { refuse, toErrorResponse, toResponse } from "./responses.ts";
import { HANG_UP, type RestOptions } from "./rest-options.ts";
import type { BotRequest, OpenRequest, Route } from "./route.ts";

/** A request with its route. */
export interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The bot, or the application of a Bearer token together with its person. */
type Caller = Pick<BotRequest, "application" | "actor" | "authorization">;

/** Handles every request: faults, token, rate limits, the handler, and its errors. */
export function createAnswerer(
  world: World,
  options: RestOptions,
): (raw: Request, matched: Matched) => Promise<Response> {
  const limit = options.rateLimits ? createRateLimits(world.clock) : undefined;
  const invalid = options.rateLimits ? createInvalidRequests(world.clock) : undefined;

  return async (raw, matched) => {
    const { method } = raw;
    const path = new URL(raw.url).pathname.replace(/^\/api(\/v10)?/, "");
    const caller = findCaller(world, raw);
    const summary = { method, path, botId: caller && !caller.authorization ? caller.actor : null };
    const early = await options.beforeRequest?.(summary);
    if (early === HANG_UP) return HANG_UP;
    const response = early ?? invalid?.ban() ?? (await answer(raw, matched, caller));
    invalid?.note(response.status);
    if (options.onResponse) {
      const { status } = response;
      options.onResponse({ method, path, route: matched.route.path, status, body: await bodyOf(response) });
    }
    return early ? response : ((await options.afterRequest?.(summary, response)) ?? response);
  };

  async function answer(raw: Request, { route, params }: Matched, caller: Caller | undefined) {
    if (!route.open && !mayUse(route.scopes, caller)) return refuse(401, "401: Unauthorized");
    const verdict = limit?.({
      method: route.method,
      path: route.path,
      major: majorOf(params),
      who: caller?.actor ?? params["webhook_id"] ?? "",
      isGlobal: !route.open,
    });
    const headers = verdict?.headers ?? {};
    if (verdict?.refusal) return Response.json(verdict.refusal, { status: 429, headers });
    try {
      return toResponse(await handle(route, toRequest(raw, params), caller), headers);
    } catch (error) {
      if (error instanceof DiscordError) return toErrorResponse(error, headers);
      throw error;
    }
  }

  function toRequest(raw: Request, params: Matched["params"]): OpenRequest {
    checkIds(params);
    return {
      world,
      param: (name) => params[name] ?? "",
      raw,
      query: new URL(raw.url).searchParams,
      body: () => readBody(raw),
      gatewayUrl: options.gatewayUrl,
      reason: reasonOf(raw),
    };
  }
}

function handle(route: Route, request: OpenRequest, caller: Caller | undefined): unknown {
  if (route.open) return route.handle(request);
  if (!caller) throw new Error("A route that needs a token is reached only with one.");
  const { authorization } = caller;
  if (authorization && !route.scopes.some((scope) => authorization.scopes.includes(scope)))
    throw new DiscordError(403, Code.MissingRequiredOAuth2Scope, "Missing required OAuth2 scope");
  return route.handle({ ...request, ...caller });
}

function findCaller(world: World, request: Request): Caller | undefined {
  const [, type, token] = /^(Bot|Bearer) (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  if (type === undefined || token === undefined) return undefined;
  const authorization = type === "Bearer" ? world.authorizations.get(token) : undefined;
  if (authorization && authorization.expiresAt <= world.clock.now()) return undefined;
  const application = authorization ? world.applications.get(authorization.applicationId) : world.botByToken(token);
  if (!application || (type === "Bearer" && !authorization)) return undefined;
  return authorization
    ? { application, actor: authorization.userId, authorization }
    : { application, actor: application.botId };
}

function mayUse(scopes: readonly string[], caller: Caller | undefined): boolean {
  return caller !== undefined && (!caller.authorization || scopes.length > 0);
}

/** Clients escape it, since a header takes only ASCII. */
function reasonOf({ headers }: Request): string | null {
  const given = headers.get("x-audit-log-reason");
  try {
    return given === null ? null : decodeURIComponent(given);
  } catch {
    return given;
  }
}

/** Ids in the path must be ids. */
function checkIds(params: Matched["params"]): void {
  for (const [name, value] of Object.entries(params)) {
    if (!name.endsWith("_id") || name === "answer_id" || isSnowflake(value)) continue;
    throw invalidForm([{ path: [name], code: "NUMBER_TYPE_COERCE", message: `Value "${value}" is not snowflake.` }]);
  }
}

function majorOf(params: Matched["params"]): string {
  return params["channel_id"] ?? params["guild_id"] ?? `${params["webhook_id"] ?? ""}${params["webhook_token"] ?? ""}`;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const copy = response.clone();
  return copy.json().catch(() => undefined);
}
