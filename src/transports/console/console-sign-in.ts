import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Clock } from "../../ports/clock.ts";
import type { IdentityAttempt, IdentityProvider } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { explain } from "../kit/explain.ts";
import type { NoteBegun } from "../kit/limit-begun.ts";
import { showName } from "../kit/show-name.ts";
import type { ConsoleSessions } from "./console-sessions.ts";
import type { PageFacts } from "./web-files.ts";

/** How people open the console with Discord. */
export interface ConsoleSignIn {
  /** The origin of the sign-in. */
  readonly issuer: string;
  readonly signIns: Pick<SignIns, "mustBeMember" | "list" | "end" | "endOf">;
  readonly noteBegun: NoteBegun;
  identity(): Promise<IdentityProvider>;
  /** People who are operators once signed in. Changes with a reload. */
  operators(): readonly UserId[];
}

export interface ConsoleSignInDeps {
  readonly signIn: ConsoleSignIn;
  readonly sessions: Pick<ConsoleSessions, "open" | "mustBeAllowed">;
  readonly cookieName: string;
  readonly clock: Clock;
  readonly log: Log;
  mintId(): string;
  /** The page of the console, containing these facts. */
  readPage(facts: PageFacts): Promise<Response>;
  noteUse(page: string, person: UserId | null): void;
}

export const BEGIN_PATH = "/console/sign-in";
const CALLBACK_PATH = "/console/callback";
const STATE_COOKIE = "earshot_console";
const STATE_SECONDS = 600;
const MAX_PENDING = 10_000;
const OVER = "This sign-in has expired, or was begun in another browser; sign in again.";

/** Leads to Discord, and back with a session. Other sites may link to these two routes only, as top-level navigation. */
export function createConsoleSignIn(deps: ConsoleSignInDeps) {
  const { signIn, sessions, cookieName, clock, mintId } = deps;
  const { issuer } = signIn;
  const isSecure = issuer.startsWith("https:");
  /** By the state cookie: the attempt, and the cookie of the browser's other tabs. */
  const pending = new BoundedMap<string, { readonly attempt: IdentityAttempt; readonly cookie: string }>({
    ...{ maxEntries: MAX_PENDING, ttlMs: STATE_SECONDS * 1_000, clock },
  });
  const requirePage: MiddlewareHandler = async (c, next) => {
    const use = c.req.header("sec-fetch-dest") ?? "document";
    if (c.req.method === "GET" && use === "document") return next();
    throw new EarshotError("forbidden", "Only a browser's address line leads here.");
  };

  return new Hono<{ Bindings: HttpBindings }>()
    .use(BEGIN_PATH, requirePage)
    .use(CALLBACK_PATH, requirePage)
    .get(BEGIN_PATH, async (c) => {
      signIn.noteBegun(c.env.incoming);
      const identity = await signIn.identity();
      const { address, attempt } = await identity.begin(new URL(CALLBACK_PATH, issuer));
      const id = mintId();
      pending.set(id, { attempt, cookie: getCookie(c, cookieName) ?? "" });
      setCookie(c, STATE_COOKIE, id, {
        ...{ path: CALLBACK_PATH, httpOnly: true, sameSite: "Lax", maxAge: STATE_SECONDS, secure: isSecure },
      });
      c.header("cache-control", "no-store");
      return c.redirect(address.href, 303);
    })
    .get(CALLBACK_PATH, async (c) => {
      const id = getCookie(c, STATE_COOKIE) ?? "";
      const begun = pending.get(id);
      // Discord gets no code from an attempt that did not begin here, in this browser.
      if (!begun || c.req.query("state") !== begun.attempt.state) throw new EarshotError("forbidden", OVER);
      pending.delete(id);
      deleteCookie(c, STATE_COOKIE, { path: CALLBACK_PATH, secure: isSecure });
      const { search } = new URL(c.req.url);
      const identity = await signIn.identity();
      const person = await identity.finish(new URL(`${CALLBACK_PATH}${search}`, issuer), begun.attempt);
      await sessions.mustBeAllowed(person.id);
      const { secrets } = sessions.open(person.id, begun.cookie, { name: showName(person.name) });
      setCookie(c, cookieName, secrets.cookie, {
        ...{ path: "/console", httpOnly: true, sameSite: "Strict", secure: isSecure },
      });
      deps.noteUse("sign-in", person.id);
      const page = await deps.readPage({ key: secrets.key });
      return c.newResponse(page.body, page);
    })
    .onError(async (error) => {
      const { message } = explain(error, { log: deps.log, what: "a sign-in to the console failed unexpectedly" });
      const page = await deps.readPage({ problem: message });
      const status = error instanceof EarshotError ? error.status : 500;
      return new Response(page.body, { status, headers: page.headers });
    });
}
