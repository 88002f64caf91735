/** Counted since the start unless noted otherwise. */
export interface DiscordStats {
  readonly restCalls: number;
  /** Number and total duration of rate-limit waits. */
  readonly rateLimitWaits: number;
  readonly rateLimitWaitedMs: number;
  readonly events: number;
  readonly gaps: number;
  /** Commands that were offered but are not shown by Discord. */
  readonly missingCommands: readonly MissingCommand[];
  /** The server cannot list archived threads: only announced ones are known. */
  readonly lacksArchives: boolean;
}

export interface MissingCommand {
  /** As people see it, such as /privacy. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
  /** Not retried before the next start. */
  readonly isRefused: boolean;
}
