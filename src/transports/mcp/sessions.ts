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

/** HTTP sessions, which specifications before 2026-07-28 begin with `initialize`. */
export class Sessions {
  readonly #deps: SessionsDeps;
  /** Not a BoundedMap: if all sessions of a client are busy, the new one is refused. */
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

  /** `parsedBody`: undefined if not parsed yet. */
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

  /** Ends idle sessions. */
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
    // Every other request was refused.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** Few clients end their sessions, so the client's longest idle one ends; false if all are busy. */
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
 * The library does not answer a cancelled request, but waits for that answer: until then it holds the stream, and all other answers of the
 * same batch. So this answers it.
 */
function answerCancelled(transport: WebStandardStreamableHTTPServerTransport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    if (!isSpecType.CancelledNotification(message)) return;
    const { requestId: id } = message.params;
    if (id === undefined) return;
    const error = { code: ProtocolErrorCode.InternalError, message: CANCELLED };
    // Fails if it was answered before.
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => undefined);
  };
}
