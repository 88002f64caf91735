import type { Features } from "./intents.ts";
import type { RestOptions } from "./resilient-rest.ts";

export interface DiscordOptions extends RestOptions {
  readonly features: Features;
  /** The gateway is given up when for so long no shard got a session. */
  readonly maxConnectMs?: number;
  /** Other bots count as an audience; they do not unless this is set. */
  readonly countBots?: boolean;
}
