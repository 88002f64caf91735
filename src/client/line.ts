import { EarshotError } from "../domain/errors.ts";
import {
  type Answer,
  BEARER_SUBPROTOCOL,
  type Hello,
  type ProgressPayload,
  SUBPROTOCOL,
  serverFrame,
} from "../domain/rpc/rpc-frames.ts";
import { type EarshotEvent, toEvent, toGap } from "./event-buffer.ts";
import type { ContextWindow } from "./methods.ts";

/** Called for everything that comes in. Nothing comes after `onLost`. */
export interface LineListener {
  onHello(hello: Hello): void;
  onAnswer(callId: string, answer: Answer): void;
  onProgress(callId: string, progress: ProgressPayload): void;
  onEvent(event: EarshotEvent): void;
  onCursor(cursor: string): void;
  onLost(): void;
}

/** A subprotocol is a token in the sense of HTTP: the characters that may stand in one. */
const SENDABLE = /^[\w!#$%&'*+.^`|~-]+$/;

/** One socket to the server, from its opening to its end. The platform's own `WebSocket`: it is there in Node, Deno, Bun and browsers. */
export class Line {
  readonly #socket: WebSocket;
  readonly #listener: LineListener;
  #watch: ReturnType<typeof setInterval> | undefined;
  #heardLately = true;
  #isOver = false;

  constructor({ url, token }: { url: URL; token: string }, listener: LineListener) {
    if (!SENDABLE.test(token)) {
      throw new EarshotError("invalid", "token: holds characters that cannot be sent; is it the whole token?");
    }
    this.#listener = listener;
    this.#socket = new WebSocket(url, [SUBPROTOCOL, BEARER_SUBPROTOCOL + token]);
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
    this.#socket.addEventListener("close", () => this.#end());
    this.#socket.addEventListener("error", () => this.#end());
  }

  send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Hangs up without waiting for the other side, and without telling the listener. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#socket.close();
  }

  #end(): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.onLost();
  }

  /** Unreadable frames belong to a later version and are ignored. */
  #receive(data: unknown): void {
    if (this.#isOver || typeof data !== "string") return;
    this.#heardLately = true;
    const frame = serverFrame.safeParse(parse(data)).data;
    if (!frame) return;
    switch (frame.op) {
      case "rpc/ret":
        if (frame.reply_to !== null) this.#listener.onAnswer(frame.reply_to, frame.payload);
        return;
      case "event/progress":
        this.#listener.onProgress(frame.reply_to, frame.payload);
        return;
      case "event/hello":
        this.#watch = setInterval(() => this.#checkLife(), frame.payload.heartbeat_seconds * 1500);
        this.#listener.onHello(frame.payload);
        this.#listener.onCursor(frame.cursor);
        return;
      case "event/heartbeat":
        this.#listener.onCursor(frame.cursor);
        return;
      case "event/gap":
        this.#listener.onEvent(toGap(frame.payload));
        return;
      default: {
        const { op, payload, operation_id, cursor, context } = frame;
        const rest = { operationId: operation_id ?? null, context: (context as ContextWindow) ?? null, cursor };
        const event = toEvent(op.slice("event/".length), payload, rest);
        if (event) this.#listener.onEvent(event);
        else this.#listener.onCursor(cursor);
      }
    }
  }

  #checkLife(): void {
    if (!this.#heardLately) this.#end();
    this.#heardLately = false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
