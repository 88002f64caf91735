import type { ApplicationRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { RequestBody } from "./read-body.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request that needs no bot token, such as a webhook's. */
export interface OpenRequest {
  readonly world: World;
  /** Path parameter by name; those that are ids have been checked. */
  param(name: string): string;
  readonly query: URLSearchParams;
  body(): Promise<RequestBody>;
  readonly gatewayUrl: () => string;
  readonly reason: string | null;
}

export interface BotRequest extends OpenRequest {
  readonly application: ApplicationRecord;
  /** The user id of the bot, which is the actor. */
  readonly actor: string;
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
    | { readonly open: false; readonly handle: Handler<BotRequest> }
  );

/** A route for bots: it needs their token. */
export function route(method: Method, path: string, handle: Handler<BotRequest>): Route {
  return { method, path, open: false, handle };
}

/** A route whose path contains its own secret, or that needs none. */
export function openRoute(method: Method, path: string, handle: Handler<OpenRequest>): Route {
  return { method, path, open: true, handle };
}
