import { Hono, type HonoRequest, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isLoopback } from "../../domain/loopback.ts";
import type { Setting } from "../../domain/setting.ts";
import { toRefusal } from "../kit/http-refusal.ts";
import type { Repeat } from "../kit/repeat.ts";
import { accept, actorOf, type ConsoleEnv, viewSession } from "./console-kit.ts";
import { type ConsoleSignIn, type ConsoleSignInDeps, createConsoleSignIn } from "./console-sign-in.ts";
import type { HeldOverview } from "./list-coverage.ts";
import type { LiveLine, LiveSamples } from "./live-samples.ts";
import type { OneTimeLinks } from "./one-time-links.ts";
import { createPersonRoutes, type PersonDeps } from "./person-routes.ts";
import { createSandboxRoutes, type SandboxRouteDeps } from "./sandbox-routes.ts";
import { streamLines } from "./stream-lines.ts";
import { PAGE_HEADERS } from "./web-files.ts";

export interface ConsoleDeps extends SandboxRouteDeps, Omit<ConsoleSignInDeps, "signIn" | "sessions"> {
  settings(): Promise<readonly Setting[]>;
  /** The client's name for each connection. */
  clientNames(): { readonly rpc: readonly string[]; readonly mcp: readonly string[] };
  /** Reloads the configuration. Throws `misconfigured`, and changes nothing, if not all of it can be applied. */
  reload(): Promise<{ readonly changed: readonly string[] }>;
  coverage(): Promise<HeldOverview>;
  readonly links: OneTimeLinks;
  readonly samples: LiveSamples;
  readonly person: PersonDeps;
  /** Records in the audit that a session was opened, or a page of the operator used. */
  noteUse(page: string, person: UserId | null): void;
  /** Null without sign-in by Discord. */
  readonly signIn: ConsoleSignIn | null;
}

/** The header in which a page sends the key of its session. */
export const KEY_HEADER = "x-earshot-key";
const MAX_BODY_BYTES = 65_536;

export type ConsoleRoutes = ReturnType<typeof createConsoleRoutes>;

/**
 * Routes under /console. Every route except the two of a sign-in is a POST, so that browsers always send an Origin. All except
 * `/session/open` need a session; those under `/operator` and `/sandbox` need an operator's, those under `/me` and `/community` a person's.
 * Bearer tokens are ignored.
 */
export function createConsoleRoutes(deps: ConsoleDeps) {
  const { links, sessions, cookieName, signIn } = deps;

  const requireOwnPage: MiddlewareHandler = async (c, next) => {
    const origin = c.req.header("origin");
    const isOwn = origin === signIn?.issuer || (isForLoopback(c.req) && origin === `http://${c.req.header("host")}`);
    if (!isOwn || c.req.header("sec-fetch-site") !== "same-origin")
      throw new EarshotError("forbidden", "Only the console's own page may ask for this.");
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
    c.header("cache-control", "no-store");
  };
  const requireSession: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
    const secrets = { cookie: getCookie(c, cookieName) ?? "", key: c.req.header(KEY_HEADER) ?? "" };
    const session = sessions.find(secrets);
    if (!session) throw new EarshotError("unauthenticated", "There is no such session, or it has ended.");
    await sessions.mustStand(session);
    c.set("session", session);
    await next();
  };
  const requireOperator: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
    if (!c.var.session.isOperator) throw new EarshotError("forbidden", "This is for the operator.");
    await next();
  };
  const requirePerson: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
    actorOf(c.var.session);
    await next();
  };

  const app = new Hono<ConsoleEnv>();
  if (signIn) app.route("/", createConsoleSignIn({ ...deps, signIn }));
  return app
    .use("/console/*", requireOwnPage, bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseSize }))
    .post("/console/session/open", accept(z.object({ code: z.string().max(100) })), (c) => {
      // Behind a proxy on this machine, every request has a loopback address.
      if (!isForLoopback(c.req) || isForwarded(c.req))
        throw new EarshotError("forbidden", "A link opens the console only on the machine where Earshot runs.");
      if (!links.redeem(c.req.valid("json").code))
        throw new EarshotError("unauthenticated", "This link was used before, or has expired.");
      const { session, secrets } = sessions.open(null, getCookie(c, cookieName));
      setCookie(c, cookieName, secrets.cookie, { httpOnly: true, sameSite: "Strict", path: "/console" });
      deps.noteUse("sign-in", null);
      return c.json({ key: secrets.key, session: viewSession(session, deps) });
    })
    .use("/console/*", requireSession)
    .use("/console/operator/*", requireOperator)
    .use("/console/sandbox/*", requireOperator)
    .use("/console/me/*", requirePerson)
    .use("/console/community/*", requirePerson)
    .route("/", createSandboxRoutes(deps))
    .route("/", createPersonRoutes(deps.person, sessions))
    .post("/console/session/show", (c) => c.json(viewSession(c.var.session, deps)))
    .post("/console/session/end", (c) => {
      sessions.end(c.var.session.id);
      return c.json({});
    })
    .post("/console/operator/live", (c) => {
      const signal = AbortSignal.any([c.var.session.signal, c.req.raw.signal]);
      return streamLive(signal, { ...deps, noteUse: () => deps.noteUse("live", c.var.session.actor) });
    })
    .post("/console/operator/coverage", async (c) => c.json(await deps.coverage()))
    .post("/console/operator/settings", async (c) => {
      deps.noteUse("settings", c.var.session.actor);
      const list = sessions.list().map(({ id, isOperator, openedAt, expiresAt }) => ({
        ...{ id, openedAt, expiresAt, isOperator },
        isThis: id === c.var.session.id,
      }));
      const settings = await deps.settings();
      const programs = countPrograms(deps.clientNames());
      return c.json({ settings, programs, sessions: list, isFresh: sessions.isFresh(c.var.session) });
    })
    .post("/console/operator/reload", async (c) => {
      sessions.mustBeFresh(c.var.session);
      return c.json(await deps.reload());
    })
    .post("/console/operator/end-session", accept(z.object({ id: z.string().max(100) })), (c) => {
      sessions.mustBeFresh(c.var.session);
      if (sessions.end(c.req.valid("json").id)) return c.json({});
      throw new EarshotError("not_found", "This session has ended already.");
    })
    .onError((error) => {
      if (error instanceof EarshotError) return toRefusal(error);
      throw error;
    });
}

/** Whether the host of a request is this machine. */
function isForLoopback(request: HonoRequest): boolean {
  return isLoopback(URL.parse(`http://${request.header("host")}`)?.hostname ?? "");
}

function isForwarded(request: HonoRequest): boolean {
  return Object.keys(request.header()).some((name) => /^(x-forwarded-|(forwarded|via|x-real-ip)$)/.test(name));
}

/** Number of connections per program. */
function countPrograms({ rpc, mcp }: ReturnType<ConsoleDeps["clientNames"]>) {
  const names = [...new Set([...rpc, ...mcp])].sort();
  const count = (all: readonly string[], name: string) => all.filter((each) => each === name).length;
  return names.map((name) => ({ name, rpc: count(rpc, name), mcp: count(mcp, name) }));
}

function refuseSize(): never {
  throw new EarshotError("invalid", `A request may have ${MAX_BODY_BYTES} bytes at most.`);
}

const AUDIT_INTERVAL_MS = 60_000;

interface StreamDeps {
  readonly samples: LiveSamples;
  readonly repeat: Repeat;
  /** Records in the audit that the page was opened, and again each minute while it is open. */
  noteUse(): void;
}

/** A slow reader may miss samples: rates are differences over time, so they stay correct. */
function streamLive(signal: AbortSignal, { samples, repeat, noteUse }: StreamDeps): Response {
  return streamLines<LiveLine>(signal, (write) => {
    noteUse();
    return [samples.listen(write), repeat(noteUse, AUDIT_INTERVAL_MS)];
  });
}
