import { DEFAULT_RUNNER_LIMITS, type RunnerLimits } from "../kit/call-runner.ts";

export interface RpcLimits extends RunnerLimits {
  /** Maximum connections, in all and per client. */
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** A larger frame closes the connection. */
  readonly frameBytes: number;
  /** A larger answer is refused. */
  readonly replyBytes: number;
  /** Frames per client and second, and in one burst; a large frame counts as several. */
  readonly framesPerSecond: number;
  readonly burst: number;
  readonly heartbeatMs: number;
  /** Events in a connection's socket; the rest stays in the shared log. */
  readonly queuedEvents: number;
  readonly queuedBytes: number;
  /** A client with more unread frames or bytes is disconnected. */
  readonly unreadFrames: number;
  readonly unreadBytes: number;
  /** Maximum unread bytes of a client; above it, connections are cut off. */
  readonly unreadBytesPerClient: number;
  /** Maximum bytes of incomplete messages, per client and in all; above it, connections are closed with 1013. */
  readonly unfinishedBytesPerClient: number;
  readonly unfinishedBytes: number;
  /** Events kept for clients that are behind or reconnect. */
  readonly heldEvents: number;
  readonly heldBytes: number;
  readonly heldMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: RpcLimits = {
  ...DEFAULT_RUNNER_LIMITS,
  connections: 5_000,
  connectionsPerClient: 1_000,
  frameBytes: MIB,
  replyBytes: 16 * MIB,
  framesPerSecond: 100,
  burst: 200,
  heartbeatMs: 30_000,
  queuedEvents: 256,
  queuedBytes: MIB / 4,
  unreadFrames: 10_000,
  unreadBytes: 8 * MIB,
  unreadBytesPerClient: 256 * MIB,
  unfinishedBytesPerClient: 16 * MIB,
  unfinishedBytes: 64 * MIB,
  heldEvents: 10_000,
  heldBytes: 16 * MIB,
  heldMs: 60 * 60_000,
};
