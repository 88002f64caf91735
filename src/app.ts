import { join } from "node:path";
import { openAgent } from "./agent/open-agent.ts";
import { copyFolder } from "./back-up-folder.ts";
import { checkToolsets } from "./check-toolsets.ts";
import type { Config } from "./config.ts";
import { type GivenSettings, listSettings } from "./config-settings.ts";
import { openDocumentsOf } from "./configured-documents.ts";
import { configuredAddress, connectDiscord } from "./connect-discord.ts";
import type { ChannelId, GuildId } from "./domain/ids.ts";
import { isLoopback } from "./domain/loopback.ts";
import { mintId, openAuditOf, openMemoryOf, openSpendingOf, openStorageOf, systemClock } from "./durable-parts.ts";
import { type DiscordAddress, openSample } from "./embedded-sandbox.ts";
import { createCore } from "./gate/create-core.ts";
import { toEraser } from "./gate/memory/erase-person.ts";
import { Memory } from "./memory/memory.ts";
import { startForgetting } from "./memory/start-forgetting.ts";
import { loadBuiltin, openAnswerer, openEmbedder, openModel, toPrices } from "./open-models.ts";
import { openProfiles } from "./open-profiles.ts";
import { openTalks } from "./open-talks.ts";
import { removeOperatorAccess, writeOperatorAccess } from "./operator-access.ts";
import { isListed, locateChannel } from "./policy/apply-rules.ts";
import { hashToken } from "./policy/authenticate.ts";
import { CONFIRMER_GRANT, type Grant, OPERATOR, OPERATOR_GRANT } from "./policy/grant.ts";
import { LiveClients } from "./policy/live-clients.ts";
import { createLiveRules } from "./policy/live-rules.ts";
import type { Rules } from "./policy/rules.ts";
import type { Directory } from "./ports/directory.ts";
import type { Discord } from "./ports/discord.ts";
import type { Log } from "./ports/log.ts";
import { isOlderDatabase } from "./ports/restore-store.ts";
import { createReload, type ReloadOutcome, toReloadedRow } from "./reload-config.ts";
import { allowSharing, rememberSample } from "./sample-facts.ts";
import { openSearch } from "./search/open-search.ts";
import { listFailures } from "./storage-health.ts";
import { createAnswerStore } from "./stores/answer-store.ts";
import { createAuditStore } from "./stores/audit-store.ts";
import { createFactUses } from "./stores/fact-uses.ts";
import { openMessageIndex } from "./stores/sqlite/message-index.ts";
import { openTimelines } from "./timeline/open-timelines.ts";
import { tools } from "./tools/index.ts";
import { listCoverage } from "./transports/console/list-coverage.ts";
import { openConsole, type WebConsole } from "./transports/console/open-console.ts";
import { toSandboxCommunity } from "./transports/console/to-sandbox-community.ts";
import { traceAnswer } from "./transports/console/trace-answer.ts";
import { AgentCommand } from "./transports/discord/agent-command.ts";
import { openCommands } from "./transports/discord/commands.ts";
import { openReviews } from "./transports/discord/reviews.ts";
import { createMetrics } from "./transports/http/metrics.ts";
import { openHttp } from "./transports/http/open-http.ts";
import { readStatus } from "./transports/http/read-status.ts";
import { DEFAULT_RUNNER_LIMITS } from "./transports/kit/call-runner.ts";
import { codeOf } from "./transports/kit/explain.ts";
import { PersonMemory } from "./transports/kit/person-memory.ts";
import { Privacy } from "./transports/kit/privacy.ts";
import type { KeptFacts } from "./transports/kit/privacy-text.ts";
import { type Acting, type AnswerPlace, actAs } from "./transports/library/act-as.ts";
import { createMcpOnDemand } from "./transports/mcp/mcp-on-demand.ts";
import { createRpcTransport } from "./transports/rpc/rpc-transport.ts";
import { VERSION } from "./version.ts";

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
/** How long a shutdown waits for Discord's answer to what is being sent. The rest of a shutdown may take three seconds more. */
const MAX_EFFECT_WAIT_MS = 1_500;

export interface App {
  readonly discord: Discord;
  /** Present when no token is configured and Earshot runs on its own sandbox. */
  readonly sandbox: DiscordAddress | null;
  /** Where clients connect, such as http://127.0.0.1:7790. */
  readonly url: string;
  readonly console: Pick<WebConsole, "off" | "mintLink">;
  /** For a program that this runs within: tools on behalf of somebody. */
  as(actor: string, where: AnswerPlace, grant?: Grant): Acting;
  /** Reads the configuration again and applies it. Throws `misconfigured`, and changes nothing, if not all of it can be applied. */
  reload(): Promise<ReloadOutcome>;
  /**
   * Loads the code for which no start waits, and which would be loaded when first used: then no request waits for it, and replacing the
   * installed files cannot mix two versions in one program. Also checks the rest of earshot.db.
   */
  loadRest(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Reads the configuration again, for a reload. */
  readConfig?(): Promise<Config>;
  readonly erasesLostFacts?: boolean;
  /** What the environment and the configuration file say now, for the console. */
  readGiven?(): Promise<GivenSettings>;
}

/** The one place where the parts are introduced to each other. What was opened is closed again if a later part fails. */
export async function openApp(config: Config, log: Log, options: StartOptions = {}): Promise<App> {
  checkToolsets(config);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    return { ...(await openParts({ config, ...options }, log, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(
  { config, readConfig = async () => config, readGiven, erasesLostFacts = false }: StartOptions & { config: Config },
  log: Log,
  closers: (() => Promise<void>)[],
): Promise<Omit<App, "close">> {
  const startedAt = systemClock.now();
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
  const { consent } = kept;
  // Looked at whenever a question is asked or a model is called; a reload replaces it.
  const agentSettings = { ...config.agent, retentionDays: config.episodes.retentionDays };
  const spending = await openSpendingOf({ ...config, agent: agentSettings }, database, log, closers);
  const spent = spending && { totals: () => spending.totals(), prices: toPrices(config) };
  const sandbox = configuredAddress(config)
    ? null
    : await openSample(config.sandbox.port, config.sandbox.talkEverySeconds);
  if (sandbox) closers.push(sandbox.close);
  const discord = await connectDiscord(config, { log, consent }, sandbox);
  closers.push(() => discord.close());
  const toRules = ({ policy }: Config): Rules =>
    sandbox ? allowSharing(policy, sandbox.community.guild.id as GuildId) : policy;
  const live = createLiveRules(toRules(config));
  const timelines = await openTimelines(timelineOptions(config, live.rules, discord.directory), {
    discord,
    openIndex: openMessageIndex,
    consent,
    clock: systemClock,
    log,
  });
  closers.push(() => timelines.close());
  const embedder = await openEmbedder(config);
  const search = openSearch({}, { timelines, discord, consent, clock: systemClock, log, embedder });
  closers.push(() => search.close());

  const memory = new Memory({ ...kept, clock: systemClock });
  closers.push(() => memory.close());
  const stopForgetting = startForgetting({
    memory,
    hasMessage: async ({ channelId, messageId }) => (await timelines.message(channelId, messageId)) !== undefined,
    facts: kept.facts,
    directory: discord.directory,
    isConnected: () => discord.state === "ready",
    audit,
    listen: (listener) => discord.listen(listener),
    clock: systemClock,
    log,
  });
  closers.push(async () => stopForgetting());

  const documents = await openDocumentsOf(config, sandbox?.community ?? null);
  closers.push(() => documents.close());

  const talks = await openTalks(config, { database, discord, timelines, consent, clock: systemClock, log, mintId });
  closers.push(() => talks.close());

  const profiles = openProfiles(config, { directory: discord.directory, clock: systemClock, log });
  closers.push(async () => profiles.close());

  const ownClients = [
    { name: OPERATOR, tokenSha256: hashToken(tokens.operator), grant: OPERATOR_GRANT },
    { name: "confirmer", tokenSha256: hashToken(tokens.confirmer), grant: CONFIRMER_GRANT },
  ];
  const clients = new LiveClients([...config.clients, ...ownClients]);
  const authenticate = clients.authenticate.bind(clients);
  const failures = () => listFailures(storage, audit);
  const metrics = createMetrics({ discord, timelines, spent, failures, profiles, rpc: () => rpc.stats() });
  const reviews = openReviews({ discord, core: () => core, log });
  closers.push(() => reviews.close());
  const core = createCore({
    tools,
    discord,
    timelines,
    search,
    rules: live.rules,
    policy: live,
    consent,
    memory,
    profiles: profiles.sources,
    documents,
    episodes: talks.episodes,
    bots: config.agent.bots,
    audit,
    uses: { uses: createFactUses(database), retentionDays: config.audit.retentionDays },
    confined,
    clock: systemClock,
    mintId,
    model: await openModel(config),
    ...(spending && { spending }),
    timeZone: config.timeZone,
    onCall: metrics.noteCall,
    onConfirmation: reviews.ask,
    followed: () => agent.clientAnswers,
  });
  if (sandbox && core.ownMemory) {
    const telling = rememberSample({ sandbox, ownMemory: core.ownMemory, memory, clock: systemClock }).catch(
      (error: unknown) =>
        log.warn({ code: codeOf(error) }, "the facts of the sample community could not be remembered"),
    );
    closers.push(() => telling);
  }
  const privacy = new Privacy({ ...core, consent, kept: keptFacts(config, kept.restores), clock: systemClock });
  const commands = openCommands({
    ...core,
    privacy,
    discord,
    timeZone: config.timeZone,
    clock: systemClock,
    log,
    mintId,
  });
  closers.push(() => commands.close());
  core.erasers.add(toEraser("previews", (person) => commands.drop(person)));
  const answerer = await openAnswerer(config, log);
  const agent = openAgent({
    ...core,
    discord,
    store: createAnswerStore(database),
    answerer,
    ...(spending && { spending }),
    restoredAt: kept.restores.filter(isOlderDatabase).at(-1)?.restored_at,
    mayAnswerBot: (message) => talks.botAskers.mayAnswer(message),
    audit,
    settings: agentSettings,
    policy: live,
    timeZone: config.timeZone,
    clock: systemClock,
    log,
  });
  closers.push(() => agent.close());
  core.erasers.add(agent.eraser);
  const agentCommand = new AgentCommand({ ...core, agent, reviews, discord, log });
  closers.push(() => agentCommand.close());
  const personMemory = new PersonMemory({
    ...core,
    privacy,
    directory: discord.directory,
    clock: systemClock,
  });
  const rpc = createRpcTransport({
    ...core,
    privacy,
    personMemory,
    agent,
    listen: (listener) => discord.listen(listener),
    authenticate,
    isSandbox: sandbox !== null,
    clock: systemClock,
    log,
    mintId,
  });
  closers.push(() => rpc.close());
  core.erasers.add(toEraser("event log", (person) => rpc.forgetAuthor(person)));
  const mcp = createMcpOnDemand({
    ...core,
    privacy,
    directory: discord.directory,
    authenticate,
    isLocal: isLoopback(config.server.host),
    trustsHost: ({ grant }) => grant.elicitation,
    clock: systemClock,
    log,
    version: VERSION,
    mintId,
  });
  closers.push(() => mcp.close());
  let effective = config;
  const reload = createReload({
    initial: config,
    readConfig,
    apply(next, changed) {
      effective = next;
      live.replace(toRules(next));
      const replaced = clients.replace([...next.clients, ...ownClients]);
      consent.leaveOutByOperator(next.policy.optOut.people);
      Object.assign(agentSettings, next.agent);
      core.operations.endOf(replaced);
      rpc.disconnect(replaced);
      audit.note({ kind: "event", row: toReloadedRow(changed, systemClock.now()) });
      log.info({ changed }, "the configuration was read again and applied");
    },
  });
  const status = async () =>
    readStatus({
      storage: await failures(),
      version: VERSION,
      startedAt,
      clock: systemClock,
      slowWrites: () => database.slowWrites(),
      discord,
      timelines,
      documents,
      spent,
      lastFailure: () => answerer.lastFailure?.() ?? null,
      profiles: profiles.stats,
      calls: metrics.calls,
      rpc: rpc.stats,
      mcp: mcp.stats,
    });
  const explaining = { directory: discord.directory, rules: live.rules, botId: discord.botId };
  const console = openConsole(
    { isEnabled: config.console.enabled, host: config.server.host, url: http.url, version: VERSION },
    {
      ...{ status, reload, audit, clock: systemClock, log, mintId },
      community: sandbox && toSandboxCommunity(sandbox),
      person: { ...core, ...explaining, agent, personMemory, privacy, withheld: sandbox && explaining },
      coverage: () => listCoverage({ ...explaining, timelines, facts: kept.facts }),
      traceAnswer: (asked) => traceAnswer(asked, { ...explaining, audit, store: createAuditStore(database) }),
      settings: async () => listSettings(effective, (await readGiven?.()) ?? { variables: [], file: {} }),
      clientNames: () => ({ rpc: rpc.clientNames(), mcp: mcp.clientNames() }),
    },
  );
  closers.push(async () => console.close());
  http.serve({
    metrics,
    console,
    health: async () => ({ discord: discord.state, storage: (await audit.failure()) ? "failing" : "working" }),
    status,
    operator: {
      isOperator: (token) => authenticate(token)?.name === OPERATOR,
      ...explaining,
      reload,
      mintConsoleLink: console.mintLink,
      copyData: (request) => copyFolder(config.dataDir, request),
    },
    mayReadMetrics: (token) => authenticate(token)?.grant.scopes.includes("metrics:read") ?? false,
    handleUpgrade: rpc.handleUpgrade,
    mcp,
  });
  // The clients leave first: an HTTP server waits for those it has handed over.
  closers.push(
    () => http.close(),
    () => rpc.close(),
    () => mcp.close(),
  );
  // Before the clients leave: calls under way still get their answers.
  closers.push(() => core.finishEffects(MAX_EFFECT_WAIT_MS));
  // Before that: an answer that is being written stays as it is, and is completed after the next start.
  closers.push(() => agent.close(), removeAccess);
  const actorSessions = {
    ...core,
    privacy,
    personMemory,
    directory: discord.directory,
    clock: systemClock,
    log,
    limits: DEFAULT_RUNNER_LIMITS,
    counters: { calls: 0, running: 0 },
  };
  const as: App["as"] = (actor, where, grant = OPERATOR_GRANT) =>
    actAs({ name: "program", grant }, { actor, where }, actorSessions);
  const loadRest = async () => {
    await mcp.load();
    await Promise.all([loadBuiltin(), import("./domain/time/other-languages.ts"), checkRest()]);
  };
  await keep();
  return { discord, sandbox, url: http.url, console, as, reload, loadRest };
}

function keptFacts(config: Config, restores: NonNullable<KeptFacts["restores"]>): KeptFacts {
  const { timeline, audit, episodes, model, profiles } = config;
  const { messagesPerChannel, maxAgeDays, diskChannels, retentionDays } = timeline;
  const diskDays = diskChannels.length > 0 ? retentionDays : null;
  const [auditDays, talkDays] = [audit.retentionDays, episodes.retentionDays];
  const asksProfiles = profiles.url !== undefined;
  const countsTokens = (model.name ?? model.cheapName) !== undefined;
  return { messagesPerChannel, maxAgeDays, diskDays, auditDays, talkDays, countsTokens, asksProfiles, restores };
}

function timelineOptions(
  { timeline, dataDir }: Config,
  rules: Pick<Rules, "optOut">,
  directory: Directory,
): Parameters<typeof openTimelines>[0] {
  const { messagesPerChannel, megabytes, maxAgeDays, diskChannels, retentionDays, pagesPerSecond } = timeline;
  const disk = { folder: join(dataDir, "timeline"), channels: diskChannels, retentionDays };
  const bounds = { messagesPerChannel, totalBytes: megabytes * MIB, maxAgeMs: maxAgeDays * DAY_MS };
  const isExcluded = (id: ChannelId) => {
    const place = locateChannel(directory, id);
    return !place || isListed(rules.optOut.channels, place.lineage);
  };
  const reading = pagesPerSecond > 0 ? { readsAhead: true, backgroundIntervalMs: 1_000 / pagesPerSecond } : {};
  const options = { ...bounds, ...reading, isExcluded };
  return diskChannels.length > 0 ? { ...options, disk } : options;
}
