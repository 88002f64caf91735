import type { Features } from "./intents.ts";
import type { RestOptions } from "./resilient-rest.ts";

export interface DiscordOptions extends RestOptions {
  readonly features: Features;
  /** The gateway fails when no shard gets a session for this long. */
  readonly maxConnectMs?: number;
  /** Other bots count as an audience; they do not unless this is set. */
  readonly countBots?: boolean;
  /** Addresses of the hosts from which attachments are fetched; Discord's own, or that of `api`, when absent or empty. */
  readonly files?: readonly string[];
  /** Web address of the server, for links to messages; Discord's own when absent. */
  readonly web?: string;
  /** A channel without a list of overwrites has none. By default its readers count as unknown. */
  readonly omitsOverwrites?: boolean;
}
