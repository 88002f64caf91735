import type { Config } from "../config/config.ts";
import type { DiscordOptions } from "../discord/discord-options.ts";
import type { EdgeDeps } from "../discord/edge.ts";
import { type BotCheck, openFirstLook } from "../discord/first-look.ts";
import { lookOn, type Overview } from "../discord/look-on.ts";
import { openDiscord } from "../discord/open-discord.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Log } from "../ports/log.ts";
import { systemClock } from "../storage/durable-parts.ts";
import type { Database } from "../stores/database.ts";
import { connectUnlessRefused } from "../stores/file/refused-token.ts";
import { createLastHeardStore } from "../stores/last-heard-store.ts";
import type { DiscordAddress } from "./embedded-sandbox.ts";

/** Remembers across restarts that Discord refused the token. */
export async function connectDiscord(
  config: Config,
  { database, ...deps }: Pick<EdgeDeps, "log" | "consent"> & { readonly database: Database },
  sandbox: DiscordAddress | null,
) {
  // A sandbox is new with each start.
  const lastHeard = sandbox ? { load: async () => null, save: async () => {} } : createLastHeardStore(database);
  const address = configuredAddress(config) ?? { api: sandbox?.api ?? "", token: sandbox?.token ?? "" };
  const [options, clock] = [toDiscordOptions(config, address), systemClock];
  const connect = (onTokenRefused?: () => void) => openDiscord(options, { clock, lastHeard, ...deps, onTokenRefused });
  return sandbox ? connect() : connectUnlessRefused(config.dataDir, { address, clock, connect });
}

/** What commands see that only look on: no session, beside the running program or without one. */
export function openOnlooker(address: DiscordAddress, config: Config, log: Log): Promise<Overview> {
  return lookOn(toDiscordOptions(config, address), { clock: systemClock, log });
}

/** What somebody sees who sets up a bot with this token. */
export function openFirstLookOf(token: string, config: Config, log: Log): BotCheck {
  const options = toDiscordOptions(config, { token, api: config.discord.api });
  return openFirstLook(options, { clock: systemClock, log });
}

/** Null without a token: then Earshot runs on its own sandbox. Throws `misconfigured` where that is not wanted. */
export function configuredAddress({ discord: { token, api, requireToken } }: Config): DiscordAddress | null {
  if (token !== undefined) return { token, api };
  if (!requireToken) return null;
  const hint = "Set EARSHOT_DISCORD_TOKEN, or EARSHOT_DISCORD_TOKEN_FILE to a file that holds it.";
  throw new EarshotError("misconfigured", `There is no bot token, and EARSHOT_REQUIRE_TOKEN asks for one. ${hint}`);
}

function toDiscordOptions({ features, policy, discord }: Config, address: DiscordAddress): DiscordOptions {
  return { ...discord, ...address, features, countBots: policy.countBots };
}
