import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Duplex, Transform } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyedBuckets, TokenBucket } from "../../policy/limits.ts";
import { refuseUpgrade } from "../kit/http-refusal.ts";
import type { UnreadBytes, WatchedOutlet } from "../kit/unread-bytes.ts";
import { type AuthenticateDeps, authenticateRequest, type McpCaller } from "./authenticate-request.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { SessionsDeps } from "./sessions.ts";

export interface ConnectionsDeps extends AuthenticateDeps, Pick<SessionsDeps, "openActorSession" | "openServer"> {
  readonly limits: McpLimits;
  readonly rates: KeyedBuckets;
  readonly unread: UnreadBytes;
}

/** The protocol name in requests to switch their socket to the stdio wire. */
const PROTOCOL = "earshot-mcp";

/**
 * Standing connections: a host's program forwards its standard input and output to the running Earshot. Each is a separate session, of
 * either specification.
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

  /** Takes ownership of the socket in any case. */
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
    if (caller.client.grant.signedIn)
      return new EarshotError("forbidden", "A program that is signed in with Discord sends single requests here.");
    const { sessions, sessionsPerClient } = this.#deps.limits;
    const own = [...this.#open.values()].filter(({ client }) => client === caller.client.name);
    const isFull = this.#open.size >= sessions || own.length >= sessionsPerClient;
    return isFull ? new EarshotError("rate_limited", "Too many connections are open; close one first.") : caller;
  }
}

/** The client of a socket, and its limits. */
interface Bounds {
  readonly client: string;
  readonly bucket: TokenBucket;
  readonly unread: UnreadBytes;
  readonly limits: Pick<McpLimits, "requestBytes">;
}

const LINE_BREAK = 0x0a;

/** The stdio wire on a socket, one message per line. A client that sends too fast is read more slowly. */
class SocketTransport extends StdioServerTransport {
  readonly #socket: Duplex;
  readonly #watched: WatchedOutlet;

  constructor(socket: Duplex, { client, bucket, unread, limits }: Bounds) {
    super(socket.pipe(pace(bucket)), socket, { maxBufferSize: limits.requestBytes });
    this.#socket = socket;
    this.#watched = unread.watch(client, {
      unreadBytes: () => socket.writableLength,
      drop: () => socket.destroy(),
    });
    socket.once("close", this.#watched.remove);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const sent = super.send(message);
    this.#watched.check();
    return sent;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#socket.end();
  }
}

function pace(bucket: TokenBucket): Transform {
  let waiting: NodeJS.Timeout | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = chunk.filter((byte) => byte === LINE_BREAK).length;
      const pass = () => {
        const wait = bucket.take(lines);
        if (wait === 0) done(null, chunk);
        else waiting = setTimeout(pass, Math.ceil(wait * 1000));
      };
      pass();
    },
    destroy(error, done) {
      clearTimeout(waiting);
      done(error);
    },
  });
}
