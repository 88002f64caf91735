import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { EarshotError } from "../../domain/errors.ts";
import type { ClientRates } from "../kit/client-rates.ts";
import { refuseUpgrade } from "../kit/http-refusal.ts";
import type { UnreadBytes } from "../kit/unread-bytes.ts";
import { type AuthenticateDeps, authenticateRequest, type McpCaller } from "./authenticate-request.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { SessionsDeps } from "./sessions.ts";
import { SocketTransport } from "./socket-transport.ts";

export interface ConnectionsDeps extends AuthenticateDeps, Pick<SessionsDeps, "openActorSession" | "openServer"> {
  readonly limits: McpLimits;
  readonly rates: ClientRates;
  readonly unread: UnreadBytes;
}

/** What a request names to have its socket speak the stdio wire. */
const PROTOCOL = "earshot-mcp";

/**
 * Standing connections: a program that a host started hands its standard input and output through to the one Earshot that runs. Each is a
 * session of its own, of either specification.
 */
export class McpConnections {
  readonly #deps: ConnectionsDeps;
  readonly #open = new Map<Duplex, { readonly client: string; close(): Promise<void> }>();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  clientNames(): string[] {
    return [...this.#open.values()].map(({ client }) => client);
  }

  /** Takes the socket over in any case. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const caller = this.#authenticate(request);
    if (caller instanceof EarshotError) {
      refuseUpgrade(socket, caller);
      return;
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`);
    socket.unshift(head);
    const { name } = caller.client;
    const actorSession = this.#deps.openActorSession(caller);
    const { rates, unread, limits } = this.#deps;
    const transport = new SocketTransport(socket, { client: name, bucket: rates.of(name), unread, limits });
    const handle = serveStdio(() => this.#deps.openServer(actorSession, caller), { transport });
    this.#open.set(socket, { client: name, close: () => handle.close() });
    socket.once("close", () => {
      this.#open.delete(socket);
      void handle.close();
    });
  }

  async close(): Promise<void> {
    const gone = [...this.#open.keys()].map((socket) => once(socket, "close"));
    for (const [socket, { close }] of this.#open) {
      await close();
      socket.destroy();
    }
    await Promise.all(gone);
  }

  #authenticate({ headers }: IncomingMessage): McpCaller | EarshotError {
    const caller = authenticateRequest((name) => [headers[name] ?? null].flat()[0] ?? null, this.#deps);
    if (caller instanceof EarshotError) return caller;
    if (headers.upgrade?.toLowerCase() !== PROTOCOL)
      return new EarshotError("invalid", `The only upgrade here is ${PROTOCOL}.`);
    const { sessions, sessionsPerClient } = this.#deps.limits;
    const own = [...this.#open.values()].filter(({ client }) => client === caller.client.name);
    const isFull = this.#open.size >= sessions || own.length >= sessionsPerClient;
    return isFull ? new EarshotError("rate_limited", "Too many connections are open; close one first.") : caller;
  }
}
