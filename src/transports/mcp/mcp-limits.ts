/** What one transport and one client may use of the machine. */
export interface McpLimits {
  /** Sessions and standing connections, in all and of one client. */
  readonly sessions: number;
  readonly sessionsPerClient: number;
  /** A session that is silent for so long has ended. */
  readonly idleMs: number;
  /** A larger request is refused. */
  readonly requestBytes: number;
  /** Whoever leaves so much unread on a standing connection is cut off. */
  readonly unreadBytes: number;
  /** Calls under way at once in a session. */
  readonly concurrentCalls: number;
  /** Requests of a client, by the second and in one go. */
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** How long a call may take without making progress. */
  readonly callMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: McpLimits = {
  sessions: 1_000,
  sessionsPerClient: 100,
  idleMs: 60 * 60_000,
  requestBytes: MIB,
  unreadBytes: 64 * MIB,
  concurrentCalls: 32,
  requestsPerSecond: 100,
  burst: 200,
  callMs: 60_000,
};
