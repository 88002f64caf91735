import type { GatewayDispatchEvents } from "discord-api-types/v10";

/** A dispatch as a fault sees it. */
interface FaultyEvent {
  readonly type: GatewayDispatchEvents | string;
  readonly data: unknown;
}

export interface GatewayFaults {
  /** Ends every open connection, with or without a close code. */
  cutSocket(how?: "terminate" | number): void;
  /** Refuses `times` new connections: with an HTTP status instead of the upgrade, or with a close code instead of HELLO. */
  refuseConnections(how: { readonly status: number } | { readonly code: number }, times?: number): void;
  /** Answers this many RESUMEs with INVALID_SESSION. */
  refuseResume(times?: number): void;
  /** The next events, or those of the next ones that match, take a sequence number but are never sent nor replayed: a gap. */
  loseEvents(which: number | ((event: FaultyEvent) => boolean), times?: number): void;
  duplicateEvents(count: number): void;
  /** This many times, an event is delayed until right after the next one. */
  reorderEvents(count: number): void;
  /** Delays every event by this time, in order, until `clear`. */
  delayEvents(ms: number): void;
  /** RECONNECT (op 7) on every connection. */
  askReconnect(): void;
  /** INVALID_SESSION (op 9) on every connection. A resumable session may be resumed, another is gone. */
  invalidateSession(resumable?: boolean): void;
  /** Leaves this many heartbeats unanswered. */
  muteHeartbeatAcks(times?: number): void;
  /**
   * Makes every open connection, and until `clear` every new one, half-open: nothing is read, answered or closed, as when the network fails
   * silently. `clear` does not revive these connections.
   */
  goSilent(): void;
  clear(): void;
  /** The part that the gateway calls. */
  readonly line: FaultLine;
}

type Fate = "deliver" | "lose" | "duplicate" | "hold";

export interface FaultLine {
  readonly connections: Set<FaultyConnection>;
  readonly delayMs: number;
  fateOf(type: string, json: string): Fate;
  /** How the next connection is refused; undefined when it is not. */
  refusesConnection(): { readonly status: number } | { readonly code: number } | undefined;
  refusesResume(): boolean;
  mutesHeartbeatAck(): boolean;
  /** New connections are left without an answer. */
  readonly isSilent: boolean;
}

export interface FaultyConnection {
  terminate(): void;
  close(code: number, reason: string): void;
  askReconnect(): void;
  invalidateSession(resumable: boolean): void;
  goSilent(): void;
}

const NONE = {
  lose: 0,
  duplicate: 0,
  reorder: 0,
  refuse: 0,
  mute: 0,
  connections: 0,
  refusal: undefined as { readonly status: number } | { readonly code: number } | undefined,
  delayMs: 0,
  isSilent: false,
  loses: undefined as ((event: FaultyEvent) => boolean) | undefined,
};

export function createGatewayFaults(): GatewayFaults {
  const left = { ...NONE };
  const connections = new Set<FaultyConnection>();
  const take = (what: "duplicate" | "reorder" | "refuse" | "mute" | "connections"): boolean => {
    if (left[what] <= 0) return false;
    left[what] -= 1;
    return true;
  };
  const takeLoss = (type: string, json: string): boolean => {
    if (left.lose <= 0) return false;
    if (left.loses && !left.loses({ type, data: JSON.parse(json) })) return false;
    left.lose -= 1;
    return true;
  };
  return {
    cutSocket(how = "terminate") {
      for (const connection of [...connections]) {
        if (how === "terminate") connection.terminate();
        else connection.close(how, "");
      }
    },
    refuseConnections(how, times = 1) {
      left.connections = times;
      left.refusal = how;
    },
    refuseResume(times = 1) {
      left.refuse = times;
    },
    loseEvents(which, times = Number.POSITIVE_INFINITY) {
      left.lose = typeof which === "number" ? which : times;
      left.loses = typeof which === "number" ? undefined : which;
    },
    duplicateEvents(count) {
      left.duplicate = count;
    },
    reorderEvents(count) {
      left.reorder = count;
    },
    delayEvents(ms) {
      left.delayMs = ms;
    },
    askReconnect() {
      for (const connection of [...connections]) connection.askReconnect();
    },
    invalidateSession(resumable = false) {
      for (const connection of [...connections]) connection.invalidateSession(resumable);
    },
    muteHeartbeatAcks(times = Number.POSITIVE_INFINITY) {
      left.mute = times;
    },
    goSilent() {
      left.isSilent = true;
      for (const connection of [...connections]) connection.goSilent();
    },
    clear() {
      Object.assign(left, NONE);
    },
    line: {
      connections,
      get delayMs() {
        return left.delayMs;
      },
      get isSilent() {
        return left.isSilent;
      },
      fateOf(type, json) {
        if (takeLoss(type, json)) return "lose";
        if (take("duplicate")) return "duplicate";
        return take("reorder") ? "hold" : "deliver";
      },
      refusesConnection: () => (take("connections") ? left.refusal : undefined),
      refusesResume: () => take("refuse"),
      mutesHeartbeatAck: () => take("mute"),
    },
  };
}
