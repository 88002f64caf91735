import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import type { RoleId, UserId } from "../../src/domain/ids.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import { signInSettingsSchema } from "../../src/policy/sign-in-settings.ts";
import { SignIns } from "../../src/policy/sign-ins.ts";
import type { IdentityProvider } from "../../src/ports/identity.ts";
import type { Database } from "../../src/stores/database.ts";
import { createSignInStore } from "../../src/stores/sign-in-store.ts";
import { createSignInRoutes, type SignInRouteDeps } from "../../src/transports/sign-in/sign-in-routes.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { PUBLIC, toSignInSteps } from "./open-sign-in.ts";

const GUILD = "100";
/** The role that members need where the rules name it. */
export const ROLE = "200" as RoleId;
export const PEOPLE: Readonly<Record<string, UserId>> = { sarah: "301" as UserId, mark: "302" as UserId };

const AT_DISCORD = `${PUBLIC}/oauth2/authorize`;

/** Discord says at once who a person is. */
const identity: IdentityProvider = {
  async begin(callback) {
    const attempt = { state: crypto.randomUUID(), verifier: "", callback: callback.href };
    return { address: new URL(`${AT_DISCORD}?state=${attempt.state}`), attempt };
  },
  async finish(returned) {
    const name = returned.searchParams.get("code") ?? "";
    return { id: PEOPLE[name] ?? ("0" as UserId), name };
  },
};

interface World {
  /** Roles of each member of the server. */
  readonly members: Map<UserId, Set<RoleId>>;
  signIn: ReturnType<typeof signInSettingsSchema.parse>;
}

export function createWorld(): World {
  const members = new Map(Object.values(PEOPLE).map((id) => [id, new Set<RoleId>()]));
  return { members, signIn: signInSettingsSchema.parse({}) };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-sign-in-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The authorization server and the sign-ins behind it by themselves; everything around them is as the test says. */
export async function openRoutes(
  world: World,
  file: string,
  { fetchDocument = null }: Pick<Partial<SignInRouteDeps>, "fetchDocument"> = {},
) {
  const database: Database = await openTestDatabase(file);
  const store = createSignInStore(database);
  const clock = { now: () => Date.now() };
  const mintId = () => crypto.randomUUID().replaceAll("-", "");
  const rules = {
    get signIn() {
      return world.signIn;
    },
    guilds: rulesSchema.parse({}).guilds,
  };
  const guild = { id: GUILD, available: true, membersComplete: true };
  const directory = {
    isComplete: true,
    guilds: () => [guild],
    member: (_: string, id: UserId) => (world.members.has(id) ? { roles: world.members.get(id) } : undefined),
    learnMember: async () => undefined,
  };
  const ended: string[] = [];
  const resource = `${PUBLIC}/mcp`;
  const signIns = await SignIns.open({
    ...{ store, rules, clock, mintId, resource, directory: directory as never },
    audit: { note() {} } as never,
    onEnd: (names) => void ended.push(...names),
    onReuse() {},
  });
  const complaints: unknown[] = [];
  const log = { debug() {}, info() {}, warn: (...all: unknown[]) => complaints.push(all), error() {} };
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get("/oauth2/authorize", (c) => c.text("Who are you?"));
  app.post("/oauth2/authorize", async (c) => {
    const { as } = await c.req.parseBody();
    return c.redirect(`${PUBLIC}/oauth/callback?code=${as}&state=${c.req.query("state")}`);
  });
  const routes = createSignInRoutes({
    ...{ issuer: PUBLIC, resource, signIns, store, clock, rules, mintId, fetchDocument, log: log as never },
    identity: async () => identity,
  });
  app.all("/oauth/*", (c) => routes.fetch(c.req.raw, c.env));
  const server = createAdaptorServer({ fetch: app.fetch });
  await once(server.listen(0, "127.0.0.1"), "listening");
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
    await database.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { signIns, store, ended, complaints, close, ...toSignInSteps(PUBLIC, `http://127.0.0.1:${port}`) };
}
