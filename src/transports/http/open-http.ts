import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { EarshotError } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/loopback.ts";
import type { Status } from "../../domain/status.ts";
import type { ConnectionState } from "../../ports/discord.ts";
import { bearerToken, refuseUpgrade, toRefusal } from "../kit/http-refusal.ts";
import type { Metrics } from "./metrics.ts";
import { createOperatorRoutes, type OperatorDeps } from "./operator-routes.ts";

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** The address for programs on other machines, possibly through a proxy. */
  readonly publicUrl?: string | undefined;
}

interface HttpDeps {
  readonly metrics: Pick<Metrics, "render">;
  health(): Promise<{ discord: ConnectionState; storage: "working" | "failing" }>;
  status(): Promise<Status>;
  /** Whether a bearer token belongs to a client that may read metrics and status, which reveal activity in all channels, including
   * hidden ones. */
  mayReadMetrics(token: string): boolean;
  readonly operator?: OperatorDeps;
  readonly console?: { fetch(request: Request, bindings: HttpBindings): Response | Promise<Response> };
  readonly signIn?: { fetch(request: Request, bindings: HttpBindings): Response | Promise<Response> } | undefined;
  handleUpgrade: Upgrade;
  readonly mcp?: { fetch(request: Request, outgoing: ServerResponse): Promise<Response>; handleUpgrade: Upgrade };
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Http {
  readonly url: string;
  /** Starts answering requests. Before, all except the health check are refused, because the program is starting. */
  serve(deps: HttpDeps): void;
  close(): Promise<void>;
}

const MCP_PATH = "/mcp";
const CONSOLE_PATHS = ["/", "/assets/*", "/console/*"];
const SIGN_IN_PATHS = ["/oauth/*", "/.well-known/*"];
const WRONG_HOST = new EarshotError("forbidden", "Use this machine's own name, such as 127.0.0.1.");

/**
 * The single port: health, metrics, status, MCP, and upgrades. Opened before anything is served, so that a start without the port makes no
 * requests to Discord. Throws `unavailable` if the port is taken, `misconfigured` if it cannot be used.
 */
export async function openHttp({ host, port, publicUrl }: HttpOptions): Promise<Http> {
  // A web page could reach this machine by a host name of its own choosing.
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const isForUs = (header: string | undefined) =>
    !isLoopback(host) || isLoopback(hostNameOf(header)) || hostNameOf(header) === publicHost;
  let served = { app: createStartingApp(), handleUpgrade: refuseStarting };
  const server = createAdaptorServer({ fetch: (request, env) => served.app.fetch(request, env) });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isForUs(request.headers.host)) served.handleUpgrade(request, socket, head);
    else refuseUpgrade(socket, WRONG_HOST);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(cannotListen({ host, port }, cause)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    serve(deps) {
      const { mcp } = deps;
      const handleUpgrade: Upgrade = (request, socket, head) => {
        const isMcp = mcp && URL.parse(request.url ?? "", "http://localhost")?.pathname === MCP_PATH;
        (isMcp ? mcp : deps).handleUpgrade(request, socket, head);
      };
      served = { app: createHttpApp(deps, isForUs), handleUpgrade };
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if ("closeAllConnections" in server) server.closeAllConnections();
      return closed;
    },
  };
}

type HttpApp = Hono<{ Bindings: HttpBindings }>;

const STARTING = "Earshot is starting: it is connecting to Discord. Try again in a few seconds.";

function createStartingApp(): HttpApp {
  const app: HttpApp = new Hono();
  app.get("/livez", (c) => c.json({ ok: true }));
  app.get("/healthz", (c) => c.json({ ok: false, discord: "starting" }, 503));
  app.notFound(() => toRefusal(new EarshotError("unavailable", STARTING, { retryAfter: 1 })));
  return app;
}

const refuseStarting: Upgrade = (_request, socket) =>
  refuseUpgrade(socket, new EarshotError("unavailable", STARTING, { retryAfter: 1 }));

function createHttpApp(deps: HttpDeps, isForUs: (host: string | undefined) => boolean): HttpApp {
  const { mcp, console } = deps;
  const app: HttpApp = new Hono();
  app.use(async (c, next) => {
    if (isForUs(c.req.header("host"))) return next();
    return toRefusal(WRONG_HOST);
  });
  app.get("/livez", (c) => c.json({ ok: true }));
  app.get("/healthz", async (c) => {
    const health = await deps.health();
    const isReady = health.discord === "ready" && health.storage === "working";
    return c.json({ ok: isReady, ...health }, isReady ? 200 : 503);
  });
  for (const path of ["/metrics", "/status"])
    app.use(path, async (c, next) => {
      const token = bearerToken(c.req.header("authorization"));
      if (token !== null && deps.mayReadMetrics(token)) return next();
      return toRefusal(
        new EarshotError("unauthenticated", "The token of a client with the scope metrics:read is needed."),
      );
    });
  app.get("/metrics", async (c) => {
    const { contentType, text } = await deps.metrics.render();
    return c.body(text, 200, { "content-type": contentType });
  });
  app.get("/status", async (c) => c.json(await deps.status()));
  if (deps.operator) app.route("/operator", createOperatorRoutes(deps.operator));
  if (mcp) app.all(MCP_PATH, (c) => mcp.fetch(c.req.raw, c.env.outgoing as ServerResponse));
  const { signIn } = deps;
  if (signIn) for (const path of SIGN_IN_PATHS) app.all(path, (c) => signIn.fetch(c.req.raw, c.env));
  if (console) for (const path of CONSOLE_PATHS) app.all(path, (c) => console.fetch(c.req.raw, c.env));
  app.onError((error) => {
    if (error instanceof EarshotError) return toRefusal(error);
    throw error;
  });
  app.notFound(() =>
    toRefusal(
      new EarshotError("not_found", "There is nothing here; try /livez, /healthz, /status, /metrics, /mcp or /rpc."),
    ),
  );
  return app;
}

function cannotListen({ host, port }: HttpOptions, cause: NodeJS.ErrnoException): EarshotError {
  if (cause.code === "EADDRINUSE") {
    const hint = "Another Earshot may be running; stop it, or set EARSHOT_PORT to another port.";
    return new EarshotError("unavailable", `Port ${port} is taken. ${hint}`, { cause, obstacle: "port_taken" });
  }
  const problem =
    cause.code === "EACCES"
      ? `Port ${port} may not be used by this account; set EARSHOT_PORT to one from 1024 on.`
      : `Earshot cannot listen at ${host} (${cause.code}); set EARSHOT_HOST to an address of this machine, such as 127.0.0.1.`;
  return new EarshotError("misconfigured", problem, { cause });
}

/** Without the port. */
function hostNameOf(header: string | undefined): string {
  return URL.parse(`http://${header ?? ""}`)?.hostname ?? "";
}
