import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import type { LaidCommunity } from "./community/laid-community.ts";
import { layCommunity, toPermissions } from "./community/lay-community.ts";
import type { Community, PermissionName } from "./community/plan.ts";
import { sampleCommunity } from "./community/sample/index.ts";
import { createControlApp } from "./control/control-app.ts";
import { type Admin, createAdmin } from "./driver/admin.ts";
import { createNames } from "./driver/names.ts";
import { type Person, toPerson } from "./driver/person.ts";
import { createFaults, type Faults } from "./faults/faults.ts";
import { GATEWAY_PATH, type Gateway, openGateway } from "./gateway/gateway.ts";
import { createRestApp, type Exchange } from "./rest-app.ts";
import { type Clock, World } from "./world/world.ts";

export interface SandboxOptions {
  /** Any free one when absent or 0. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Tokens and signatures are derived from it. */
  readonly seed?: string;
  /** The people, channels and messages; the sample community when absent. */
  readonly community?: Community;
  /**
   * The main bot's permissions, as in the link by which a bot is invited: it gets a role of its own with exactly these instead of the community's roles.
   * Permissions and overwrites of @everyone and the channels still apply.
   */
  readonly botPermissions?: bigint | readonly PermissionName[];
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
  /** Another one after a reset. */
  readonly world: World;
  /** The ids of the keys of the community. */
  readonly community: LaidCommunity;
  readonly faults: Faults;
  readonly admin: Admin;
  /** A person to act as, by key, username or id. */
  as(name: string): Person;
  /** Moves the clock forward and returns the new time. Rate limits, deadlines, timeouts and polls expire by it; timers of clients do not notice. */
  advanceTime(ms: number): number;
  /**
   * Puts everything back as it was at the start, with the same ids and tokens, and ends all faults. Bots are disconnected and have to identify again;
   * the commands that they have registered stay, and so do the redirects of applications.
   */
  reset(): void;
  /** Closes every connection. Calling it twice is safe. */
  close(): Promise<void>;
}

/** All that a reset replaces. */
interface Stage {
  readonly world: World;
  readonly community: LaidCommunity;
  readonly admin: Admin;
  readonly token: string;
  readonly app: Hono;
  readonly gateway: Gateway;
  as(name: string): Person;
  close(): void;
}

export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock: givenClock = { now: Date.now } } = options;
  const openedAt = givenClock.now();
  let aheadMs = 0;
  const clock: Clock = { now: () => givenClock.now() + aheadMs };
  const faults = createFaults();
  let port = 0;
  let stage = openStage();
  const server = createAdaptorServer({ fetch: (request, env) => stage.app.fetch(request, env) });
  server.on("upgrade", (request, socket, head) => stage.gateway.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  port = (server.address() as AddressInfo).port;

  return {
    url: url(),
    api: `${url()}/api`,
    gatewayUrl: gatewayUrl(),
    token: stage.token,
    faults,
    get world() {
      return stage.world;
    },
    get community() {
      return stage.community;
    },
    get admin() {
      return stage.admin;
    },
    as: (name) => stage.as(name),
    advanceTime,
    reset,
    close() {
      stage.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if ("closeAllConnections" in server) server.closeAllConnections();
      return closed;
    },
  };

  function url(): string {
    return `http://127.0.0.1:${port}`;
  }

  function gatewayUrl(): string {
    return `ws://127.0.0.1:${port}${GATEWAY_PATH}`;
  }

  function advanceTime(ms: number): number {
    aheadMs += Math.max(0, ms);
    return clock.now();
  }

  function reset(): void {
    const last = stage;
    last.close();
    faults.clear();
    aheadMs = 0;
    stage = openStage();
    keepApplications(last.world, stage.world);
  }

  function openStage(): Stage {
    const { rateLimits = true, onResponse, advertise, botPermissions } = options;
    const world = new World(clock, options.seed);
    const community = layCommunity(world, options.community ?? sampleCommunity(), {
      now: openedAt,
      ...(botPermissions !== undefined && { botPermissions: toBits(botPermissions) }),
    });
    const names = createNames(world, community);
    const admin = createAdmin(world, names);
    const as = (name: string): Person => toPerson(world, names, names.person(name));
    const end = new AbortController();
    const rest = createRestApp(world, {
      origin: url,
      gatewayUrl: () => advertise?.gateway?.(gatewayUrl()) ?? gatewayUrl(),
      rateLimits,
      beforeRequest: faults.beforeRequest,
      afterRequest: faults.afterRequest,
      ...(onResponse && { onResponse }),
    });
    const control = createControlApp({ world, names, admin, faults, as, advanceTime, reset, signal: end.signal });
    const gateway = openGateway(world, {
      url: () => advertise?.resume?.(gatewayUrl()) ?? advertise?.gateway?.(gatewayUrl()) ?? gatewayUrl(),
      faults: faults.line,
      rateLimits,
      heartbeatMs: options.heartbeatMs,
    });
    return {
      world,
      community,
      admin,
      token: names.bot().token,
      app: control.all("*", (c) => rest.fetch(c.req.raw, c.env)),
      gateway,
      as,
      close() {
        end.abort();
        gateway.close();
      },
    };
  }
}

function toBits(permissions: NonNullable<SandboxOptions["botPermissions"]>): bigint {
  return typeof permissions === "bigint" ? permissions : toPermissions(permissions);
}

/** A bot registers its commands when it is deployed, not when it connects; redirects are part of the portal. */
function keepApplications(from: World, to: World): void {
  for (const { id, commands, guildCommands, redirectUris } of from.applications.values()) {
    const application = to.applications.get(id);
    if (application) application.redirectUris = redirectUris;
    for (const [commandId, command] of commands) application?.commands.set(commandId, command);
    for (const [guildId, own] of guildCommands)
      if (to.guilds.has(guildId)) application?.guildCommands.set(guildId, own);
  }
}
