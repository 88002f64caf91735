import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createMcpHandler, isLegacyRequest, type McpRequestContext, type Server } from "@modelcontextprotocol/server";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import type { Gate } from "../../gate/call-tool.ts";
import type { Client } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import { TokenBucket } from "../../policy/token-bucket.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";
import type { Log } from "../../ports/log.ts";
import { ActorSession } from "./actor-session.ts";
import { ActorSessions } from "./actor-sessions.ts";
import { type Admission, type AdmitDeps, admit } from "./admit.ts";
import { McpConnections } from "./connections.ts";
import { DEFAULT_LIMITS, type McpLimits } from "./mcp-limits.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { Offer } from "./offer.ts";
import { offerPrompts } from "./offer-prompts.ts";
import { offerResources } from "./offer-resources.ts";
import { offerTools } from "./offer-tools.ts";
import { refuse } from "./refuse.ts";
import { Sessions } from "./sessions.ts";
import { logUnforeseen, toExplained } from "./to-result.ts";
import { toToolSchema } from "./tool-schema.ts";

export interface McpDeps extends AdmitDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly directory: Pick<Directory, "channel">;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Unguessable. */
  mintId(): string;
  /** Whether a client's host can be trusted to put a question before the person, and not to answer it itself. */
  trustsHost(client: Client): boolean;
  readonly limits?: Partial<McpLimits>;
  /** For tests of the protocol itself: offered besides. */
  readonly extras?: Offer;
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
  /** One HTTP request to /mcp. */
  fetch(request: Request): Promise<Response>;
  /** For an upgrade on /mcp. Takes the socket over in any case. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  stats(): McpStats;
  /** Ends every session and every call. Safe to repeat. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 60_000;

export function createMcpTransport(deps: McpDeps): McpTransport {
  const { gate, clock } = deps;
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const counters = { calls: 0, running: 0, refused: 0 };
  const schemas = new Map(gate.tools.map((tool) => [tool, toToolSchema(tool)]));
  const buckets = new Map<string, TokenBucket>();

  const openActorSession = ({ client, actor }: Admission): ActorSession =>
    new ActorSession({ client, request: { actor, isPrivate: true } }, { ...deps, limits, counters });

  function openServer(actorSession: ActorSession, { client, toolsets }: Admission): Server {
    const capabilities = () => server.getClientCapabilities();
    const toolsDeps = { ...deps, schemas, trustsHost: deps.trustsHost(client), capabilities };
    const own = {
      tools: offerTools({ actorSession, toolsets }, toolsDeps),
      prompts: offerPrompts(actorSession, deps.log),
      resources: offerResources(actorSession, deps.log),
    };
    const server = createMcpServer(deps.extras ? join(own, deps.extras) : own, deps.version);
    return server;
  }

  function bucketOf(client: string): TokenBucket {
    const bucket =
      buckets.get(client) ?? new TokenBucket({ perSecond: limits.requestsPerSecond, burst: limits.burst }, clock);
    buckets.set(client, bucket);
    return bucket;
  }

  const actorSessions = new ActorSessions({ clock, limits, openActorSession });
  const standalone = createMcpHandler(
    ({ authInfo }: McpRequestContext) => {
      const admission = authInfo?.extra?.["admission"] as Admission;
      return openServer(actorSessions.of(admission), admission);
    },
    { legacy: "reject", maxRequestBodySize: limits.requestBytes, maxSubscriptions: limits.sessions },
  );
  const sessions = new Sessions({ ...deps, limits, openActorSession, openServer });
  const connections = new McpConnections({ ...deps, limits, openActorSession, openServer, bucketOf });
  const sweeping = setInterval(() => {
    actorSessions.sweep();
    void sessions.sweep();
  }, SWEEP_INTERVAL_MS);
  sweeping.unref();

  async function serve(request: Request): Promise<Response> {
    const admission = admit((name) => request.headers.get(name), deps);
    if ("status" in admission) {
      return refuse(
        admission.status,
        admission.message,
        admission.status === 401 ? { "www-authenticate": "Bearer" } : {},
      );
    }
    const wait = bucketOf(admission.client.name).take(1);
    if (wait > 0) {
      const seconds = Math.ceil(wait);
      return refuse(429, `Too many requests; try again in ${formatSeconds(seconds)}.`, {
        "retry-after": String(seconds),
      });
    }
    const bounds = { maxRequestBodySize: limits.requestBytes };
    if (await isLegacyRequest(request, undefined, bounds)) return sessions.serve(request, admission);
    const { name } = admission.client;
    return standalone.fetch(request, { authInfo: { token: "", clientId: name, scopes: [], extra: { admission } } });
  }

  return {
    async fetch(request) {
      const response = await serve(request).catch((error: unknown) => {
        logUnforeseen(error, "a request failed unexpectedly", deps.log);
        return refuse(500, toExplained(error).message);
      });
      if (response.status >= 400) counters.refused += 1;
      return response;
    },
    handleUpgrade: (request, socket, head) => connections.take(request, socket, head),
    stats: () => ({ ...counters, sessions: sessions.size, connections: connections.size }),
    async close() {
      clearInterval(sweeping);
      await Promise.all([standalone.close(), sessions.close(), connections.close()]);
    },
  };
}

function join(own: Offer, extras: Offer): Offer {
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
