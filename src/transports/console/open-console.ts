import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { Hono } from "hono";
import { EarshotError } from "../../domain/errors.ts";
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
import { LiveSamples, SAMPLE_INTERVAL_MS } from "./live-samples.ts";
import { OneTimeLinks } from "./one-time-links.ts";
import { plainPage, readAsset, readPage } from "./web-files.ts";

export interface ConsoleOptions {
  readonly isEnabled: boolean;
  /** The address that Earshot listens on. */
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
    "settings" | "clientNames" | "reload" | "community" | "person" | "traceAnswer" | "coverage"
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
  /** Why there is none; null while it is on. */
  readonly off: string | null;
  /** An address that opens a session once, within five minutes. Throws `unavailable` while the console is off. */
  mintLink(): string;
  fetch(request: Request): Response | Promise<Response>;
  /** Ends every session, and their streams. Safe to repeat. */
  close(): void;
}

/** Beside the package file nearest to this one, which is the same for the sources and for the built package. */
const WEB_FOLDER = join(dirname(findPackageJSON(import.meta.url) ?? "package.json"), "dist", "web");

export function openConsole(options: ConsoleOptions, deps: OpenConsoleDeps): WebConsole {
  const { url, version, folder = WEB_FOLDER } = options;
  const off = explainOff(options);
  if (off !== null) {
    const mintLink = () => {
      throw new EarshotError("unavailable", `The console is off: ${off}.`);
    };
    const refused = new EarshotError("not_found", `The console is off: ${off}.`);
    const fetch = (request: Request) =>
      new URL(request.url).pathname === "/" ? plainPage(refused.message, 200) : toRefusal(refused);
    return { off, mintLink, fetch, close() {} };
  }
  const { audit, clock, log, repeat = repeatByTimer } = deps;
  const links = new OneTimeLinks(deps);
  const sessions = new ConsoleSessions(deps);
  const noteUse = (page: string) => {
    const row = { operation_id: "", name: "console", detail_json: JSON.stringify({ page }), happened_at: clock.now() };
    audit.note({ kind: "event", row });
  };
  const samples = new LiveSamples();
  const sample = () =>
    deps.status().then(
      (status) => samples.add(status, clock.now()),
      (error: unknown) => log.warn({ code: codeOf(error) }, "the console could not read the status"),
    );
  const stopSampling = repeat(() => void sample(), SAMPLE_INTERVAL_MS);
  void sample();
  const cookieName = `earshot-${new URL(url).port}`;
  const app = new Hono()
    .get("/", () => readPage(folder))
    .get("/assets/:name", async (c) => (await readAsset(folder, c.req.param("name"))) ?? c.notFound())
    .route("/", createConsoleRoutes({ ...deps, version, cookieName, links, sessions, samples, repeat, noteUse }))
    .notFound(() => toRefusal(new EarshotError("not_found", "The console has nothing here; it begins at /.")));
  return {
    off,
    mintLink: () => `${url}/#open=${links.mint()}`,
    fetch: (request) => app.fetch(request),
    close() {
      stopSampling();
      sessions.close();
    },
  };
}

function explainOff({ isEnabled, host }: ConsoleOptions): string | null {
  if (!isEnabled) return "EARSHOT_CONSOLE is off";
  return isLoopback(host) ? null : "Earshot listens beyond this machine";
}
