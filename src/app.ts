import { join } from "node:path";
import type { Config } from "./config.ts";
import { openDiscord } from "./discord/open-discord.ts";
import { EarshotError } from "./domain/errors.ts";
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

const systemClock: Clock = { now: () => Date.now() };

/** Where Discord is, and the token for it. */
export interface DiscordAddress {
  readonly api: string;
  readonly token: string;
}

export interface App {
  readonly discord: Discord;
  /** Present when no token is configured and Earshot runs on its own sandbox. */
  readonly sandbox: DiscordAddress | null;
  close(): Promise<void>;
}

/** The one place where the parts are introduced to each other. */
export async function openApp(config: Config, log: Log): Promise<App> {
  const configured = configuredAddress(config);
  const sandbox = configured ? null : await openSample(config.sandbox.port, config.sandbox.talkEverySeconds);
  try {
    const lastHeard = sandbox ? createLastHeardNowhere() : createLastHeardFile(join(config.dataDir, "edge"));
    const { api, token } = configured ?? sandbox ?? { api: "", token: "" };
    const discord = await openDiscord(
      { api, token, features: config.features },
      { clock: systemClock, log, lastHeard },
    );
    const close = async () => {
      await discord.close();
      await sandbox?.close();
    };
    return { discord, sandbox, close };
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
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
): Promise<DiscordAddress & Pick<Sandbox, "url" | "close">> {
  const sandbox = await openAt(port, sampleCommunity());
  const stopTalk = talkEverySeconds > 0 ? startLiveTalk(sandbox, liveTalk, talkEverySeconds * 1000) : null;
  const close = async () => {
    stopTalk?.();
    await sandbox.close();
  };
  return { api: sandbox.api, url: sandbox.url, token: sandbox.token, close };
}

/** The sandbox with a made-up community of any size. */
export async function openGenerated(
  port: number,
  size: { seed: number; messages: number },
): Promise<DiscordAddress & Pick<Sandbox, "url" | "close">> {
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
