import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { EarshotError, type ErrorCode } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Description } from "../../domain/rpc/rpc-methods.ts";
import type { Gate } from "../../gate/gate.ts";
import type { ClientEvents } from "../../policy/client-events.ts";
import { KeyedBuckets } from "../../policy/limits.ts";
import type { Client } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { QuestionHolders } from "../../policy/question-holders.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Consent } from "../../ports/consent.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { refuseUpgrade, type SignInHint } from "../kit/http-refusal.ts";
import type { PersonMemory } from "../kit/person-memory.ts";
import type { Privacy } from "../kit/privacy.ts";
import { type Repeat, repeatByTimer } from "../kit/repeat.ts";
import { UnreadBytes } from "../kit/unread-bytes.ts";
import { Connection } from "./connection.ts";
import { describeProtocol } from "./describe.ts";
import { EventLog } from "./event-log.ts";
import { FanOut } from "./fan-out.ts";
import { createMethods, type MethodsDeps } from "./methods.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "./rpc-limits.ts";
import { authenticateUpgrade, chooseProtocol } from "./upgrade.ts";

export interface RpcDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly privacy: Privacy;
  readonly personMemory: PersonMemory;
  /** Absent without an agent. */
  readonly agent?: MethodsDeps["agent"];
  /** Receives the connected programs that answer people. */
  readonly holders?: Pick<QuestionHolders, "connect">;
  readonly clientEvents: Pick<ClientEvents, "decide" | "mayStillPush">;
  readonly consent: Pick<Consent, "isLeftOut" | "listen">;
  /** As in the edge: calls the listener for every event, and returns the function that stops it. */
  listen(listener: (event: DiscordEvent) => void): () => void;
  authenticate(token: string): Client | null;
  /** Present if people can sign in with Discord. */
  readonly signInHint?: SignInHint | undefined;
  /** The people are simulated, so the operator may decide for them. */
  readonly isSandbox?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Unguessable. */
  mintId(): string;
  readonly limits?: Partial<RpcLimits>;
  /** By a timer, by default. */
  readonly repeat?: Repeat;
}

interface RpcStats {
  readonly connections: number;
  /** Since the start. */
  readonly calls: number;
  readonly refused: number;
  readonly events: number;
  readonly gaps: number;
  /** Now. */
  readonly running: number;
  readonly queuedFrames: number;
  readonly queuedBytes: number;
  readonly heldEvents: number;
  readonly heldBytes: number;
}

export interface RpcTransport {
  /** For the `upgrade` event of an HTTP server. Takes ownership of the socket in any case. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  stats(): RpcStats;
  /** The client's name for each connection. */
  clientNames(): string[];
  forgetAuthor(authorId: UserId): void;
  /** Closes the connections of clients whose grants changed: they get the new grant when they reconnect. */
  disconnect(clients: readonly string[]): void;
  /** Closes every connection, and waits briefly for the clients to close theirs. Safe to repeat. */
  close(): Promise<void>;
}

const GOING_AWAY = 1001;
const GOODBYE_MS = 1_000;
const MAX_BEATS_PER_TURN = 250;
/** Each frame is an object, which is larger than the few bytes that it may contain. */
const MAX_FRAMES_PER_MESSAGE = 256;

export function createRpcTransport(deps: RpcDeps): RpcTransport {
  const { clock, log } = deps;
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const events = new EventLog(limits, deps);
  const fanOut = new FanOut({ ...deps, events });
  const connections = new Map<Connection, Client>();
  const rates = new KeyedBuckets(() => ({ perSecond: limits.framesPerSecond, burst: limits.burst }), clock);
  const unread = new UnreadBytes(limits.unreadBytesPerClient);
  const unfinished = new UnreadBytes(limits.unfinishedBytesPerClient, limits.unfinishedBytes);
  const counters = { calls: 0, running: 0, refused: 0, events: 0, gaps: 0 };
  const methods = createMethods({ ...deps, describe });
  let everything: Description | null = null;
  const written = new WeakMap<object, string>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    maxFragments: MAX_FRAMES_PER_MESSAGE,
    handleProtocols: chooseProtocol,
    autoPong: false,
  });
  const stopListening = deps.listen((event) => {
    events.append(event);
    fanOut.announce();
  });
  const stopConsent = deps.consent.listen(({ userId, isLeftOut }) => {
    if (isLeftOut) events.leaveOut(userId);
  });
  const stopBeating = (deps.repeat ?? repeatByTimer)(() => {
    events.mark();
    fanOut.announce();
    beat([...connections.keys()]);
  }, limits.heartbeatMs);
  let isClosing = false;

  function describe(client: Client): Description {
    everything ??= describeProtocol(methods.values());
    return { ...everything, methods: everything.methods.filter(({ name }) => methods.get(name)?.isFor(client)) };
  }

  /** The reason why another connection of this client is refused, if any. */
  function isFull({ name }: Client): ErrorCode | null {
    if (isClosing || connections.size >= limits.connections) return "unavailable";
    const own = [...connections.values()].filter((client) => client.name === name);
    return own.length >= limits.connectionsPerClient ? "rate_limited" : null;
  }

  return {
    handleUpgrade(request, socket, head) {
      const asked = authenticateUpgrade(request, deps.authenticate);
      const refusal = typeof asked === "string" ? asked : isFull(asked.client);
      if (typeof asked === "string" || refusal !== null) {
        // The status suffices: an unconnected client gets no other information.
        const hint = refusal === "unauthenticated" ? deps.signInHint : undefined;
        refuseUpgrade(socket, new EarshotError(refusal ?? "internal", ""), hint);
        return;
      }
      const { client } = asked;
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const bucket = rates.of(client.name);
        const line = { ...asked, socket: webSocket };
        const connection = new Connection(line, {
          ...deps,
          ...{ limits, methods, events, fanOut, counters, bucket, unread, written },
        });
        boundUnfinished({ socket, webSocket, client: client.name }, unfinished);
        connections.set(connection, client);
        const leave = deps.holders?.connect(client);
        log.debug({ client: client.name, connections: connections.size }, "a client connected");
        webSocket.on("close", (code) => {
          connections.delete(connection);
          leave?.();
          log.debug({ client: client.name, code, connections: connections.size }, "a client left");
        });
      });
    },
    disconnect(clients) {
      for (const [connection, { name }] of connections)
        if (clients.includes(name)) connection.close(GOING_AWAY, "The grant of this client has changed.");
    },
    clientNames: () => [...connections.values()].map(({ name }) => name),
    forgetAuthor: (authorId) => events.forgetAuthor(authorId),
    stats() {
      const held = { heldEvents: events.size, heldBytes: events.bytes };
      return { ...counters, connections: connections.size, ...countQueued(connections.keys()), ...held };
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      stopListening();
      stopConsent();
      stopBeating();
      await sayGoodbye(server.clients, connections.keys());
      fanOut.close();
      server.close();
    },
  };
}

/** A bounded number per turn of the event loop. */
function beat(all: readonly Connection[]): void {
  for (const connection of all.slice(0, MAX_BEATS_PER_TURN)) connection.beat();
  if (all.length > MAX_BEATS_PER_TURN) setImmediate(() => beat(all.slice(MAX_BEATS_PER_TURN)));
}

function countQueued(connections: Iterable<Connection>): Pick<RpcStats, "queuedFrames" | "queuedBytes"> {
  let queuedFrames = 0;
  let queuedBytes = 0;
  for (const { outbox } of connections) {
    queuedFrames += outbox.waiting;
    queuedBytes += outbox.waitingBytes;
  }
  return { queuedFrames, queuedBytes };
}

/** Closes every connection. Cuts off the clients that do not close theirs in time. */
async function sayGoodbye(sockets: ReadonlySet<WebSocket>, connections: Iterable<Connection>): Promise<void> {
  const left = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())));
  for (const connection of connections) connection.close(GOING_AWAY, "The server is closing.");
  const patience = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, GOODBYE_MS);
  await Promise.all(left);
  clearTimeout(patience);
}

interface Line {
  /** The streams of a WebSocket. */
  readonly socket: Duplex;
  readonly webSocket: WebSocket;
  readonly client: string;
}

/** Below this, checking all connections is not worthwhile. */
const MIN_CHECKED_BYTES = 4 * 1024;
const TRY_AGAIN_LATER = 1013;
const CUT_OFF_MS = 250;

/** Limits the bytes of incomplete messages in the library, over all connections. */
function boundUnfinished({ socket, webSocket, client }: Line, unfinished: UnreadBytes): void {
  let held = 0;
  let latest = 0;
  const drop = (isForAll: boolean) => {
    webSocket.close(TRY_AGAIN_LATER, isForAll ? OF_ALL : OF_CLIENT);
    // Later data is read and dropped, so that the client receives the reason.
    socket.removeAllListeners("data").resume();
    setTimeout(() => webSocket.terminate(), CUT_OFF_MS).unref();
  };
  const watched = unfinished.watch(client, { unreadBytes: () => held, drop });
  // Before the library's listener, which reports complete messages while it processes a chunk.
  socket.prependListener("data", (chunk: Buffer) => {
    latest = chunk.length;
    held += latest;
  });
  socket.on("data", () => {
    if (held >= MIN_CHECKED_BYTES) watched.check();
  });
  const subtract = (data: Buffer) => {
    held = Math.max(0, held - data.length - headerBytes(data.length));
  };
  webSocket.on("message", (data: Buffer) => {
    subtract(data);
    // A message in many frames has more headers. Only the rest of this chunk can belong to the next message.
    held = Math.min(held, latest);
  });
  webSocket.on("ping", subtract);
  webSocket.on("pong", subtract);
  webSocket.on("close", () => watched.remove());
}

const OF_CLIENT = "Too many bytes of unfinished messages of this client; finish them, then connect again.";
const OF_ALL = "Too many bytes of unfinished messages; connect again later.";

/** The header length of one frame from a client. https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function headerBytes(length: number): number {
  return 6 + (length > 0xffff ? 8 : length > 125 ? 2 : 0);
}
