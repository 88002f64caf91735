import {
  type IShardingStrategy,
  managerToFetchingStrategyOptions,
  type WebSocketManager,
  WebSocketShard,
  type WebSocketShardDestroyOptions,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from "@discordjs/ws";
import { GatewayCloseCodes, type GatewaySendPayload } from "discord-api-types/v10";
import { GatewaySession, type GatewaySessionDeps } from "./gateway-session.ts";
import { isRecord } from "./read.ts";

export interface ShardHooks extends GatewaySessionDeps {
  /** The peer has not acknowledged a heartbeat: events since the last sign of life may have been missed. */
  onSilent(shard: number): void;
  /** Called with the peer's close frame, before the library reacts to it. */
  onCloseFrame(shard: number, code: number, reason: string): void;
  /** The peer accepted the connection, but did not answer the upgrade request. */
  onUnanswered(shard: number): void;
}

/** The used part of the library's socket, one of `ws`. */
interface GatewaySocket {
  readonly readyState: number;
  terminate(): void;
  prependListener(event: "close", listener: (code: number, reason: Buffer) => void): unknown;
  on(event: "error", listener: () => void): unknown;
}

const CONNECTING = 0;
const OPEN = 1;
/** A peer that does not answer a close is dead. */
const MAX_CLOSE_MS = 1_500;
const RESUMING = 4200;

/**
 * A shard that gives up its session only when Discord refuses it. The library also drops it after a socket error or without a Hello,
 * although the session is still valid; and it waits 30 seconds for a dead peer to close.
 */
export class SteadyShard extends WebSocketShard {
  readonly session: GatewaySession;
  readonly #hooks: ShardHooks;
  #watched: GatewaySocket | null = null;

  constructor(session: GatewaySession, id: number, hooks: ShardHooks) {
    super(session, id);
    this.session = session;
    this.#hooks = hooks;
    session.watch(() => this.status === WebSocketShardStatus.Idle);
    this.on(WebSocketShardEvents.Ready, () => session.noteUp());
    this.on(WebSocketShardEvents.Resumed, () => session.noteUp());
    this.on(WebSocketShardEvents.Closed, () => session.noteLost());
    // The library emits a debug event right after creating a socket; there is no other signal for that.
    this.on(WebSocketShardEvents.Debug, () => this.#watch());
  }

  override async destroy(options: WebSocketShardDestroyOptions = {}): Promise<void> {
    const socket = this.#socket();
    const isRefused = options.reason === "Invalid session" || options.code === GatewayCloseCodes.InvalidSeq;
    if (isRefused) this.session.refuse();
    if (options.recover === undefined) this.session.retire();
    if (options.reason === "Zombie connection") {
      this.#hooks.onSilent(this.id);
      socket?.terminate();
      this.emit(WebSocketShardEvents.Closed, RESUMING);
    }
    if (socket?.readyState === CONNECTING) this.#abandon(socket);
    const closing =
      socket?.readyState === OPEN ? setTimeout(() => socket.terminate(), MAX_CLOSE_MS).unref() : undefined;
    const keeps = options.recover === WebSocketShardDestroyRecovery.Reconnect && !isRefused;
    try {
      await super.destroy(keeps ? { ...options, recover: WebSocketShardDestroyRecovery.Resume } : options);
    } finally {
      clearTimeout(closing);
    }
  }

  /**
   * The library forgets a socket that is still being opened, together with its listeners: a later error would be thrown into the whole
   * process. The end of the attempt must not reach the library either, which detaches from it only after this turn.
   */
  #abandon(socket: GatewaySocket): void {
    this.#hooks.onUnanswered(this.id);
    socket.on("error", () => undefined);
    setImmediate(() => socket.terminate());
  }

  #watch(): void {
    const socket = this.#socket();
    if (!socket || socket === this.#watched) return;
    this.#watched = socket;
    socket.prependListener("close", (code, reason) => this.#hooks.onCloseFrame(this.id, code, reason.toString()));
  }

  /** Private in the library's class, without another way of access. */
  #socket(): GatewaySocket | null {
    const socket: unknown = Reflect.get(this, "connection");
    return isRecord(socket) && typeof socket["terminate"] === "function" ? (socket as unknown as GatewaySocket) : null;
  }
}

/** All shards of a bot, in this process. */
export class ShardPool implements IShardingStrategy {
  readonly #manager: WebSocketManager;
  readonly #hooks: ShardHooks;
  readonly #shards = new Map<number, SteadyShard>();

  constructor(manager: WebSocketManager, hooks: ShardHooks) {
    this.#manager = manager;
    this.#hooks = hooks;
  }

  async spawn(ids: number[]): Promise<void> {
    const options = await managerToFetchingStrategyOptions(this.#manager);
    for (const id of ids) {
      const shard = new SteadyShard(new GatewaySession(this.#manager, options, id, this.#hooks), id, this.#hooks);
      this.#relay(shard);
      this.#shards.set(id, shard);
    }
  }

  async connect(): Promise<void> {
    await Promise.all([...this.#shards.values()].map((shard) => shard.connect()));
  }

  async destroy(options?: Omit<WebSocketShardDestroyOptions, "recover">): Promise<void> {
    const shards = [...this.#shards.values()];
    this.#shards.clear();
    for (const { session } of shards) session.retire();
    await Promise.all(shards.map((shard) => shard.destroy(options)));
  }

  async send(id: number, payload: GatewaySendPayload): Promise<void> {
    const shard = this.#shards.get(id);
    if (!shard) throw new RangeError(`There is no shard ${id}`);
    await shard.send(payload);
  }

  /** Whether Discord refused the last session of this shard. Cleared by reading it. */
  takeRefusal(id: number): boolean {
    return this.#shards.get(id)?.session.takeRefusal() ?? false;
  }

  fetchStatus(): never {
    throw new Error("Nobody asks for the status of shards");
  }

  #relay(shard: SteadyShard): void {
    const emit = this.#manager.emit.bind(this.#manager) as (event: string, ...args: unknown[]) => boolean;
    for (const event of Object.values(WebSocketShardEvents))
      shard.on(event, (...args: unknown[]) => void emit(event, ...args, shard.id));
  }
}
