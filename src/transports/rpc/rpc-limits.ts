/** What one transport, one client and one connection may use of the machine. */
export interface RpcLimits {
  /** Connections in all, and of one client. */
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** A larger frame ends the connection. */
  readonly frameBytes: number;
  /** An answer that is larger is refused. */
  readonly replyBytes: number;
  /** Calls under way at once on a connection. */
  readonly concurrentCalls: number;
  /** Frames a client may send, by the second and in one go; a large frame counts for several. */
  readonly framesPerSecond: number;
  readonly burst: number;
  /** How long a call may take without making progress. */
  readonly callMs: number;
  readonly heartbeatMs: number;
  /** Events waiting in a connection's socket; the rest wait in the log that all share. */
  readonly queuedEvents: number;
  readonly queuedBytes: number;
  /** A client that leaves so much unread is cut off. */
  readonly unreadFrames: number;
  readonly unreadBytes: number;
  /** Events held for those who are behind or come back. */
  readonly heldEvents: number;
  readonly heldBytes: number;
  readonly heldMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: RpcLimits = {
  connections: 5_000,
  connectionsPerClient: 1_000,
  frameBytes: MIB,
  replyBytes: 16 * MIB,
  concurrentCalls: 32,
  framesPerSecond: 100,
  burst: 200,
  callMs: 60_000,
  heartbeatMs: 30_000,
  queuedEvents: 256,
  queuedBytes: MIB / 4,
  unreadFrames: 10_000,
  unreadBytes: 8 * MIB,
  heldEvents: 10_000,
  heldBytes: 16 * MIB,
  heldMs: 60 * 60_000,
};
