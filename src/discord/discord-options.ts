import type { Features } from "./intents.ts";
import type { RestOptions } from "./resilient-rest.ts";

export interface DiscordOptions extends RestOptions {
  readonly features: Features;
  /** The gateway fails if no shard gets a session within this time. */
  readonly maxConnectMs?: number;
  /** Whether other bots count as part of an audience; false by default. */
  readonly countBots?: boolean;
  /** Addresses of the hosts of attachments; Discord's own, or that of `api`, if absent or empty. */
  readonly files?: readonly string[];
  /** Web address of the server, for links to messages; Discord's own if absent. */
  readonly web?: string;
  /** A channel without a list of overwrites has none. By default its audience counts as unknown. */
  readonly omitsOverwrites?: boolean;
}
