import { type ConsoleDeps, createConsoleRoutes } from "../../src/transports/console/console-routes.ts";
import { ConsoleSessions } from "../../src/transports/console/console-sessions.ts";
import { LiveSamples } from "../../src/transports/console/live-samples.ts";
import { OneTimeLinks } from "../../src/transports/console/one-time-links.ts";
import type { SandboxCommunity } from "../../src/transports/console/sandbox-community.ts";
import { NO_COVERAGE, NO_PERSON } from "./console.ts";

export const ORIGIN = "http://127.0.0.1:7790";
export const FOR_OPERATOR = /^\/console\/(operator|sandbox)\//;
export const FOR_PERSON = /^\/console\/(me|community)\//;

/** The routes of the console alone, with nobody behind them, and the path of each. */
export function openRoutes(community: SandboxCommunity | null) {
  const ids = Array.from({ length: 1_000 }, (_, index) => `id${index}`);
  const deps = { clock: { now: () => 0 }, mintId: () => ids.pop() ?? "" };
  const sessions = new ConsoleSessions(deps);
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const all: ConsoleDeps = {
    ...{ ...deps, signIn: null, log: quiet, readPage: async () => new Response() },
    ...{ version: "1.2.3", cookieName: "earshot-7790", links: new OneTimeLinks(deps), sessions },
    ...{ settings: async () => [], clientNames: () => ({ rpc: [], mcp: [] }), reload: async () => ({ changed: [] }) },
    ...{
      samples: new LiveSamples(),
      repeat: () => () => {},
      noteUse() {},
      community,
      person: NO_PERSON,
      traceAnswer: async () => null,
      coverage: async () => NO_COVERAGE,
    },
  };
  const app = createConsoleRoutes(all);
  const paths = [...new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path))];
  const ask = (path: string, headers: Record<string, string>, body = {}) =>
    app.request(`${ORIGIN}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { ...all, app, paths, ask };
}
