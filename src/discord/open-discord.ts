import { GatewayCloseCodes } from "discord-api-types/v10";
import type { Discord } from "../ports/discord.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { Edge, type EdgeDeps, type EdgeParts } from "./edge.ts";
import { GatewayRefused } from "./gateway-failures.ts";
import { chooseIntents } from "./intents.ts";
import { DiscordRest } from "./rest.ts";

/**
 * Connects, and resolves once every reachable guild has been described. Throws `unavailable`, `rate_limited` or `misconfigured`.
 *
 * @example
 * import { openDiscord } from "earshot";
 * import { openSandbox } from "earshot/sandbox";
 *
 * const sandbox = await openSandbox();
 * const clock = { now: () => Date.now() };
 * const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
 * const lastHeard = { load: async () => null, save: async () => {} };
 * const features = { members: true, messageContent: true, reactions: false, directMessages: true };
 * const discord = await openDiscord({ api: sandbox.api, token: sandbox.token, features }, { clock, log, lastHeard });
 * console.log(discord.directory.guilds().length > 0); // true
 * await discord.close();
 * await sandbox.close();
 */
export async function openDiscord(options: DiscordOptions, deps: EdgeDeps): Promise<Discord> {
  let edge: Edge | null = null;
  const openRest = () => new DiscordRest(options, { ...deps, onTokenChange: () => edge?.tokenChanged() });
  const rest = openRest();
  try {
    const application = await rest.application();
    const chosen = chooseIntents(options.features, application.flags);
    const parts = { options, rest, application, chosen, countBots: options.countBots ?? false };
    edge = await connect(parts, deps).catch((error: unknown) => {
      if (!isDisallowed(error) || chosen.limits.length > 0) throw error;
      // The server did not announce which privileged intents it grants, and refused them: continues without.
      return connect({ ...parts, rest: openRest(), chosen: chooseIntents(options.features, 0) }, deps);
    });
    return edge;
  } catch (error) {
    rest.close();
    throw error;
  }
}

/** Closes its parts if it fails. */
async function connect(parts: EdgeParts, deps: EdgeDeps): Promise<Edge> {
  const edge = new Edge(parts, deps);
  try {
    await edge.connect();
    return edge;
  } catch (error) {
    await edge.close();
    throw error;
  }
}

function isDisallowed(error: unknown): boolean {
  return error instanceof GatewayRefused && error.closeCode === GatewayCloseCodes.DisallowedIntents;
}
