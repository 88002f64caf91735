import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isLoopback } from "../../domain/loopback.ts";
import type { Status } from "../../domain/status.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf } from "../kit/explain.ts";
import { toRefusal } from "../kit/http-refusal.ts";
import { type Repeat, repeatByTimer } from "../kit/repeat.ts";
import { type ConsoleDeps, createConsoleRoutes } from "./console-routes.ts";
import { ConsoleSessions } from "./console-sessions.ts";
import { BEGIN_PATH, type ConsoleSignIn } from "./console-sign-in.ts";
import { LiveSamples, SAMPLE_INTERVAL_MS } from "./live-samples.ts";
import { OneTimeLinks } from "./one-time-links.ts";
import { type PageFacts, plainPage, readAsset, readPage } from "./web-files.ts";

export interface ConsoleOptions {
  readonly isEnabled: boolean;
  readonly host: string;
  /** The address for browsers, such as http://127.0.0.1:7790. */
  readonly url: string;
  /** The folder of the built pages. */
  readonly folder?: string;
  readonly version: string;
}

export interface OpenConsoleDeps
  extends Pick<
    ConsoleDeps,
    "settings" | "clientNames" | "reload" | "community" | "person" | "traceAnswer" | "coverage" | "signIn"
  > {
  /** Counts and times, never message text. */
  status(): Promise<Status>;
  readonly audit: Pick<Audit, "note">;
  readonly log: Log;
  readonly clock: Clock;
  mintId(): string;
  readonly repeat?: Repeat;
}

export interface WebConsole {
  /** The reason why it is off; null while it is on. */
  readonly off: string | null;
  /** An address that opens one session, within five minutes. Throws `unavailable` while the console is off. */
  mintLink(): string;
  fetch(request: Request, bindings: HttpBindings): Response | Promise<Response>;
  /** Ends every session, and their streams. Safe to repeat. */
  close(): void;
}

/** A stream ends within five seconds after the person lost access. */
const CHECK_INTERVAL_MS = 4_000;
/** Beside the nearest package file, which is the same for the sources and for the built package. */
const WEB_FOLDER = join(dirname(findPackageJSON(import.meta.url) ?? "package.json"), "dist", "web");

export function openConsole(options: ConsoleOptions, deps: OpenConsoleDeps): WebConsole {
  const { url, version, folder = WEB_FOLDER } = options;
  const { audit, clock, log, signIn, repeat = repeatByTimer } = deps;
  const off = explainOff(options, signIn);
  const refuseLink = (why: string) => () => {
    throw new EarshotError("unavailable", why);
  };
  if (off !== null) {
    const refused = new EarshotError("not_found", `The console is off: ${off}.`);
    const fetch = (request: Request) =>
      new URL(request.url).pathname === "/" ? plainPage(refused.message, 200) : toRefusal(refused);
    return { off, mintLink: refuseLink(refused.message), fetch, close() {} };
  }
  const links = new OneTimeLinks(deps);
  const sessions = new ConsoleSessions(deps);
  const noteUse = (page: string, person: UserId | null) => {
    const detail_json = JSON.stringify({ page, ...(person !== null && { actor_id: person }) });
    audit.note({ kind: "event", row: { operation_id: "", name: "console", detail_json, happened_at: clock.now() } });
  };
  const start = signIn ? { signIn: `${signIn.issuer}${BEGIN_PATH}` } : {};
  const readThis = (facts: PageFacts) => readPage(folder, { ...start, ...facts });
  const samples = new LiveSamples();
  const sample = () =>
    deps.status().then(
      (status) => samples.add(status, clock.now()),
      (error: unknown) => log.warn({ code: codeOf(error) }, "the console could not read the status"),
    );
  const stopSampling = repeat(() => void sample(), SAMPLE_INTERVAL_MS);
  void sample();
  const stopChecking = repeat(() => sessions.endFallen(), CHECK_INTERVAL_MS);
  const cookieName = `earshot-${new URL(url).port}`;
  const parts = { version, cookieName, links, sessions, samples, repeat, noteUse, readPage: readThis };
  const app = new Hono()
    .get("/", () => readThis({}))
    .get("/assets/:name", async (c) => (await readAsset(folder, c.req.param("name"))) ?? c.notFound())
    .route("/", createConsoleRoutes({ ...deps, ...parts }))
    .notFound(() => toRefusal(new EarshotError("not_found", "The console has nothing here; it begins at /.")));
  return {
    off,
    mintLink: isLoopback(options.host)
      ? () => `${url}/#open=${links.mint()}`
      : refuseLink(`Earshot listens beyond this machine: sign in at ${signIn?.issuer}.`),
    fetch: (request, bindings) => app.fetch(request, bindings),
    close() {
      stopSampling();
      stopChecking();
      sessions.close();
    },
  };
}

function explainOff({ isEnabled, host }: ConsoleOptions, signIn: ConsoleSignIn | null): string | null {
  if (!isEnabled) return "EARSHOT_CONSOLE is off";
  return isLoopback(host) || signIn ? null : "Earshot listens beyond this machine, without EARSHOT_PUBLIC_URL";
}
