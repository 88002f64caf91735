import { Hono } from "hono";
import type { Names } from "../driver/names.ts";
import { nearestNames } from "../driver/nearest-names.ts";
import type { World } from "../world/world.ts";
import { mountAuthorizePage } from "./authorize-page.ts";
import type { ControlDeps } from "./control-action.ts";
import { CONTROL_ACTIONS } from "./control-actions.ts";
import { ControlError, toControlFailure } from "./control-error.ts";
import { requireLocalProgram } from "./local-only.ts";
import { readRequest } from "./read-request.ts";

/** HTTP routes for other processes and people to control a running sandbox. They do not exist on Discord. */
export function createControlApp(deps: ControlDeps): Hono {
  const app = new Hono();
  app.onError((error) => toControlFailure(error));
  app.use("/sandbox/*", async (c, next) => {
    requireLocalProgram(c.req.raw);
    await next();
  });
  mountAuthorizePage(app, deps);
  app.get("/sandbox/info", (c) => c.json(describe(deps.world, deps.names)));
  app.all("/sandbox/info", () => {
    throw new ControlError(405, "invalid", "Send a GET request without a body.");
  });
  app.post("/sandbox/:action", async (c) => {
    const { request, run } = findAction(c.req.param("action"));
    return c.json(await run(await readRequest(request, c.req.raw), deps));
  });
  app.all("/sandbox/*", (c) => {
    findAction(c.req.path.slice("/sandbox/".length));
    throw new ControlError(405, "invalid", "Send a POST request with a JSON body.");
  });
  return app;
}

function findAction(name: string) {
  const found = Object.hasOwn(CONTROL_ACTIONS, name) ? CONTROL_ACTIONS[name] : undefined;
  if (found) return found;
  const known = [...Object.keys(CONTROL_ACTIONS), "info"];
  const problem = `The control API has no "${name.slice(0, 100)}"; it has ${known.join(", ")}.`;
  throw new ControlError(404, "unknown", problem, nearestNames(name, known));
}

function nicknamesOf(world: World, userId: string): string[] {
  return [...world.guilds.values()].flatMap(({ members }) => members.get(userId)?.nick ?? []);
}

function describe(world: World, names: Names): object {
  const guild = names.guild();
  return {
    name: guild.name,
    /** The main bot's. */
    token: names.bot().token,
    guild_id: guild.id,
    now: new Date(world.clock.now()).toISOString(),
    people: [...world.users.values()].map(({ id, username, globalName, bot }) => ({
      id,
      username,
      name: globalName,
      nicknames: nicknamesOf(world, id),
      bot,
    })),
    roles: [...guild.roles.values()].map(({ id, name, permissions }) => ({
      id,
      name,
      permissions: String(permissions),
    })),
    channels: [...guild.channels.values()].map(({ id, name, type, parentId }) => ({
      id,
      name,
      type,
      parent_id: parentId,
    })),
    bots: [...world.applications.values()].map(({ id, name, token, clientSecret, redirectUris }) => {
      return { id, name, token, client_secret: clientSecret, redirect_uris: redirectUris };
    }),
  };
}
