import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayCloseCodes, GatewayVersion } from "discord-api-types/v10";
import { WebSocketServer } from "ws";
import type { World } from "../world/world.ts";
import { announce } from "./announce.ts";
import { Connection, type Line } from "./connection.ts";
import type { GatewayDeps } from "./deps.ts";
import type { FaultLine } from "./faults.ts";
import { createPauses, noPauses } from "./pauses.ts";
import type { Session } from "./session.ts";

export const GATEWAY_PATH = "/gateway";

/** Discord's own interval. */
const HEARTBEAT_MS = 41_250;

/** Far above what a client may send, so that a payload above that limit gets a close code instead of a broken connection. */
const MAX_FRAME_BYTES = 1024 * 1024;

export interface GatewayOptions {
  url(): string;
  readonly faults: FaultLine;
  /** Whether the minimum intervals between IDENTIFYs and between whole member lists are enforced. */
  readonly rateLimits: boolean;
  readonly heartbeatMs?: number | undefined;
}

export interface Gateway {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Cuts every connection. */
  close(): void;
}

export function openGateway(world: World, options: GatewayOptions): Gateway {
  const sessions = new Map<string, Session>();
  const deps: GatewayDeps = {
    world,
    sessions,
    faults: options.faults,
    pauses: options.rateLimits ? createPauses(world.clock) : noPauses,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    url: options.url,
  };
  const silent = new Set<Duplex>();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES });
  const stopListening = world.listen((event) => {
    const now = world.clock.now();
    for (const session of sessions.values()) if (session.isExpired(now)) sessions.delete(session.id);
    announce(event, sessions.values(), world);
  });
  return {
    handleUpgrade(request, socket, head) {
      if (options.faults.isSilent) {
        silent.add(socket);
        socket.on("error", () => undefined);
        return;
      }
      const { pathname, searchParams } = new URL(request.url ?? "/", "ws://sandbox");
      if (pathname.replace(/\/$/, "") !== GATEWAY_PATH) {
        socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      const refusal = options.faults.refusesConnection();
      if (refusal && "status" in refusal) {
        socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        if (refusal) webSocket.close(refusal.code, "Refused.");
        else welcome({ socket: webSocket, transport: socket }, searchParams, deps);
      });
    },
    close() {
      stopListening();
      for (const socket of sockets.clients) socket.terminate();
      for (const socket of silent) socket.destroy();
      sockets.close();
    },
  };
}

function welcome({ socket, transport }: Omit<Line, "isCompressed">, query: URLSearchParams, deps: GatewayDeps): void {
  const compress = query.get("compress");
  if ((query.get("v") ?? GatewayVersion) !== GatewayVersion) {
    socket.close(GatewayCloseCodes.InvalidAPIVersion, "Invalid API version.");
  } else if ((query.get("encoding") ?? "json") !== "json" || (compress !== null && compress !== "zlib-stream")) {
    socket.close(GatewayCloseCodes.DecodeError, "Only JSON, plain or as zlib-stream, is spoken here.");
  } else new Connection({ socket, transport, isCompressed: compress !== null }, deps);
}
