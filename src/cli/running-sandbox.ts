import { configuredAddress, type DiscordAddress } from "../app.ts";
import type { Config } from "../config.ts";
import { EarshotError } from "../domain/errors.ts";

const PATIENCE = 3_000;

export function sandboxUrl(config: Config): string {
  return `http://127.0.0.1:${config.sandbox.port}`;
}

/** The configured Discord, or else the sandbox of an Earshot that runs on this machine. */
export async function findDiscord(config: Config, self: string): Promise<DiscordAddress> {
  const address = configuredAddress(config) ?? (await findSandbox(config));
  if (address) return address;
  const hint = `Start one with "${self} start", or set EARSHOT_DISCORD_TOKEN.`;
  throw new EarshotError(
    "unavailable",
    `No Discord token is set, and no sandbox answers at ${sandboxUrl(config)}. ${hint}`,
  );
}

/** Null when none answers there. */
export async function findSandbox(config: Config): Promise<DiscordAddress | null> {
  try {
    const response = await fetch(`${sandboxUrl(config)}/sandbox/info`, { signal: AbortSignal.timeout(PATIENCE) });
    const info = (await response.json()) as { token?: unknown };
    return typeof info.token === "string" ? { api: `${sandboxUrl(config)}/api`, token: info.token } : null;
  } catch {
    return null;
  }
}
