import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  readRequestBody,
  type Server,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { Gate } from "../../gate/gate.ts";
import { KeyedBuckets, rateLimited } from "../../policy/limits.ts";
import type { Client } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { SessionLabel } from "../../sources/session-label.ts";
import { toToolSchema } from "../../tools/tool-schema.ts";
import { ActorSession } from "../kit/actor-session.ts";
import { type ActingClient, ActorSessions } from "../kit/actor-sessions.ts";
import type { ProposalDirectory } from "../kit/describe-proposal.ts";
import { explain } from "../kit/explain.ts";
import type { Privacy } from "../kit/privacy.ts";
import { UnreadBytes } from "../kit/unread-bytes.ts";
import { type AuthenticateDeps, authenticateRequest, type McpCaller } from "./authenticate-request.ts";
import { McpConnections } from "./connections.ts";
import type { ServerFeatures } from "./features.ts";
import { DEFAULT_LIMITS, type McpLimits } from "./mcp-limits.ts";
import { createMcpServer } from "./mcp-server.ts";
import { createPromptFeatures } from "./prompt-features.ts";
import { refuse } from "./refuse.ts";
import { createResourceFeatures } from "./resource-features.ts";
import { Sessions } from "./sessions.ts";
import { createToolFeatures } from "./tool-features.ts";
import { type Outgoing, watchAnswer } from "./watch-answer.ts";

export interface McpDeps extends AuthenticateDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly privacy: Pick<Privacy, "show">;
  readonly directory: ProposalDirectory;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Unguessable. */
  mintId(): string;
  /** Whether a client's host can be trusted to ask the person, and not to answer itself. */
  trustsHost(client: Client): boolean;
  readonly limits?: Partial<McpLimits>;
  /** Additional features, for tests of the protocol itself. */
  readonly extras?: ServerFeatures;
}

interface McpStats {
  readonly sessions: number;
  readonly connections: number;
  /** Since the start. */
  readonly calls: number;
  readonly refused: number;
  /** Now. */
  readonly running: number;
}

export interface McpTransport {
  /** One HTTP request to /mcp. `outgoing`: the destination of the answer. */
  fetch(request: Request, outgoing: Outgoing): Promise<Response>;
  /** For an upgrade on /mcp. Takes ownership of the socket in any case. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  stats(): McpStats;
  /** The client's name for each session and connection. */
  clientNames(): string[];
  /** Ends every session and every call. Safe to repeat. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 60_000;
const toolCall = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) });

export function createMcpTransport(deps: McpDeps): McpTransport {
  const { gate, clock } = deps;
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const counters = { calls: 0, running: 0, refused: 0 };
  const schemas = new Map(gate.tools.map((tool) => [tool, toToolSchema(tool, { isFromNowhere: true })]));
  const rates = new KeyedBuckets(() => ({ perSecond: limits.requestsPerSecond, burst: limits.burst }), clock);

  const openActorSession = ({ client, actor, for: channel }: ActingClient, label?: SessionLabel): ActorSession => {
    const request = { actor, isPrivate: true, for: channel, asksFirst: true };
    return new ActorSession({ client, request, label }, { ...deps, limits, counters });
  };

  function openServer(actorSession: ActorSession, { client, toolsets }: McpCaller): Server {
    const capabilities = () => server.getClientCapabilities();
    const toolsDeps = { ...deps, schemas, trustsHost: deps.trustsHost(client), capabilities };
    const own = {
      tools: createToolFeatures({ actorSession, toolsets }, toolsDeps),
      prompts: createPromptFeatures(actorSession, toolsDeps),
      resources: createResourceFeatures(actorSession, deps.log),
    };
    const server = createMcpServer(deps.extras ? join(own, deps.extras) : own, deps.version);
    return server;
  }

  const actorSessions = new ActorSessions({ clock, limits, openActorSession });
  const standalone = createMcpHandler(
    ({ authInfo }: McpRequestContext) => {
      const caller = authInfo?.extra?.["caller"] as McpCaller;
      return openServer(actorSessions.of(caller), caller);
    },
    { legacy: "reject", maxRequestBodySize: limits.requestBytes, maxSubscriptions: limits.sessions },
  );
  const sessions = new Sessions({ ...deps, limits, openActorSession, openServer });
  const unread = new UnreadBytes(limits.unreadBytes);
  const connections = new McpConnections({ ...deps, limits, openActorSession, openServer, rates, unread });
  const sweeping = setInterval(() => {
    actorSessions.sweep();
    void sessions.sweep();
  }, SWEEP_INTERVAL_MS);
  sweeping.unref();

  async function serve(request: Request, outgoing: Outgoing): Promise<Response> {
    const caller = authenticateRequest((name) => request.headers.get(name), deps);
    if (caller instanceof EarshotError)
      return refuse(caller, caller.code === "unauthenticated" ? deps.signIn?.hint : undefined);
    return watchAnswer(await serveCaller(request, caller), { client: caller.client.name, outgoing, unread });
  }

  async function serveCaller(request: Request, caller: McpCaller): Promise<Response> {
    const bucket = rates.of(caller.client.name);
    const wait = bucket.take(1);
    if (wait > 0) return refuse(rateLimited("requests", Math.ceil(wait)));
    const body = request.method === "POST" ? await parseBody(request.clone(), limits.requestBytes) : undefined;
    // A batch counts as many requests. The library refuses a very large one, which must not block the client for hours.
    const others = Array.isArray(body) ? Math.min(body.length, limits.burst) - 1 : 0;
    const waitForBatch = others > 0 ? bucket.take(others) : 0;
    if (waitForBatch > 0) return refuse(rateLimited("requests", Math.ceil(waitForBatch)));
    const refusal = (await refuseEnded(caller, deps.signIn)) ?? refuseBeyondScope(body, caller);
    if (refusal) return refusal;
    const bounds = { maxRequestBodySize: limits.requestBytes };
    if (await isLegacyRequest(request, body, bounds)) return sessions.serve(request, caller, body);
    const { name } = caller.client;
    return standalone.fetch(request, { authInfo: { token: "", clientId: name, scopes: [], extra: { caller } } });
  }

  /** Null for everything but a call for which the person has to allow a program more. */
  function refuseBeyondScope(body: unknown, { client }: McpCaller): Response | null {
    if (!deps.signIn || !client.grant.signedIn) return null;
    const { data: call } = toolCall.safeParse(body);
    const [tool] = [...schemas].find(([, { name }]) => name === call?.params.name) ?? [];
    const scope = tool ? deps.signIn.signIns.scopeFor(tool, client) : null;
    if (scope === null) return null;
    const problem = `The person did not allow this program to use ${call?.params.name}; ask them to sign in again and tick it.`;
    return refuse(new EarshotError("forbidden", problem), { ...deps.signIn.hint, scope });
  }

  return {
    async fetch(request, outgoing) {
      const response = await serve(request, outgoing).catch((error: unknown) => {
        const { code, message } = explain(error, { log: deps.log, what: "a request failed unexpectedly" });
        return refuse(new EarshotError(code, message));
      });
      if (response.status >= 400) counters.refused += 1;
      return response;
    },
    handleUpgrade: (request, socket, head) => connections.take(request, socket, head),
    clientNames: () => [...sessions.clientNames(), ...connections.clientNames()],
    stats: () => ({ ...counters, sessions: sessions.size, connections: connections.size }),
    async close() {
      clearInterval(sweeping);
      await Promise.all([standalone.close(), sessions.close(), connections.close()]);
    },
  };
}

/** A program that is signed in no longer learns so from the status: its host signs it in again. Everything else is said by the gate. */
async function refuseEnded({ client }: McpCaller, signIn: AuthenticateDeps["signIn"]): Promise<Response | null> {
  try {
    await client.admit?.();
  } catch (error) {
    if (error instanceof EarshotError && error.code === "unauthenticated") return refuse(error, signIn?.hint);
  }
  return null;
}

/** Undefined if it is too large, invalid or cut off, which the library answers. */
async function parseBody(request: Request, maxBytes: number): Promise<unknown> {
  try {
    const body = await readRequestBody(request, maxBytes);
    return body.tooLarge ? undefined : JSON.parse(body.text);
  } catch {
    return undefined;
  }
}

function join(own: ServerFeatures, extras: ServerFeatures): ServerFeatures {
  return {
    tools: [...own.tools, ...extras.tools],
    prompts: [...own.prompts, ...extras.prompts],
    resources: {
      list: [...own.resources.list, ...extras.resources.list],
      templates: [...own.resources.templates, ...extras.resources.templates],
      read: (uri, context) => own.resources.read(uri, context) ?? extras.resources.read(uri, context),
    },
  };
}
