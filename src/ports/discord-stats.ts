/** Since the start, unless it says otherwise. */
export interface DiscordStats {
  readonly restCalls: number;
  /** How often, and for how long in all, Discord asked to wait. */
  readonly rateLimitWaits: number;
  readonly rateLimitWaitedMs: number;
  readonly events: number;
  readonly gaps: number;
  /** Commands that were offered, and that Discord does not show. */
  readonly missingCommands: readonly MissingCommand[];
  /** The server has no list of archived threads: what is in them is known only as far as it was announced. */
  readonly lacksArchives: boolean;
}

export interface MissingCommand {
  /** As people see it, such as /privacy. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
  /** Not tried again before the next start. */
  readonly isRefused: boolean;
}
