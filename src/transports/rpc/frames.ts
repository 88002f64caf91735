import type { WebSocket } from "ws";
import { EarshotError } from "../../domain/errors.ts";
import { type ClientFrame, clientFrame, type WireError } from "../../domain/rpc/rpc-frames.ts";
import { describeProblems } from "../../domain/text/describe-problems.ts";
import { toWireError } from "../kit/explain.ts";
import type { RpcLimits } from "./rpc-limits.ts";

/** A frame, or its error and the id to answer to, if that could be read. */
export type ReadFrame =
  | { readonly frame: ClientFrame }
  | { readonly frame: null; readonly id: string | null; readonly error: EarshotError };

export interface ReturnValue {
  readonly value: unknown;
  /** For a model, if requested. */
  readonly text: string | null;
}

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;

export function readFrame(text: string): ReadFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(null, "The frame is not JSON; send one JSON object per text frame.");
  }
  const harm = findHarm(value);
  if (harm) return refused(idOf(value), harm);
  const result = clientFrame.safeParse(value);
  if (result.success) return { frame: result.data };
  return refused(idOf(value), describeProblems(result.error, { schema: clientFrame, value, whole: "The frame" }));
}

/** A successful answer, without its id. Throws `unsupported` if it is too large. */
export function writeValue(replyTo: string, { value, text }: ReturnValue, mostBytes: number): string {
  const written = JSON.stringify(value ?? null);
  const more = text === null ? "" : `,"text":${JSON.stringify(text)}`;
  if (written.length + more.length > mostBytes) {
    throw new EarshotError(
      "unsupported",
      "The answer is too large to be sent; ask for less, such as a smaller `limit`.",
    );
  }
  return `"op":"rpc/ret","reply_to":${JSON.stringify(replyTo)},"payload":{"ok":true,"value":${written}${more}}}`;
}

/** A failure, without its id. */
export function writeError(replyTo: string | null, error: EarshotError | WireError): string {
  const payload = { ok: false, error: error instanceof EarshotError ? toWireError(error) : error };
  return `"op":"rpc/ret","reply_to":${JSON.stringify(replyTo)},"payload":${JSON.stringify(payload)}}`;
}

function refused(id: string | null, message: string): ReadFrame {
  return { frame: null, id, error: new EarshotError("invalid", message) };
}

function idOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" && value.id.length > 0 && value.id.length <= 128 ? value.id : null;
}

/** Harmful input that schemas would miss inside a tool's arguments, or would detect only after much work. */
function findHarm(frame: unknown): string | null {
  let left = MAX_VALUES;

  function look(value: unknown, depth: number): string | null {
    if (typeof value !== "object" || value === null) return null;
    if (depth > MAX_DEPTH) return `The frame is nested more than ${MAX_DEPTH} levels deep.`;
    for (const key in value) {
      left -= 1;
      if (left < 0) return `The frame holds more than ${MAX_VALUES} values.`;
      if (key === "__proto__") return "There is no field `__proto__`.";
      const harm = look((value as Readonly<Record<string, unknown>>)[key], depth + 1);
      if (harm) return harm;
    }
    return null;
  }

  return look(frame, 0);
}

/** As bytes, a frame and its header take one cheaper system call than as a string. */
const TEXT = { binary: false };

interface OutboxListener {
  /** There is room for events again. */
  onRoom(): void;
  /** Frames other than events are waiting. */
  onBehind(): void;
}

export type OutboxLimits = Pick<RpcLimits, "queuedEvents" | "queuedBytes" | "unreadFrames" | "unreadBytes">;

/**
 * Outgoing frames of one socket. Events are accepted only while there is room, answers always; a client with too many unread answers is
 * disconnected. So memory stays bounded, however slowly a client reads.
 */
export class Outbox {
  readonly #socket: WebSocket;
  readonly #limits: OutboxLimits;
  readonly #listener: OutboxListener;
  #waiting = 0;
  #wasFull = false;
  #sent = 0;

  constructor(socket: WebSocket, limits: OutboxLimits, listener: OutboxListener) {
    this.#socket = socket;
    this.#limits = limits;
    this.#listener = listener;
  }

  /** Frames passed to the socket that the network has not taken. */
  get waiting(): number {
    return this.#waiting;
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Whether there is room for an event. If not, `onRoom` is called once half of the room is free again. */
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
    if (this.#socket.bufferedAmount > this.#limits.queuedBytes) this.#listener.onBehind();
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
    this.#listener.onRoom();
  };
}
