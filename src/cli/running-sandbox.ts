import type { Config } from "../config.ts";
import type { DiscordAddress } from "../embedded-sandbox.ts";

const TIMEOUT_MS = 3_000;

export function sandboxUrl(config: Config): string {
  return `http://127.0.0.1:${config.sandbox.port}`;
}

/** Null when none answers there. */
export async function findSandbox(config: Config): Promise<DiscordAddress | null> {
  try {
    const response = await fetch(`${sandboxUrl(config)}/sandbox/info`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const info = (await response.json()) as { token?: unknown };
    return typeof info.token === "string" ? { api: `${sandboxUrl(config)}/api`, token: info.token } : null;
  } catch {
    return null;
  }
}
