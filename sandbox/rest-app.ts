import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { DiscordError } from "./actions/errors.ts";
import { createAnswerer } from "./rest/answer-request.ts";
import { mountCdn } from "./rest/cdn.ts";
import { refuse, toErrorResponse } from "./rest/responses.ts";
import { HANG_UP, type RestOptions } from "./rest/rest-options.ts";
import type { Route } from "./rest/route.ts";
import { allRoutes } from "./rest/routes/index.ts";
import { tokenRoutes } from "./rest/routes/oauth2.ts";
import type { Served } from "./rest/served.ts";
import { answerUnserved, unservedRoutes } from "./rest/unserved-routes.ts";
import type { World } from "./world/world.ts";

export type { Exchange, RestOptions } from "./rest/rest-options.ts";

/** Discord's REST API v10 and its CDN, for a world. */
export function createRestApp(world: World, options: RestOptions) {
  const answer = createAnswerer(world, options);
  world.origin = options.origin;
  return {
    fetch: (request: Request, env: unknown) => SERVED.fetch(request, Object.assign({}, env, { world, answer })),
  };
}

/** Without a version, Discord serves its default one; here there is only v10. */
const PREFIXES = ["/api/v10", "/api"];

/** All routes are the same for all worlds: to add and compile them takes longer than most sandboxes are asked anything. */
const SERVED = createRoutes();

function createRoutes(): Hono<Served> {
  const app = new Hono<Served>({ getPath });
  const routes = [...allRoutes, ...tokenRoutes, ...unservedRoutes].sort(byPrecision);
  for (const route of routes) {
    for (const pattern of toPatterns(route)) {
      app.on(route.method, pattern, async (c) => {
        if (!route.handle) return answerUnserved(route);
        const response = await c.env.answer(c.req.raw, { route, params: c.req.param() });
        return response === HANG_UP ? hangUp(c.env) : response;
      });
    }
  }
  for (const pattern of new Set(routes.flatMap(toPatterns))) {
    app.all(pattern, () => refuse(405, "405: Method Not Allowed"));
  }
  app.all("/api/:version{v\\d+}/*", (c) =>
    c.req.param("version") === "v10"
      ? refuse(404, "404: Not Found")
      : toErrorResponse(new DiscordError(400, 50041, "Invalid API version")),
  );
  mountCdn(app);
  app.notFound(() => refuse(404, "404: Not Found"));
  return app;
}

function hangUp({ incoming }: Served["Bindings"]): Response {
  incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Clients may write the @ of `/users/@me` as %40. */
function getPath(request: Request): string {
  return new URL(request.url).pathname.replaceAll("%40", "@");
}

/** The first match counts: `…/messages/pins` is before `…/messages/{message_id}`. */
function byPrecision(a: Pick<Route, "path">, b: Pick<Route, "path">): number {
  const [one, other] = [a, b].map(({ path }) => path.replaceAll(/\{\w+\}/g, "\uffff"));
  if (one === undefined || other === undefined || one === other) return 0;
  return one < other ? -1 : 1;
}

/** A route under every prefix. */
function toPatterns({ path }: Pick<Route, "path">): string[] {
  const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
  return PREFIXES.map((prefix) => prefix + pattern);
}
