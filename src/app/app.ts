import type { Config } from "../config/config.ts";
import { type Grant, OPERATOR_GRANT } from "../policy/grant.ts";
import type { Discord } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { mintId, systemClock } from "../storage/durable-parts.ts";
import type { WebConsole } from "../transports/console/open-console.ts";
import { DEFAULT_RUNNER_LIMITS } from "../transports/kit/call-runner.ts";
import { type Acting, type AnswerPlace, actAs } from "../transports/library/act-as.ts";
import { checkToolsets } from "./check-toolsets.ts";
import { configuredAddress } from "./connect-discord.ts";
import type { SampleSandbox } from "./embedded-sandbox.ts";
import { openCoreParts } from "./open-core.ts";
import { openFaces } from "./open-faces.ts";
import { openGround, type Program } from "./open-ground.ts";
import { loadBuiltin } from "./open-models.ts";
import { openSources } from "./open-sources.ts";
import type { ReloadOutcome } from "./reload-config.ts";
import { serve } from "./serve.ts";

export interface App {
  readonly discord: Discord;
  /** Present when no token is configured and Earshot runs on its own sandbox. */
  readonly sandbox: SampleSandbox | null;
  /** Where clients connect, such as http://127.0.0.1:7790. */
  readonly url: string;
  /** The address by which people add their own programs, and sign them in with Discord. Null where they cannot. */
  readonly signInUrl: string | null;
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

export type StartOptions = Partial<Pick<Program, "readConfig" | "readGiven" | "erasesLostFacts">>;

/** The one place where the parts are introduced to each other. What was opened is closed again if a later part fails. */
export async function openApp(config: Config, log: Log, options: StartOptions = {}): Promise<App> {
  // A start that is refused opens nothing.
  checkToolsets(config);
  configuredAddress(config);
  const { readConfig = async () => config, readGiven, erasesLostFacts = false } = options;
  const closers: Program["closers"] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const own = { config, readConfig, readGiven, erasesLostFacts, log, clock: systemClock, mintId, closers };
  try {
    return { ...(await openParts(own)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(program: Program): Promise<Omit<App, "close">> {
  const ground = await openGround(program);
  const sources = await openSources(program, ground);
  const coreParts = await openCoreParts(program, ground, sources, () => faces.rpc);
  const faces = openFaces(program, sources, coreParts);
  const { console, reload } = serve({ ...program, ...ground, ...sources, ...coreParts, ...faces });

  const { discord, sandbox } = sources;
  const { core, privacy, people } = coreParts;
  const { personMemory, mcp } = faces;
  const sessions = {
    ...{ ...program, ...core, privacy, personMemory, directory: discord.directory },
    limits: DEFAULT_RUNNER_LIMITS,
    counters: { calls: 0, running: 0 },
  };
  const as: App["as"] = (actor, where, grant = OPERATOR_GRANT) =>
    actAs({ name: "program", grant }, { actor, where }, sessions);
  const loadRest = async () => {
    await mcp.load();
    await Promise.all([loadBuiltin(), import("../domain/time/other-languages.ts"), ground.checkRest()]);
  };
  await ground.keep();
  return { discord, sandbox, url: ground.http.url, signInUrl: people?.resource ?? null, console, as, reload, loadRest };
}
