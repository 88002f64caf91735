import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPENAPI_FILE } from "../../test/support/openapi.ts";
import { openRestServer, type RestServer } from "../../test/support/rest-server.ts";
import { allRoutes } from "./routes/index.ts";
import { unservedRoutes } from "./unserved-routes.ts";

let server: RestServer;

beforeAll(async () => {
  server = await openRestServer();
});

afterAll(() => server.close());

const METHODS = ["get", "post", "put", "patch", "delete"];
const line = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const toPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name) => (name.endsWith("id") ? "1" : "x"));

describe.skipIf(!existsSync(OPENAPI_FILE))(
  "with Discord's OpenAPI file (skipped where it is absent), the sandbox",
  () => {
    it("serves each route of Discord's or says that it does not, and knows of no others", () => {
      const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, "utf8")) as { paths: Record<string, object> };
      const known = Object.entries(paths).flatMap(([path, item]) =>
        METHODS.filter((method) => method in item).map((method) => line({ method: method.toUpperCase(), path })),
      );
      const served = allRoutes.map(line);
      const unserved = unservedRoutes.map(line);
      expect(known.length).toBeGreaterThan(200);
      expect(new Set(unserved)).toEqual(new Set(known.filter((one) => !served.includes(one))));
      expect(served.filter((one) => !known.includes(one))).toEqual([]);
    });
  },
);

it.each(unservedRoutes)("the sandbox answers 501 to $method $path", async ({ method, path }) => {
  for (const prefix of ["/api/v10", "/api"]) {
    const headers = { authorization: `Bot ${server.bot.token}` };
    const response = await fetch(`${server.origin}${prefix}${toPath(path)}`, { method, headers });
    const message = `The sandbox does not serve ${method} ${path}, which is a route of Discord's.`;
    expect([response.status, await response.json()]).toEqual([501, { message, code: 0, sandbox: "unserved" }]);
  }
});

it.each(allRoutes.filter(({ path }) => !path.endsWith("callback")))(
  "the sandbox serves $method $path",
  async ({ method, path }) => {
    const headers = { "content-type": "application/json" };
    const { status } = await server.fetch(toPath(path), { method, headers });
    expect([405, 501]).not.toContain(status);
  },
);

it.each(["/no/such/route", "/guilds/1/no-such-thing", "/emojis", "/users/@me/no-such-thing"])(
  "the sandbox answers 404 to %s, which Discord does not have either",
  async (path) => {
    const response = await server.fetch(path);
    expect([response.status, await response.json()]).toEqual([404, { message: "404: Not Found", code: 0 }]);
  },
);

it("the sandbox answers 405 to a method that Discord does not have for a path", async () => {
  for (const path of ["/users/@me", "/sticker-packs", "/guilds/1/roles/member-counts"])
    expect((await server.fetch(path, { method: "PUT" })).status).toBe(405);
});
