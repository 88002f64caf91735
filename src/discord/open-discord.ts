import { EarshotError } from "../domain/errors.ts";
import type { Discord } from "../ports/discord.ts";
import { Edge, type EdgeDeps, type EdgeParts } from "./edge.ts";
import { chooseIntents, type Features } from "./intents.ts";
import { DiscordRest } from "./rest.ts";

export interface DiscordOptions {
  readonly token: string;
  /** Base of the API without version, such as https://discord.com/api. */
  readonly api: string;
  readonly features: Features;
  /** Other bots count as an audience; they do not unless this is set. */
  readonly countBots?: boolean;
}

/** Connects, and resolves once every reachable guild has been described. Throws `unauthenticated`, `unavailable` or `misconfigured`. */
export async function openDiscord(options: DiscordOptions, deps: EdgeDeps): Promise<Discord> {
  const rest = new DiscordRest(options, deps.log);
  try {
    const application = await rest.application();
    const chosen = chooseIntents(options.features, application.flags);
    const lastHeardBefore = await deps.lastHeard.load(application.botId);
    return await connect(options, deps, {
      token: options.token,
      api: options.api,
      rest,
      application,
      chosen,
      lastHeardBefore,
      countBots: options.countBots ?? false,
    });
  } catch (error) {
    rest.close();
    throw error;
  }
}

async function connect(options: DiscordOptions, deps: EdgeDeps, parts: EdgeParts): Promise<Discord> {
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
    if (reason === "Authentication failed")
      throw new EarshotError("unauthenticated", "Discord does not accept the bot token.", { cause: error });
    if (error instanceof EarshotError) throw error;
    throw new EarshotError("unavailable", `The Discord gateway cannot be used: ${reason}`, { cause: error });
  }
}
