import { existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { toConfig } from "../../src/config/config.ts";
import { listSettings } from "../../src/config/config-settings.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { Setting } from "../../src/domain/setting.ts";
import { type Status, statusSchema } from "../../src/domain/status.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import type { ConsoleDeps } from "../../src/transports/console/console-routes.ts";
import type { ConsoleSignIn } from "../../src/transports/console/console-sign-in.ts";
import type { HeldOverview } from "../../src/transports/console/list-coverage.ts";
import { type ConsoleOptions, openConsole } from "../../src/transports/console/open-console.ts";
import { openHttp } from "../../src/transports/http/open-http.ts";

const CHROMIUM = "/usr/bin/chromium";
/** Tests of pages run where Debian's Chromium is installed, and are skipped elsewhere. */
export const HAS_BROWSER = existsSync(CHROMIUM);

const BUILD = new URL("../../web/build.js", import.meta.url).href;

let built: Promise<string> | null = null;

/** The pages as the sources have them now, built once for all files that a worker runs. */
export function builtPages(): Promise<string> {
  built ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-web-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const { buildWeb } = (await import(BUILD)) as { buildWeb(folder: string): Promise<void> };
    await buildWeb(folder);
    return folder;
  })();
  return built;
}

const SPENT = { input_tokens: 1_000, output_tokens: 200, cost: 0.5 };
export const A_STATUS: Status = statusSchema.parse({
  ...{ version: "1.2.3", uptime_seconds: 60, clients: { rpc: 1, mcp: 2 }, profiles: null },
  discord: { state: "ready", servers: 2, gaps: 0, rate_limit_waits: 3, rate_limit_waited_seconds: 4 },
  messages: {
    ...{ channels: 24, held: 1_863, bytes: 2_000_000, servers_read: 1, channels_unread: 5, archives_unlisted: 0 },
    ...{ reading_paused_until: null, unconfirmed: 0, unconfirmed_since: null, erase_at: null },
  },
  documents: { folders: 0, unreadable: 0, files: 0, passages: 0, skipped: {} },
  model: { today: SPENT, since_start: SPENT },
});

const refuse = async (): Promise<never> => {
  throw new EarshotError("unavailable", "Nobody is here.");
};
/** For tests in which no person asks for anything: every request is answered with `unavailable`. */
export const NO_PERSON = {
  ...{ operations: { open: refuse, close: refuse }, agent: {}, personMemory: {}, privacy: {}, gate: {} },
  ...{ directory: {}, withheld: null },
} as unknown as ConsoleDeps["person"];

export const NO_COVERAGE: HeldOverview = { servers: [], unnamed: { channels: 0, messages: 0 } };

let ids = 0;

/** The console on a port of its own, with a clock that stands still until it is set. */
export async function openTestConsole({
  community = null,
  person = NO_PERSON,
  traceAnswer = async () => null,
  coverage = async () => NO_COVERAGE,
  openSignIn,
  ...options
}: Partial<ConsoleOptions & Pick<ConsoleDeps, "community" | "person" | "traceAnswer" | "coverage">> & {
  /** By the address of the console. */
  readonly openSignIn?: (url: string) => Promise<ConsoleSignIn>;
} = {}) {
  const http = await openHttp({ host: "127.0.0.1", port: 0 });
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  const audit: AuditEntry[] = [];
  const mintId = () => {
    ids += 1;
    return `secret${String(ids).padStart(6, "0")}`;
  };
  const state = {
    status: A_STATUS,
    settings: listSettings(toConfig({ timeline: { megabytes: 64 } }), {
      ...{ variables: [], file: { timeline: { megabytes: 64 } } },
    }) as readonly Setting[],
    clientNames: { rpc: ["brain", "brain"], mcp: ["desktop"] } as ReturnType<ConsoleDeps["clientNames"]>,
    reload: async (): Promise<{ changed: string[] }> => ({ changed: [] }),
  };
  const signIn = (await openSignIn?.(http.url)) ?? null;
  const repeated = new Set<{ action(): void; milliseconds: number }>();
  /** Does what happens in this interval, once. */
  const pass = async (milliseconds: number) => {
    clock.time += milliseconds;
    for (const entry of repeated) if (entry.milliseconds === milliseconds) entry.action();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const console = openConsole(
    { isEnabled: true, host: "127.0.0.1", url: http.url, version: "1.2.3", ...options },
    {
      ...{
        clock,
        community,
        person: { ...person, signIns: signIn?.signIns ?? null },
        traceAnswer,
        coverage,
        mintId,
        signIn,
        audit: { note: (entry) => void audit.push(entry) },
      },
      status: async () => structuredClone(state.status),
      settings: async () => state.settings,
      clientNames: () => state.clientNames,
      reload: () => state.reload(),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      repeat(action, milliseconds) {
        const entry = { action, milliseconds };
        repeated.add(entry);
        return () => repeated.delete(entry);
      },
    },
  );
  const answers: { readonly path: string; readonly status: number; readonly site: string | null }[] = [];
  http.serve({
    metrics: { render: async () => ({ contentType: "text/plain", text: "" }) },
    health: async () => ({ discord: "ready", storage: "working" }),
    status: async () => {
      throw new Error("not asked for");
    },
    mayReadMetrics: () => true,
    handleUpgrade: (_request, socket) => void socket.destroy(),
    console: {
      async fetch(request, bindings) {
        const response = await console.fetch(request, bindings);
        const site = request.headers.get("sec-fetch-site");
        answers.push({ path: new URL(request.url).pathname, status: response.status, site });
        return response;
      },
    },
  });
  const close = async () => {
    console.close();
    await http.close();
  };
  onTestFinished(close);
  return { url: http.url, console, clock, audit, answers, state, pass, repeated, close };
}

let launched: Promise<Browser> | null = null;

export interface Watched {
  readonly page: Page;
  /** Errors of the console, exceptions, and reports of the content security policy. */
  readonly complaints: string[];
  /** Hosts that were asked for something, with their ports. */
  readonly hosts: Set<string>;
}

/** A tab without any cookie, of one browser for all files that a worker runs; it ends with the worker. */
export async function openPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Watched> {
  launched ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const context = await (await launched).newContext(options);
  onTestFinished(() => context.close());
  return watch(await context.newPage());
}

export function watch(page: Page): Watched {
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => void complaints.push(String(error)));
  page.on("request", (request) => void hosts.add(new URL(request.url()).host));
  return { page, complaints, hosts };
}

/** What a screen reader or a person with weak sight would stumble over, by axe-core's rules for WCAG AA and good practice. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Through the debugger, not a script element, which the content security policy would refuse.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  // In full only what is violated: all that is well takes a second to hand over.
  const run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations = (await page.evaluate(run)) as axe.AxeResults["violations"];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const WIDTHS = [360, 1_280, 2_560];

/** What is wider than the screen, and barriers, in both themes and from the width of a phone to that of a wall. */
export async function findMisfits(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const taken = Number(await page.evaluate("document.documentElement.scrollWidth"));
      const misfits = [...(taken > width ? [`it is ${taken} pixels wide`] : []), ...(await findBarriers(page))];
      found.push(...misfits.map((misfit) => `${width} pixels, ${colorScheme}: ${misfit}`));
    }
  return found;
}

/** A session of the operator's without a browser, which sends what a browser would. */
export async function signIn({ url, console }: Pick<Awaited<ReturnType<typeof openTestConsole>>, "url" | "console">) {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    origin: url,
    "sec-fetch-site": "same-origin",
  };
  const ask = (path: string, body: object = {}, signal?: AbortSignal) =>
    fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) });
  const opened = await ask("/console/session/open", { code: console.mintLink().split("#open=")[1] });
  headers["cookie"] = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  headers["x-earshot-key"] = ((await opened.json()) as { key: string }).key;
  /** A session of a person of the sandbox, beside the operator's. */
  const become = async (id: string) => {
    const { key } = (await (await ask("/console/sandbox/become", { id })).json()) as { key: string };
    const own = { ...headers, "x-earshot-key": key };
    return {
      ask: (path: string, body: object = {}, signal?: AbortSignal) =>
        fetch(`${url}${path}`, { method: "POST", headers: own, body: JSON.stringify(body), ...(signal && { signal }) }),
    };
  };
  return { ask, become };
}
