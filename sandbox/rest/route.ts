import type { ApplicationRecord, AuthorizationRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { RequestBody } from "./read-body.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request that needs no token in its header, such as a webhook's. */
export interface OpenRequest {
  readonly world: World;
  /** Path parameter by name; those that are ids have been checked. */
  param(name: string): string;
  readonly query: URLSearchParams;
  body(): Promise<RequestBody>;
  readonly raw: Request;
  readonly gatewayUrl: () => string;
  readonly reason: string | null;
}

export interface BotRequest extends OpenRequest {
  readonly application: ApplicationRecord;
  /** The user id of the bot; with a Bearer token, of the person. */
  readonly actor: string;
  /** Set with a Bearer token. */
  readonly authorization?: AuthorizationRecord;
}

/** A response other than 200 with a body or 204 without. */
export class Reply {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** A body becomes 200, `undefined` 204, a `Reply` itself. */
export type Handler<Request> = (request: Request) => unknown;

interface RouteBase {
  readonly method: Method;
  /** As Discord's OpenAPI file writes it: `/channels/{channel_id}`. */
  readonly path: string;
}

export type Route = RouteBase &
  (
    | { readonly open: true; readonly handle: Handler<OpenRequest> }
    | {
        readonly open: false;
        /** A Bearer token needs one of these; without any, only bots are served. */
        readonly scopes: readonly string[];
        readonly handle: Handler<BotRequest>;
      }
  );

/** A route for bots: it needs their token. With scopes it also serves people's Bearer tokens. */
export function route(
  method: Method,
  path: string,
  handle: Handler<BotRequest>,
  scopes: readonly string[] = [],
): Route {
  return { method, path, open: false, scopes, handle };
}

/** A route whose path contains its own secret, or that needs none. */
export function openRoute(method: Method, path: string, handle: Handler<OpenRequest>): Route {
  return { method, path, open: true, handle };
}
