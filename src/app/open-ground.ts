import type { Config } from "../config/config.ts";
import type { GivenSettings } from "../config/config-settings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { openAuditOf, openMemoryOf, openSpendingOf, openStorageOf } from "../storage/durable-parts.ts";
import { listFailures } from "../storage/storage-health.ts";
import { openHttp } from "../transports/http/open-http.ts";
import { toPrices } from "./open-models.ts";
import { removeOperatorAccess, writeOperatorAccess } from "./operator-access.ts";

/** Every part is opened with this. */
export interface Program {
  readonly config: Config;
  /** Reads the configuration again, for a reload. */
  readConfig(): Promise<Config>;
  /** What the environment and the configuration file say now, for the console. */
  readonly readGiven: (() => Promise<GivenSettings>) | undefined;
  readonly erasesLostFacts: boolean;
  readonly clock: Clock;
  readonly log: Log;
  mintId(): string;
  /** A part that was opened adds how it is closed; the last one is closed first. */
  readonly closers: (() => Promise<void>)[];
}

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** The ground of everything else: things that last, the port, and the operator's way in. */
export async function openGround({ config, erasesLostFacts, log, mintId, closers }: Program) {
  // First of all: it is also what keeps a second program from working with the same folder, and the same bot.
  const { database, storage, checkRest, keep } = await openStorageOf(config, log, closers);
  const http = await openHttp(config.server);
  const removeAccess = () => removeOperatorAccess(config.dataDir);
  closers.push(() => http.close(), removeAccess);
  const tokens = { operator: mintId(), confirmer: mintId() };
  await writeOperatorAccess(config.dataDir, http.url, tokens);
  // Before the audit, which erases what is too old: a start that is refused changes nothing.
  const kept = await openMemoryOf({ ...config, erasesLostFacts, storage }, database, log, closers);
  const { audit, confined } = await openAuditOf(config, database, log, closers);
  // Looked at whenever a question is asked or a model is called; a reload replaces it.
  const agentSettings = { ...config.agent, retentionDays: config.episodes.retentionDays };
  const spending = await openSpendingOf({ ...config, agent: agentSettings }, database, log, closers);
  return {
    ...{ database, checkRest, keep, http, removeAccess, tokens, kept, audit, confined, agentSettings, spending },
    spent: spending && { totals: () => spending.totals(), prices: toPrices(config) },
    failures: () => listFailures(storage, audit),
  };
}
