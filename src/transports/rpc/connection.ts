import type { RawData, WebSocket } from "ws";
import { EarshotError } from "../../domain/errors.ts";
import { type ClientFrame, type Hello, PROTOCOL } from "../../domain/rpc/rpc-frames.ts";
import { rateLimited, type TokenBucket } from "../../policy/limits.ts";
import type { Client } from "../../policy/operation.ts";
import type { UnreadBytes } from "../kit/unread-bytes.ts";
import { Calls, type CallsDeps } from "./calls.ts";
import { EventFeed, type FeedDeps } from "./event-feed.ts";
import { Outbox, readFrame, writeError, writeValue } from "./frames.ts";
import type { RpcLimits } from "./rpc-limits.ts";
import type { UpgradeRequest } from "./upgrade.ts";

export interface ConnectionDeps extends CallsDeps, FeedDeps {
  readonly limits: RpcLimits;
  readonly counters: CallsDeps["counters"] & FeedDeps["counters"] & { refused: number };
  /** Shared by all connections of the client. */
  readonly bucket: TokenBucket;
  readonly unread: UnreadBytes;
}

export interface SocketLine extends UpgradeRequest {
  readonly socket: WebSocket;
}

/** A frame of this size counts once against the rate, a larger one multiple times. */
const FRAME_UNIT_BYTES = 4 * 1024;
/** The tool for the conversation around the agent. */
const WINDOW = "context.window";
const GOING_AWAY = 1001;
const MAX_REFUSALS = 100;
const REFUSED_PAUSE_MS = 1_000;

/** One authenticated client on one socket. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #client: Client;
  readonly #isCurrent: (() => boolean) | null;
  readonly #deps: ConnectionDeps;
  readonly #calls: Calls;
  readonly #feed: EventFeed;
  readonly outbox: Outbox;
  readonly #ending = new AbortController();
  #isAlive = true;
  #refusals = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor({ socket, client, cursor, wantsWindow, isCurrent }: SocketLine, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#isCurrent = isCurrent;
    this.#client = client;
    this.#deps = deps;
    const watched = deps.unread.watch(client.name, {
      unreadBytes: () => socket.bufferedAmount,
      drop: () => socket.terminate(),
    });
    socket.on("close", watched.remove);
    this.outbox = new Outbox(socket, deps.limits, {
      onRoom: () => this.#feed.resume(),
      onBehind: watched.check,
    });
    const party = { client, outbox: this.outbox };
    this.#calls = new Calls(party, deps);
    const windowOf = wantsWindow ? (operationId: string) => this.#windowOf(operationId) : null;
    this.#feed = new EventFeed({ ...party, windowOf }, cursor, deps);
    socket.on("message", this.#receive);
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("ping", (data) => this.#answerPing(data));
    socket.on("close", () => this.#end());
    // A broken socket also emits `close`, which is handled.
    socket.on("error", () => undefined);
    this.#greet();
    if (cursor !== null && deps.events.find(cursor) === null) {
      this.#feed.tellGap(cursor.slice(0, 128), "unknown_cursor");
      this.#feed.tellMissedTimes();
    }
    this.#feed.resume();
  }

  /** Called at intervals: disconnects a client without a sign of life since the last call. */
  beat(): void {
    if (this.#hasExpired()) return;
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
    this.#feed.resume();
    if (this.#feed.isCurrent && this.outbox.hasRoom()) {
      this.outbox.send(`"op":"event/heartbeat","cursor":${JSON.stringify(this.#feed.cursor)},"payload":{}}`);
    }
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  async #windowOf(operationId: string): Promise<unknown> {
    const { signal } = this.#ending;
    const call = { args: {}, operationId, wantsText: false, client: this.#client };
    return (await this.#deps.methods.get(WINDOW)?.run(call, { signal, onProgress() {} }))?.value;
  }

  #greet(): void {
    const { methods, limits } = this.#deps;
    const mine = [...methods.values()].filter((method) => method.isFor(this.#client));
    const hello: Hello = {
      client: this.#client.name,
      protocol: PROTOCOL,
      heartbeat_seconds: limits.heartbeatMs / 1000,
      methods: Object.fromEntries(mine.map(({ name, effect }) => [name, effect])),
    };
    this.outbox.send(
      `"op":"event/hello","cursor":${JSON.stringify(this.#feed.cursor)},"payload":${JSON.stringify(hello)}}`,
    );
  }

  readonly #receive = (data: RawData, isBinary: boolean): void => {
    this.#isAlive = true;
    if (this.#hasExpired()) return;
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
    const wait = this.#deps.bucket.take(1 + Math.floor(bytes.length / FRAME_UNIT_BYTES));
    if (wait > 0 && bytes.length > FRAME_UNIT_BYTES) {
      this.#refuse(null, rateLimited("calls", wait));
      return;
    }
    if (isBinary) {
      this.#refuse(null, new EarshotError("invalid", "The frame is binary; send JSON as text."));
      return;
    }
    const read = readFrame(bytes.toString());
    if (read.frame === null) this.#refuse(read.id, read.error);
    else if (read.frame.op === "rpc/call" && wait > 0) this.#refuse(read.frame.id, rateLimited("calls", wait));
    else {
      this.#refusals = 0;
      if (read.frame.op === "rpc/call") this.#calls.begin(read.frame);
      else this.#cancel(read.frame);
    }
  };

  #cancel(frame: Extract<ClientFrame, { op: "rpc/cancel" }>): void {
    const isCancelled = this.#calls.cancel(frame.payload.call);
    const problem = "No such call is under way; it may have been answered already.";
    this.outbox.send(
      isCancelled
        ? writeValue(frame.id, { value: null, text: null }, this.#deps.limits.replyBytes)
        : writeError(frame.id, new EarshotError("not_found", problem)),
    );
  }

  #hasExpired(): boolean {
    if (this.#isCurrent?.() !== false) return false;
    this.close(GOING_AWAY, "The sign-in or its token has ended; connect with a new token.");
    return true;
  }

  /** Pauses reading from a client that keeps sending refused frames. */
  #refuse(id: string | null, error: EarshotError): void {
    this.#deps.counters.refused += 1;
    this.outbox.send(writeError(id, error));
    this.#refusals += 1;
    if (this.#refusals < MAX_REFUSALS || this.#socket.isPaused) return;
    this.#refusals = 0;
    this.#socket.pause();
    this.#pause = setTimeout(() => this.#socket.resume(), REFUSED_PAUSE_MS);
  }

  /** A client that pings without reading would pile up answers. */
  #answerPing(data: Buffer): void {
    this.#isAlive = true;
    this.outbox.pong(data);
  }

  #end(): void {
    this.#ending.abort();
    clearTimeout(this.#pause);
    this.#feed.close();
    this.#calls.cancelAll();
  }
}
