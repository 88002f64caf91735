import { EarshotError } from "../domain/errors.ts";
import type { Discord } from "../ports/discord.ts";
import { Edge, type EdgeDeps, type EdgeParts } from "./edge.ts";
import { chooseIntents, type Features } from "./intents.ts";
import type { RestOptions } from "./resilient-rest.ts";
import { DiscordRest } from "./rest.ts";
import { tokenRefused } from "./token-health.ts";

export interface DiscordOptions extends RestOptions {
  readonly features: Features;
  /** Other bots count as an audience; they do not unless this is set. */
  readonly countBots?: boolean;
}

/** Connects, and resolves once every reachable guild has been described. Throws `unavailable`, `rate_limited` or `misconfigured`. */
export async function openDiscord(options: DiscordOptions, deps: EdgeDeps): Promise<Discord> {
  let edge: Edge | null = null;
  const rest = new DiscordRest(options, { ...deps, onTokenChange: () => edge?.tokenChanged() });
  try {
    const application = await rest.application();
    const chosen = chooseIntents(options.features, application.flags);
    const lastHeardBefore = await deps.lastHeard.load(application.botId);
    edge = await connect(options, deps, {
      token: options.token,
      api: options.api,
      rest,
      application,
      chosen,
      lastHeardBefore,
      countBots: options.countBots ?? false,
    });
    return edge;
  } catch (error) {
    rest.close();
    throw error;
  }
}

async function connect(options: DiscordOptions, deps: EdgeDeps, parts: EdgeParts): Promise<Edge> {
  const edge = new Edge(parts, deps);
  try {
    await edge.connect();
    return edge;
  } catch (error) {
    await edge.close();
    const reason = error instanceof Error ? error.message : "";
    if (reason === "Used disallowed intents" && parts.chosen.limits.length === 0) {
      // The server did not say beforehand which privileged intents it grants, and then refused them: go on without.
      return connect(options, deps, { ...parts, chosen: chooseIntents(options.features, 0) });
    }
    if (reason === "Authentication failed") throw tokenRefused(error);
    if (error instanceof EarshotError) throw error;
    throw new EarshotError("unavailable", `The Discord gateway cannot be used: ${reason}`, { cause: error });
  }
}
