import type { WebSocket } from "ws";
import type { RpcLimits } from "./rpc-limits.ts";

/** As bytes, a frame and its header leave in one cheaper system call than as a string. */
const TEXT = { binary: false };

export type OutboxLimits = Pick<RpcLimits, "queuedEvents" | "queuedBytes" | "unreadFrames" | "unreadBytes">;

/**
 * What leaves by one socket. Events are taken only while there is room, answers always; a client that leaves too many answers unread is
 * cut off. So nothing grows without bound, however slowly somebody reads.
 */
export class Outbox {
  readonly #socket: WebSocket;
  readonly #limits: OutboxLimits;
  readonly #onRoom: () => void;
  #waiting = 0;
  #wasFull = false;
  #sent = 0;

  constructor(socket: WebSocket, limits: OutboxLimits, onRoom: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#onRoom = onRoom;
  }

  /** Frames handed over and not yet taken by the network. */
  get waiting(): number {
    return this.#waiting;
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Whether an event may go. Once it may not, `onRoom` is called when half of the room is free again. */
  hasRoom(): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const { queuedEvents, queuedBytes } = this.#limits;
    const isFull = this.#waiting >= queuedEvents || this.#socket.bufferedAmount >= queuedBytes;
    this.#wasFull ||= isFull;
    return !isFull;
  }

  /** The rest of a frame, after its id. */
  send(frame: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#waiting >= this.#limits.unreadFrames || this.#socket.bufferedAmount >= this.#limits.unreadBytes) {
      this.#socket.terminate();
      return;
    }
    this.#waiting += 1;
    this.#sent += 1;
    this.#socket.send(Buffer.from(`{"id":"s${this.#sent}",${frame}`), TEXT, this.#onTaken);
  }

  /** Answers a ping, if there is room. */
  pong(data: Buffer): void {
    if (this.hasRoom()) this.#socket.pong(data, false, this.#checkRoom);
  }

  readonly #onTaken = (): void => {
    this.#waiting -= 1;
    this.#checkRoom();
  };

  readonly #checkRoom = (): void => {
    if (!this.#wasFull) return;
    const { queuedEvents, queuedBytes } = this.#limits;
    if (this.#waiting > queuedEvents / 2 || this.#socket.bufferedAmount > queuedBytes / 2) return;
    this.#wasFull = false;
    this.#onRoom();
  };
}
