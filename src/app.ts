import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { openDiscord } from "./discord/open-discord.ts";
import { EarshotError } from "./domain/errors.ts";
import { createGate } from "./gate/call-tool.ts";
import { createAuthenticator, hashToken } from "./policy/authenticate.ts";
import { OPERATOR_GRANT } from "./policy/grant.ts";
import { createHearing } from "./policy/hearing.ts";
import { createOperations } from "./policy/operations.ts";
import type { Clock } from "./ports/clock.ts";
import type { Discord } from "./ports/discord.ts";
import type { Log } from "./ports/log.ts";
import {
  type Community,
  generateCommunity,
  liveTalk,
  openSandbox,
  type Sandbox,
  sampleCommunity,
  startLiveTalk,
} from "./sandbox/index.ts";
import { createLastHeardFile, createLastHeardNowhere } from "./stores/file/last-heard.ts";
import { removeOperatorAccess, writeOperatorAccess } from "./stores/file/operator-access.ts";
import { openMessageIndex } from "./stores/sqlite/message-index.ts";
import { openTimelines } from "./timeline/open-timelines.ts";
import { tools } from "./tools/index.ts";
import { createMetrics } from "./transports/http/metrics.ts";
import { openHttp } from "./transports/http/open-http.ts";
import { createRpcTransport } from "./transports/rpc/rpc-transport.ts";

export { hashToken } from "./policy/authenticate.ts";
export { readOperatorAccess } from "./stores/file/operator-access.ts";

const systemClock: Clock = { now: () => Date.now() };
const DAY = 86_400_000;

/** Where Discord is, and the token for it. */
export interface DiscordAddress {
  readonly api: string;
  readonly token: string;
}

export interface App {
  readonly discord: Discord;
  /** Present when no token is configured and Earshot runs on its own sandbox. */
  readonly sandbox: DiscordAddress | null;
  /** Where clients connect, such as http://127.0.0.1:7790. */
  readonly url: string;
  close(): Promise<void>;
}

/** The one place where the parts are introduced to each other. What was opened is closed again if a later part fails. */
export async function openApp(config: Config, log: Log): Promise<App> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    return { ...(await openParts(config, log, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(config: Config, log: Log, closers: (() => Promise<void>)[]): Promise<Omit<App, "close">> {
  const sandbox = configuredAddress(config)
    ? null
    : await openSample(config.sandbox.port, config.sandbox.talkEverySeconds);
  if (sandbox) closers.push(sandbox.close);
  const discord = await connectDiscord(config, log, sandbox);
  closers.push(() => discord.close());
  const timelines = await openTimelines(timelineOptions(config), {
    discord,
    openIndex: openMessageIndex,
    clock: systemClock,
    log,
  });
  closers.push(() => timelines.close());

  const mintId = () => randomBytes(18).toString("base64url");
  const operatorToken = mintId();
  const operator = { name: "operator", tokenSha256: hashToken(operatorToken), grant: OPERATOR_GRANT };
  const authenticate = createAuthenticator([...config.clients, operator]);
  const { directory } = discord;
  const operations = createOperations({ directory, clock: systemClock, mintId });
  const metrics = createMetrics({ discord, timelines, rpc: () => rpc.stats() });
  const gate = createGate({ tools, discord, timelines, clock: systemClock, onCall: metrics.noteCall });
  const rpc = createRpcTransport({
    gate,
    operations,
    hearing: createHearing({ directory, operations }),
    listen: (listener) => discord.listen(listener),
    authenticate,
    clock: systemClock,
    log,
    mintId,
  });
  closers.push(() => rpc.close());
  const http = await openHttp(config.server, {
    metrics,
    health: () => ({ discord: discord.state }),
    isClient: (token) => authenticate(token) !== null,
    handleUpgrade: rpc.handleUpgrade,
  });
  // The clients leave first: an HTTP server waits for those it has handed over.
  closers.push(
    () => http.close(),
    () => rpc.close(),
  );
  await writeOperatorAccess(config.dataDir, { url: http.url, token: operatorToken });
  closers.push(() => removeOperatorAccess(config.dataDir));
  return { discord, sandbox, url: http.url };
}

async function connectDiscord(config: Config, log: Log, sandbox: DiscordAddress | null): Promise<Discord> {
  const lastHeard = sandbox ? createLastHeardNowhere() : createLastHeardFile(join(config.dataDir, "edge"));
  const { api, token } = configuredAddress(config) ?? sandbox ?? { api: "", token: "" };
  return openDiscord({ api, token, features: config.features }, { clock: systemClock, log, lastHeard });
}

function timelineOptions({ timeline, dataDir }: Config): Parameters<typeof openTimelines>[0] {
  const { messagesPerChannel, megabytes, maxAgeDays, diskChannels, retentionDays } = timeline;
  const disk = { folder: join(dataDir, "timeline"), channels: diskChannels, retentionDays };
  const bounds = { messagesPerChannel, totalBytes: megabytes * 1024 * 1024, maxAgeMs: maxAgeDays * DAY };
  return diskChannels.length > 0 ? { ...bounds, disk } : bounds;
}

/** A connection of its own beside the running program, for commands that only look on. */
export async function openOnlooker({ api, token }: DiscordAddress, config: Config, log: Log): Promise<Discord> {
  const deps = { clock: systemClock, log, lastHeard: createLastHeardNowhere() };
  return openDiscord({ api, token, features: config.features }, deps);
}

/** The sandbox with the sample community, whose people go on talking every so many seconds (0: they fall silent). */
export async function openSample(
  port: number,
  talkEverySeconds: number,
): Promise<DiscordAddress & Pick<Sandbox, "close">> {
  const sandbox = await openAt(port, sampleCommunity());
  const stopTalk = talkEverySeconds > 0 ? startLiveTalk(sandbox, liveTalk, talkEverySeconds * 1000) : null;
  const close = async () => {
    stopTalk?.();
    await sandbox.close();
  };
  return { api: sandbox.api, token: sandbox.token, close };
}

/** The sandbox with a made-up community of any size. */
export async function openGenerated(
  port: number,
  size: { seed: number; messages: number },
): Promise<DiscordAddress & Pick<Sandbox, "close">> {
  return openAt(port, generateCommunity(size));
}

async function openAt(port: number, community: Community): Promise<Sandbox> {
  try {
    return await openSandbox({ port, community });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    const hint = "Another Earshot may be running; stop it, or set EARSHOT_SANDBOX_PORT to another port.";
    throw new EarshotError("unavailable", `Port ${port} is taken. ${hint}`, { cause });
  }
}

export function configuredAddress({ discord: { token, api } }: Config): DiscordAddress | null {
  return token === undefined ? null : { token, api };
}
