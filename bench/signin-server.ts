import { once } from "node:events";
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { generateCommunity, openSandbox } from "../sandbox/index.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { createAuthenticator, hashToken } from "../src/policy/authenticate.ts";
import { OWN_GRANT } from "../src/policy/grant.ts";
import { ALLOWANCES, ALLOWED_SCOPES } from "../src/policy/sign-in-settings.ts";
import { SignIns } from "../src/policy/sign-ins.ts";
import { createSignInStore } from "../src/stores/sign-in-store.ts";
import { createMcpTransport } from "../src/transports/mcp/mcp-transport.ts";
import { createRpcTransport } from "../src/transports/rpc/rpc-transport.ts";
import { toSignInHint } from "../src/transports/sign-in/open-sign-in.ts";
import { createTestPersonMemory, createTestPrivacy } from "../test/support/consent.ts";
import { openProduct, rules } from "./product.ts";

/** Earshot over RPC and MCP in a process of its own, for one person by two tokens: "static" of a configured client, and "signed-in". */
export interface SignInServer {
  readonly port: number;
  readonly actor: string;
  readonly channel: string;
}

const OTHER_SIGN_INS = 1_000;
const ISSUER = "https://earshot.example.org";
const RESOURCE = `${ISSUER}/mcp`;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now() };
const mintId = () => crypto.randomUUID().replaceAll("-", "");
const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages: 500 }), rateLimits: false });
const { core, discord, database, audit, folder } = await openProduct(sandbox, clock);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const actor = sandbox.as("p0").id as UserId;
const { directory } = discord;
const signIns = await SignIns.open({
  ...{ store: createSignInStore(database), rules, directory, audit, clock, mintId, resource: RESOURCE },
  ...{ onEnd() {}, onReuse() {} },
});
const about = { clientId: "editor", program: "An editor", redirectHost: "loopback", allowed: ALLOWANCES };
async function signIn(token: string, personId: UserId): Promise<void> {
  const { id: signInId } = await signIns.add({ ...about, personId, expiresAt: null });
  const payload = JSON.stringify({ scope: ALLOWANCES.join(" "), aud: RESOURCE });
  const expiresAt = clock.now() + 3_600_000;
  await signIns.addToken({ hash: hashToken(token), kind: "access", signInId, payload, expiresAt, consumedAt: null });
}
await signIn("signed-in", actor);
for (let count = 0; count < OTHER_SIGN_INS; count += 1)
  await signIn(`other-${count}`, sandbox.as(`p${1 + (count % 20)}`).id as UserId).catch(() => undefined);

const scopes = ALLOWANCES.flatMap((one) => ALLOWED_SCOPES[one]);
const grant = { ...OWN_GRANT, scopes, actors: [actor] };
const authenticateStatic = createAuthenticator([{ name: "static", tokenSha256: hashToken("static"), grant }]);
const common = {
  ...{ ...core, clock, log, mintId, directory, privacy: createTestPrivacy() },
  authenticate: (token: string) => signIns.authenticate(token) ?? authenticateStatic(token),
};
const unlimited = { burst: 1e9 };
const rpc = createRpcTransport({
  ...common,
  personMemory: createTestPersonMemory(),
  listen: (listener) => discord.listen(listener),
  limits: { ...unlimited, framesPerSecond: 1e9 },
});
const mcp = createMcpTransport({
  ...{ ...common, isLocal: true, version: "1", trustsHost: () => false },
  signIn: { hint: toSignInHint(ISSUER), host: new URL(ISSUER).hostname, signIns },
  limits: { ...unlimited, requestsPerSecond: 1e9 },
});
const app = new Hono<{ Bindings: HttpBindings }>();
app.all("/mcp", (c) => mcp.fetch(c.req.raw, c.env.outgoing));
const server = createAdaptorServer({ fetch: app.fetch }).on("upgrade", rpc.handleUpgrade);
await once(server.listen(0, "127.0.0.1"), "listening");

process.on("disconnect", () => process.exit(0));
process.on("message", (order: "collect" | "tell") => {
  // What was left over by other calls is not collected during these.
  if (order === "collect") globalThis.gc?.();
  process.send?.(process.cpuUsage());
});
const channel = sandbox.community.channels.get("c0") as ChannelId;
const started: SignInServer = { port: (server.address() as AddressInfo).port, actor, channel };
process.send?.(started);
