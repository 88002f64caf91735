import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { LaidCommunity } from "./community/laid-community.ts";
import { layCommunity } from "./community/lay-community.ts";
import type { Community } from "./community/plan.ts";
import { sampleCommunity } from "./community/sample/index.ts";
import { createControlApp } from "./control.ts";
import { type Admin, createAdmin } from "./driver/admin.ts";
import { createNames } from "./driver/names.ts";
import { type Person, toPerson } from "./driver/person.ts";
import { createFaults, type Faults } from "./faults.ts";
import { GATEWAY_PATH, openGateway } from "./gateway/gateway.ts";
import { createRestApp, type Exchange, getPath } from "./rest-app.ts";
import { type Clock, World } from "./world/world.ts";

export interface SandboxOptions {
  /** Any free one when absent or 0. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Tokens and signatures are derived from it. */
  readonly seed?: string;
  /** The people, channels and messages; the sample community when absent. */
  readonly community?: Community;
  /** Whether Discord's rate limits are enforced (the default). */
  readonly rateLimits?: boolean;
  /** Heartbeat interval in milliseconds; Discord's 41,250 when absent. */
  readonly heartbeatMs?: number;
  /** The gateway URL that clients are given, for tests with a proxy in between; the real one when absent. */
  readonly advertise?: { readonly gateway?: (url: string) => string; readonly resume?: (url: string) => string };
  /** Called with every response of the REST API. */
  readonly onResponse?: (exchange: Exchange) => void;
}

/** A local Discord, bound to loopback. */
export interface Sandbox {
  readonly url: string;
  /** For the `api` option of a Discord client, which adds the version. */
  readonly api: string;
  readonly gatewayUrl: string;
  /** The main bot's. */
  readonly token: string;
  readonly world: World;
  /** The ids of the keys of the community. */
  readonly community: LaidCommunity;
  readonly faults: Faults;
  readonly admin: Admin;
  /** A person to act as, by key, username or id. */
  as(name: string): Person;
  /** Closes every connection. Calling it twice is safe. */
  close(): Promise<void>;
}

export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = { now: Date.now }, rateLimits = true, onResponse, advertise } = options;
  const world = new World(clock, options.seed);
  const community = layCommunity(world, options.community ?? sampleCommunity(), { now: clock.now() });
  const faults = createFaults();
  const names = createNames(world, community);
  const as = (name: string): Person => toPerson(world, names, names.person(name));

  let port = 0;
  const url = (): string => `http://127.0.0.1:${port}`;
  const gatewayUrl = (): string => `ws://127.0.0.1:${port}${GATEWAY_PATH}`;
  const rest = createRestApp(world, {
    origin: url,
    gatewayUrl: () => advertise?.gateway?.(gatewayUrl()) ?? gatewayUrl(),
    rateLimits,
    beforeRequest: faults.beforeRequest,
    afterRequest: faults.afterRequest,
    ...(onResponse && { onResponse }),
  });
  const app = new Hono({ getPath }).route("/", createControlApp({ world, names, as })).route("/", rest);
  const gateway = openGateway(world, {
    url: () => advertise?.resume?.(gatewayUrl()) ?? advertise?.gateway?.(gatewayUrl()) ?? gatewayUrl(),
    faults: faults.line,
    rateLimits,
    heartbeatMs: options.heartbeatMs,
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.on("upgrade", gateway.handleUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  port = (server.address() as AddressInfo).port;

  return {
    url: url(),
    api: `${url()}/api`,
    gatewayUrl: gatewayUrl(),
    token: names.bot().token,
    world,
    community,
    faults,
    admin: createAdmin(world, names),
    as,
    close() {
      gateway.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if ("closeAllConnections" in server) server.closeAllConnections();
      return closed;
    },
  };
}
