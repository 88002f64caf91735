import type { REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import type { GatewaySendPayload } from "discord-api-types/v10";
import type { Clock } from "../ports/clock.ts";
import type { ConnectionState, Gap } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { type Delay, realDelay } from "./delay.ts";
import { GatewayFailures } from "./gateway-failures.ts";
import { type Arrival, SequenceWatch } from "./gateway-session.ts";
import { type ShardHooks, ShardPool } from "./steady-shard.ts";

export interface GatewayOptions {
  readonly token: string;
  readonly intents: number;
  readonly rest: REST;
  /** The time up to which a shard had received everything before this process; null if it never did. */
  lastHeardBefore(shard: readonly [id: number, count: number]): Promise<number | null>;
  readonly delay?: Delay;
  /** The first connection fails if no shard gets a session within this time. */
  readonly maxConnectMs?: number;
}

/** Handles dispatches, in order of arrival and each once. */
export interface GatewayListener {
  /** A late dispatch describes a state before events that were handled already. */
  dispatch(type: string, data: unknown, isLate: boolean): void;
  gap(gap: Omit<Gap, "type" | "guildIds">, shard: Shard): void;
  /** Whether changes are being received at all. */
  receiving(shard: Shard, receiving: boolean): void;
  changed(state: ConnectionState): void;
  /** The connection ended permanently. */
  failed(error: Error): void;
}

export type Shard = readonly [id: number, total: number];

interface ShardState {
  readonly watch: SequenceWatch;
  /** True between READY or RESUMED and the end of the connection. Only then does a sign of life prove that no event was missed. */
  live: boolean;
  lastHeardAt: number | null;
  receiving: boolean;
  late: NodeJS.Timeout | null;
  mending: NodeJS.Timeout | null;
  renewing: NodeJS.Timeout | null;
  /** Events were lost, and resuming does not bring them back: only a new session does. */
  needsRenewal: boolean;
}

/** Events that affect permissions. */
const DESCRIPTION = /^(?:GUILD|CHANNEL|THREAD)_/;
/** Maximum delay of a late dispatch. */
const LATE_EVENT_WAIT_MS = 2_000;
/** While reconnecting, the last known permissions are used for this long. */
const RECONNECT_GRACE_MS = 10_000;
/** A new session counts against the limit of one thousand per day. */
const RENEWAL_INTERVAL_MS = 60_000;
const MAX_CLOSE_MS = 2_000;
/** Discord did not exist before 2015. */
const DISCORD_EPOCH = Date.UTC(2015, 0, 1);
const MAX_CONNECT_MS = 12_000;
const HANDSHAKE_MS = 10_000;

/** The gateway connection, with raw dispatches. Reports every time span in which events may have been missed. */
export class Gateway {
  readonly #manager: WebSocketManager;
  readonly #listener: GatewayListener;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #shards = new Map<number, ShardState>();
  readonly #pool: ShardPool;
  readonly #lastHeardBefore: GatewayOptions["lastHeardBefore"];
  /** By shard. */
  readonly #before = new Map<number, number | null>();
  readonly #failures = new GatewayFailures();
  readonly #maxConnectMs: number;
  #total = 1;
  #renewedAt = 0;
  #closed = false;
  /** Set during the first connection. */
  #stall: NodeJS.Timeout | null = null;

  constructor(options: GatewayOptions, listener: GatewayListener, deps: { clock: Clock; log: Log }) {
    this.#listener = listener;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#lastHeardBefore = options.lastHeardBefore;
    this.#maxConnectMs = options.maxConnectMs ?? MAX_CONNECT_MS;
    let pool: ShardPool | undefined;
    this.#manager = new WebSocketManager({
      token: options.token,
      intents: options.intents,
      rest: options.rest,
      handshakeTimeout: HANDSHAKE_MS,
      helloTimeout: HANDSHAKE_MS,
      buildStrategy: (manager) => {
        pool = new ShardPool(manager, this.#hooks(options.delay ?? realDelay));
        return pool;
      },
    });
    if (!pool) throw new Error("The library did not ask for a strategy");
    this.#pool = pool;
    this.#manager.on(WebSocketShardEvents.Dispatch, ({ t, s, d }, id) => this.#onDispatch(t, s, d, id));
    this.#manager.on(WebSocketShardEvents.Resumed, (id) => this.#onResumed(id));
    this.#manager.on(WebSocketShardEvents.HeartbeatComplete, (_, id) => this.#note(this.#shard(id)));
    this.#manager.on(WebSocketShardEvents.Hello, (id) => {
      this.#shard(id).live = false;
    });
    this.#manager.on(WebSocketShardEvents.Closed, (code, id) => this.#onClosed(code, id));
    this.#manager.on(WebSocketShardEvents.SocketError, (error) => this.#failures.noteSocketError(error));
    this.#manager.on(WebSocketShardEvents.Error, (error) => this.#onError(error));
    this.#manager.on(WebSocketShardEvents.Debug, (message, id) =>
      this.#log.debug({ shard: id }, message.split("\n")[0] ?? ""),
    );
  }

  /** Resolves when every shard has a session. */
  async connect(): Promise<void> {
    this.#listener.changed("connecting");
    this.#log.info({}, "connecting to the gateway");
    this.#total = await this.#manager.getShardCount();
    for (let id = 0; id < this.#total; id += 1) this.#before.set(id, await this.#lastHeardBefore([id, this.#total]));
    const stalled = Promise.withResolvers<never>();
    this.#stall = setTimeout(() => stalled.reject(this.#failures.toError(this.#maxConnectMs)), this.#maxConnectMs);
    try {
      await Promise.race([this.#manager.connect(), stalled.promise]);
    } catch (error) {
      throw this.#failures.explain(error);
    } finally {
      clearTimeout(this.#stall);
      this.#stall = null;
    }
  }

  async send(guildId: string, payload: GatewaySendPayload): Promise<void> {
    await this.#manager.send(Number((BigInt(guildId) >> 22n) % BigInt(this.#total)), payload);
  }

  /** Each shard that has had a session, and the time up to which it has received everything. */
  heard(): readonly { readonly shard: readonly [id: number, count: number]; readonly at: number }[] {
    return [...this.#shards].flatMap(([id, { lastHeardAt: at }]) =>
      at === null ? [] : [{ shard: [id, this.#total] as const, at }],
    );
  }

  /** The time up to which every shard has received everything; null before the first session. */
  get lastHeardAt(): number | null {
    const times = [...this.#shards.values()].map((shard) => shard.lastHeardAt);
    return times.length === 0 || times.includes(null) ? null : Math.min(...times.filter((time) => time !== null));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { late, mending, renewing } of this.#shards.values())
      for (const timer of [late, mending, renewing]) clearTimeout(timer ?? undefined);
    // A dead peer never sends a close frame.
    await Promise.race([this.#manager.destroy(), new Promise((resolve) => setTimeout(resolve, MAX_CLOSE_MS).unref())]);
    this.#listener.changed("closed");
  }

  #onDispatch(type: string, sequence: number, data: unknown, id: number): void {
    if (this.#closed) return;
    const shard = this.#shard(id);
    const missedSince = type === "READY" ? this.#onReady(shard, sequence, id) : null;
    const arrival = type === "READY" ? "in_order" : this.#onSequence(shard, sequence, id);
    this.#note(shard);
    if (arrival === "repeated") return;
    const isLate = arrival === "late";
    // Older versions of messages are recognised. For members, roles and channels that is impossible: they must be described again.
    if (isLate && DESCRIPTION.test(type)) this.#renew(shard, id);
    this.#listener.dispatch(type, data, isLate);
    // After READY, which lists the guilds of the gap: after a restart they are unknown until then.
    if (missedSince) this.#reportGap(missedSince.since, missedSince.reason, id);
    if (type === "READY") {
      this.#stall?.refresh();
      this.#log.info({ shard: id }, "gateway session started");
      this.#setReceiving(shard, id, true);
    }
  }

  /** A new session instead of a resumed one: events since the last sign of life were missed. */
  #onReady(
    shard: ShardState,
    sequence: number,
    id: number,
  ): { readonly since: number; readonly reason: Gap["reason"] } | null {
    const from = shard.lastHeardAt ?? this.#before.get(id) ?? null;
    const reason = this.#reasonForNewSession(shard, id);
    shard.watch.restart(sequence);
    shard.live = true;
    return from === null ? null : { since: from, reason };
  }

  #reasonForNewSession(shard: ShardState, id: number): Gap["reason"] {
    const [wasRefused, { needsRenewal }] = [this.#pool.takeRefusal(id), shard];
    shard.needsRenewal = false;
    clearTimeout(shard.renewing ?? undefined);
    shard.renewing = null;
    if (shard.lastHeardAt === null) return "restart";
    if (needsRenewal) return "events_lost";
    return wasRefused ? "resume_refused" : "session_expired";
  }

  #onSequence(shard: ShardState, sequence: number, id: number): Arrival {
    const now = this.#clock.now();
    const arrival = shard.watch.note(sequence, { since: shard.lastHeardAt ?? now, now });
    if (shard.watch.isWaiting) shard.late ??= setTimeout(() => this.#checkLoss(shard, id), LATE_EVENT_WAIT_MS);
    return arrival;
  }

  #checkLoss(shard: ShardState, id: number): void {
    shard.late = null;
    const since = shard.watch.takeLoss(this.#clock.now() - LATE_EVENT_WAIT_MS);
    if (since !== null) {
      this.#reportGap(since, "events_lost", id);
      this.#renew(shard, id);
    } else if (shard.watch.isWaiting) {
      shard.late = setTimeout(() => this.#checkLoss(shard, id), LATE_EVENT_WAIT_MS);
    }
  }

  /** The lost events may include a change of roles: only a new session, which describes everything again, restores the trust. */
  #renew(shard: ShardState, id: number): void {
    if (shard.renewing) return;
    shard.needsRenewal = true;
    this.#setReceiving(shard, id, false);
    const wait = Math.max(0, this.#renewedAt + RENEWAL_INTERVAL_MS - this.#clock.now());
    this.#log.info({ shard: id, inMs: wait }, "asking Discord for a new session");
    shard.renewing = setTimeout(() => {
      shard.renewing = null;
      this.#renewedAt = this.#clock.now();
      // Reconnecting ends the old sessions first.
      this.#manager.connect().catch((error: Error) => {
        this.#log.warn({ shard: id, error: error.message }, "no new session yet");
        if (!this.#closed) this.#renew(shard, id);
      });
    }, wait);
  }

  #onResumed(id: number): void {
    const shard = this.#shard(id);
    shard.live = true;
    this.#note(shard);
    this.#log.info({ shard: id }, "gateway session resumed");
    if (!shard.needsRenewal) this.#setReceiving(shard, id, true);
  }

  #hooks(delay: Delay): ShardHooks {
    return {
      clock: { now: () => this.#clock.now() },
      delay,
      onRetry: ({ shard, attempt, waitMs, isReached }) =>
        isReached
          ? this.#log.info({ shard, waitMs }, "Discord does not resume the session; asking for a new one")
          : this.#log.info(
              { shard, attempt, waitMs, failure: this.#failures.last },
              "gateway not reached; trying again after the back-off",
            ),
      onSilent: (id) => {
        this.#log.warn({ shard: id }, "gateway does not acknowledge heartbeats; reconnecting");
        this.#setReceiving(this.#shard(id), id, false);
      },
      onCloseFrame: (_, code, reason) => this.#failures.noteClose(code, reason),
      onUnanswered: () => this.#failures.noteUnanswered(),
    };
  }

  #onClosed(code: number, id: number): void {
    const shard = this.#shard(id);
    const wasLive = shard.live;
    shard.live = false;
    if (this.#closed) return;
    if (wasLive)
      this.#log.info({ shard: id, code, failure: this.#failures.last }, "gateway connection lost; reconnecting");
    if (shard.lastHeardAt === null) return;
    this.#listener.changed("reconnecting");
    shard.mending ??= setTimeout(() => this.#setReceiving(shard, id, false), RECONNECT_GRACE_MS);
  }

  #onError(error: Error): void {
    // `connect` throws a failure of the first connection to its caller.
    if (!this.#closed && this.#stall === null) this.#listener.failed(this.#failures.explain(error));
  }

  #setReceiving(shard: ShardState, id: number, receiving: boolean): void {
    clearTimeout(shard.mending ?? undefined);
    shard.mending = null;
    shard.receiving = receiving;
    this.#listener.receiving([id, this.#total], receiving);
    if ([...this.#shards.values()].every((each) => each.receiving) && this.#shards.size === this.#total)
      this.#listener.changed("ready");
  }

  #reportGap(since: number, reason: Gap["reason"], shard: number): void {
    const now = this.#clock.now();
    const from = new Date(toGapStart(since, now)).toISOString();
    const to = new Date(now).toISOString();
    this.#log.warn({ shard, reason, from, to }, "events may have been missed");
    this.#listener.gap({ from, to, reason, shard }, [shard, this.#total]);
  }

  #note(shard: ShardState): void {
    if (shard.live) shard.lastHeardAt = this.#clock.now();
  }

  #shard(id: number): ShardState {
    let shard = this.#shards.get(id);
    if (!shard) {
      shard = {
        watch: new SequenceWatch(),
        live: false,
        lastHeardAt: null,
        receiving: false,
        late: null,
        mending: null,
        renewing: null,
        needsRenewal: false,
      };
      this.#shards.set(id, shard);
    }
    return shard;
  }
}

/** A missing or future time is useless: the gap begins with Discord then. It may be too long, never too short. */
function toGapStart(since: number, now: number): number {
  return since > now || since < DISCORD_EPOCH ? DISCORD_EPOCH : since;
}
