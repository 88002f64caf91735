import { Routes } from "discord-api-types/v10";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { DiscordOptions } from "./discord-options.ts";
import { chooseIntents } from "./intents.ts";
import { name } from "./read.ts";
import { DiscordRest } from "./rest.ts";
import { mustBeList } from "./rest-answers.ts";

interface FirstLook {
  readonly applicationId: string;
  readonly botName: string;
  /** Intents to enable in the developer portal, by the portal's labels, and the effect of lacking each. */
  readonly intentsOff: readonly { readonly label: string; readonly without: string }[];
  /** The names of its servers, at most 200. */
  readonly guilds: readonly string[];
}

export interface BotCheck {
  /** Uses REST only: three short requests, and no gateway session. Throws `unavailable`, `rate_limited` or `misconfigured`. */
  look(): Promise<FirstLook>;
  close(): void;
}

export function openFirstLook(options: DiscordOptions, deps: { readonly clock: Clock; readonly log: Log }): BotCheck {
  const rest = new DiscordRest(options, deps);
  return {
    async look() {
      const { id, botName, flags } = await rest.application();
      const { offInPortal } = chooseIntents(options.features, flags);
      const guilds = mustBeList(await rest.rest.ask({}, () => rest.rest.get(Routes.userGuilds())));
      return {
        applicationId: id,
        botName,
        intentsOff: offInPortal,
        guilds: guilds.map((guild) => name(guild["name"]) ?? "a server"),
      };
    },
    close: () => rest.close(),
  };
}
