import {
  isSpecType,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import type { McpCaller } from "./authenticate-request.ts";
import type { McpLimits } from "./mcp-limits.ts";
import { refuse } from "./refuse.ts";

export interface SessionsDeps {
  readonly clock: Clock;
  readonly limits: McpLimits;
  mintId(): string;
  openActorSession(caller: McpCaller): ActorSession;
  openServer(actorSession: ActorSession, caller: McpCaller): Server;
}

interface Session {
  readonly actorSession: ActorSession;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const CANCELLED = "The request was cancelled. If it was to do something, that may have been done.";
const ABSENT = "There is no such session, or it has ended; start a new one.";

/** Sessions over HTTP, which specifications before 2026-07-28 begin with `initialize`. */
export class Sessions {
  readonly #deps: SessionsDeps;
  /** Not a BoundedMap: when all sessions of a client are busy, the new one is refused. */
  readonly #sessions = new Map<string, Session>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#sessions.size;
  }

  clientNames(): string[] {
    return [...this.#sessions.values()].map(({ actorSession }) => actorSession.client.name);
  }

  /** `parsedBody`: undefined where it has not been parsed. */
  async serve(request: Request, caller: McpCaller, parsedBody?: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, caller, parsedBody);
    const session = this.#sessions.get(id);
    const isTheirs =
      session?.actorSession.client === caller.client && session.actorSession.request.actor === caller.actor;
    if (!session || !isTheirs) return refuse(new EarshotError("not_found", ABSENT));
    session.actorSession.touch();
    return session.transport.handleRequest(request, { parsedBody });
  }

  /** Ends those that have been silent for too long. */
  async sweep(): Promise<void> {
    const { clock, limits } = this.#deps;
    for (const session of this.#sessions.values()) {
      const { idleSince } = session.actorSession;
      if (idleSince !== null && clock.now() - idleSince > limits.idleMs) await session.server.close();
    }
  }

  async close(): Promise<void> {
    for (const { server } of this.#sessions.values()) await server.close();
  }

  async #begin(request: Request, caller: McpCaller, parsedBody: unknown): Promise<Response> {
    const { limits, mintId, openActorSession, openServer } = this.#deps;
    if (!(await this.#makeRoom(caller)))
      return refuse(new EarshotError("rate_limited", "Too many sessions are open; close one first."));
    const actorSession = openActorSession(caller);
    const server = openServer(actorSession, caller);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: mintId,
      maxRequestBodySize: limits.requestBytes,
      onsessioninitialized: (id) => void this.#sessions.set(id, { actorSession, server, transport }),
    });
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    answerCancelled(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    // Anything but the beginning of a session has been refused.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** Few clients end their session. So the one of theirs that has been silent for longest ends; false when all are busy. */
  async #makeRoom({ client }: McpCaller): Promise<boolean> {
    const { sessions: most, sessionsPerClient } = this.#deps.limits;
    const own = [...this.#sessions.values()].filter(({ actorSession }) => actorSession.client.name === client.name);
    if (own.length < sessionsPerClient && this.#sessions.size < most) return true;
    const idle = own.filter(({ actorSession }) => actorSession.idleSince !== null);
    const [oldest] = idle.sort((a, b) => (a.actorSession.idleSince ?? 0) - (b.actorSession.idleSince ?? 0));
    await oldest?.server.close();
    return oldest !== undefined;
  }
}

/**
 * The library does not answer a request that was cancelled, and waits for that answer: until then it holds the stream, and all other answers of the same
 * batch. So the request is answered here.
 */
function answerCancelled(transport: WebStandardStreamableHTTPServerTransport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    if (!isSpecType.CancelledNotification(message)) return;
    const { requestId: id } = message.params;
    if (id === undefined) return;
    const error = { code: ProtocolErrorCode.InternalError, message: CANCELLED };
    // Fails where it was answered before.
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => undefined);
  };
}
