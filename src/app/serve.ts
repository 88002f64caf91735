import { listSettings } from "../config/config-settings.ts";
import { OPERATOR } from "../policy/grant.ts";
import { copyFolder } from "../storage/back-up-folder.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import { listCoverage } from "../transports/console/list-coverage.ts";
import { openConsole } from "../transports/console/open-console.ts";
import { toSandboxCommunity } from "../transports/console/to-sandbox-community.ts";
import { traceAnswer } from "../transports/console/trace-answer.ts";
import { readStatus } from "../transports/http/read-status.ts";
import { VERSION } from "../version.ts";
import type { CoreParts } from "./open-core.ts";
import type { Faces } from "./open-faces.ts";
import type { Ground, Program } from "./open-ground.ts";
import type { Sources } from "./open-sources.ts";
import { createReload, toReloadedRow } from "./reload-config.ts";

/** How long a shutdown waits for Discord's answer to what is being sent. The rest of a shutdown may take three seconds more. */
const MAX_EFFECT_WAIT_MS = 1_500;

export interface AllParts extends Program, Ground, Sources, CoreParts, Faces {}

/** Answers at the port from now on, with the console. */
export function serve(parts: AllParts) {
  const { config, readGiven, clock, log, mintId, closers, database, kept, audit, http } = parts;
  const { discord, sandbox, live, timelines, core, agent, privacy, people, personMemory, rpc, mcp } = parts;
  let effective = config;
  const reload = createReload({
    initial: config,
    readConfig: parts.readConfig,
    apply(next, changed) {
      effective = next;
      live.replace(parts.toRules(next));
      people?.signIns.applyRules();
      const replaced = parts.replaceClients(next.clients);
      kept.consent.leaveOutByOperator(next.policy.optOut.people);
      Object.assign(parts.agentSettings, next.agent);
      parts.endClients(replaced);
      audit.note({ kind: "event", row: toReloadedRow(changed, clock.now()) });
      log.info({ changed }, "the configuration was read again and applied");
    },
  });
  const status = toStatus(parts);
  const explaining = { directory: discord.directory, rules: live.rules, botId: discord.botId };
  const console = openConsole(
    { isEnabled: config.console.enabled, host: config.server.host, url: http.url, version: VERSION },
    {
      ...{ status, reload, audit, clock, log, mintId },
      community: sandbox && toSandboxCommunity(sandbox),
      person: {
        ...{ ...core, ...explaining, agent, personMemory, privacy },
        signIns: people?.signIns ?? null,
        withheld: sandbox && explaining,
      },
      coverage: () => listCoverage({ ...explaining, timelines, facts: kept.facts }),
      signIn: people && { ...people, operators: () => effective.console.operators },
      traceAnswer: (asked) => traceAnswer(asked, { ...explaining, audit, store: createAuditStore(database) }),
      settings: async () => listSettings(effective, (await readGiven?.()) ?? { variables: [], file: {} }),
      clientNames: () => ({ rpc: rpc.clientNames(), mcp: mcp.clientNames() }),
    },
  );
  closers.push(async () => console.close());
  http.serve({
    ...{ metrics: parts.metrics, console, status, mcp, signIn: people?.transport },
    health: async () => ({ discord: discord.state, storage: (await audit.failure()) ? "failing" : "working" }),
    operator: {
      isOperator: (token) => parts.authenticate(token)?.name === OPERATOR,
      ...explaining,
      reload,
      mintConsoleLink: console.mintLink,
      copyData: (request) => copyFolder(config.dataDir, request),
    },
    mayReadMetrics: (token) => parts.authenticate(token)?.grant.scopes.includes("metrics:read") ?? false,
    handleUpgrade: rpc.handleUpgrade,
  });
  // The clients leave first: an HTTP server waits for those it has handed over.
  for (const one of [http, rpc, mcp]) closers.push(() => one.close());
  // Before the clients leave: calls under way still get their answers.
  closers.push(() => core.finishEffects(MAX_EFFECT_WAIT_MS));
  // Before that: an answer that is being written stays as it is, and is completed after the next start.
  closers.push(() => agent.close(), parts.removeAccess);
  return { console, reload };
}

function toStatus(parts: AllParts) {
  const { clock, database, answerer, profiles, metrics, rpc, mcp } = parts;
  const startedAt = clock.now();
  return async () =>
    readStatus({
      ...{ ...parts, version: VERSION, startedAt, storage: await parts.failures() },
      ...{ profiles: profiles.stats, calls: metrics.calls, rpc: rpc.stats, mcp: mcp.stats },
      slowWrites: () => database.slowWrites(),
      lastFailure: () => answerer.lastFailure?.() ?? null,
    });
}
