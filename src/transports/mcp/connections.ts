import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { TokenBucket } from "../../policy/token-bucket.ts";
import { type Admission, type AdmissionRefusal, type AdmitDeps, admit } from "./admit.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { SessionsDeps } from "./sessions.ts";
import { SocketTransport } from "./socket-transport.ts";

export interface ConnectionsDeps extends AdmitDeps, Pick<SessionsDeps, "openActorSession" | "openServer"> {
  readonly limits: McpLimits;
  bucketOf(client: string): TokenBucket;
}

/** What a request names to have its socket speak the stdio wire. */
const PROTOCOL = "earshot-mcp";
const REASONS: Readonly<Record<AdmissionRefusal["status"], string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  429: "Too Many Requests",
};

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

  /** Takes the socket over in any case. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const admission = this.#admit(request);
    if ("status" in admission) {
      hangUp(socket, admission);
      return;
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`);
    socket.unshift(head);
    const { name } = admission.client;
    const actorSession = this.#deps.openActorSession(admission);
    const transport = new SocketTransport(socket, this.#deps.bucketOf(name), this.#deps.limits);
    const handle = serveStdio(() => this.#deps.openServer(actorSession, admission), { transport });
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

  #admit({ headers }: IncomingMessage): Admission | AdmissionRefusal {
    const admission = admit((name) => [headers[name] ?? null].flat()[0] ?? null, this.#deps);
    if ("status" in admission) return admission;
    if (headers.upgrade?.toLowerCase() !== PROTOCOL)
      return { status: 400, message: `The only upgrade here is ${PROTOCOL}.` };
    const { sessions, sessionsPerClient } = this.#deps.limits;
    const own = [...this.#open.values()].filter(({ client }) => client === admission.client.name);
    const isFull = this.#open.size >= sessions || own.length >= sessionsPerClient;
    return isFull ? { status: 429, message: "Too many connections are open; end one first." } : admission;
  }
}

function hangUp(socket: Duplex, { status, message }: AdmissionRefusal): void {
  socket.once("finish", () => socket.destroy());
  const challenge = status === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${challenge}Content-Type: text/plain\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`);
}
