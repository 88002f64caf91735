import { DEFAULT_RUNNER_LIMITS, type RunnerLimits } from "../kit/call-runner.ts";

export interface McpLimits extends RunnerLimits {
  /** Maximum sessions and standing connections, in all and per client. */
  readonly sessions: number;
  readonly sessionsPerClient: number;
  /** Idle timeout of a session. */
  readonly idleMs: number;
  readonly requestBytes: number;
  /** Maximum unread bytes of a client; above it, connections and answers are cut off. */
  readonly unreadBytes: number;
  /** Requests of a client per second, and in one burst. */
  readonly requestsPerSecond: number;
  readonly burst: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: McpLimits = {
  ...DEFAULT_RUNNER_LIMITS,
  sessions: 1_000,
  sessionsPerClient: 100,
  idleMs: 60 * 60_000,
  requestBytes: MIB,
  unreadBytes: 256 * MIB,
  requestsPerSecond: 100,
  burst: 200,
};
