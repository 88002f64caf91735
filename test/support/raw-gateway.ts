import { once } from "node:events";
import { GatewayOpcodes } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { Sandbox } from "../../sandbox/index.ts";
import { ALL_INTENTS } from "./intents.ts";

interface Frame {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: FrameData | null;
}

/** The fields that tests look at, of whichever dispatch has them. */
interface FrameData {
  readonly id?: string;
  readonly session_id?: string;
  readonly guilds?: readonly unknown[];
  readonly content?: string;
  readonly embeds?: readonly unknown[];
  readonly user?: { readonly id: string };
  readonly members?: readonly unknown[];
  readonly added_members?: readonly unknown[];
  readonly chunk_index?: number;
  readonly nonce?: string;
}

/** A client that says exactly what it is told to, right or wrong. */
export class RawGateway {
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  readonly #token: string;

  constructor(sandbox: Sandbox, query = "v=10&encoding=json") {
    this.#token = sandbox.token;
    this.#socket = new WebSocket(`${sandbox.gatewayUrl}?${query}`);
    this.#socket.on("message", (data) => this.frames.push(JSON.parse(data.toString())));
    this.closed = once(this.#socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
    onTestFinished(() => this.#socket.terminate());
  }

  async find(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error("The gateway closed before it was said");
      await Promise.race([once(this.#socket, "message"), this.closed]);
    }
  }

  op(op: GatewayOpcodes): Promise<Frame> {
    return this.find((frame) => frame.op === op);
  }

  dispatch(type: string): Promise<Frame> {
    return this.find(({ t }) => t === type);
  }

  async say(payload: unknown): Promise<void> {
    await this.op(GatewayOpcodes.Hello);
    this.#socket.send(typeof payload === "string" ? payload : JSON.stringify(payload));
  }

  identify(more: object = {}): Promise<void> {
    const d = { token: this.#token, intents: ALL_INTENTS, properties: { os: "linux" }, ...more };
    return this.say({ op: GatewayOpcodes.Identify, d });
  }

  /** Logs in and returns what READY said. */
  async ready(more: object = {}): Promise<{ readonly sessionId: string; readonly guilds: readonly unknown[] }> {
    await this.identify(more);
    const { d } = await this.dispatch("READY");
    return { sessionId: d?.session_id ?? "", guilds: d?.guilds ?? [] };
  }

  resume(sessionId: string, seq: number, token = this.#token): Promise<void> {
    return this.say({ op: GatewayOpcodes.Resume, d: { token, session_id: sessionId, seq } });
  }

  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  /** Closes from this side. */
  async leave(code: number): Promise<void> {
    this.#socket.close(code);
    await this.closed;
  }

  /** Vanishes without a word. */
  async vanish(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }
}
