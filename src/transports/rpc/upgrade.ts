import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { BEARER_SUBPROTOCOL, SUBPROTOCOL } from "../../domain/rpc/rpc-frames.ts";
import type { Client } from "../../policy/operation.ts";

const RPC_PATH = "/rpc";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const REASONS = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  503: "Service Unavailable",
} as const;

export type UpgradeRefusal = keyof typeof REASONS;

/** Who asks to connect, or why not. */
export function admit(
  request: IncomingMessage,
  authenticate: (token: string) => Client | null,
): { readonly client: Client; readonly cursor: string | null; readonly wantsWindow: boolean } | UpgradeRefusal {
  const url = URL.parse(request.url ?? "", "http://localhost");
  if (url?.pathname !== RPC_PATH) return 404;
  if (!isLocalOrigin(request.headers.origin)) return 403;
  const token = bearerToken(request);
  const client = token === null ? null : authenticate(token);
  if (!client) return 401;
  const { searchParams } = url;
  return { client, cursor: searchParams.get("cursor"), wantsWindow: searchParams.get("context") === "window" };
}

/** Says only this, and hangs up. */
export function refuse(socket: Duplex, status: UpgradeRefusal): void {
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  const challenge = status === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\n${challenge}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** A client that offers subprotocols expects one of them back; the one with the token only if there is no other. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(SUBPROTOCOL)) return SUBPROTOCOL;
  return [...offered].find((name) => name.startsWith(BEARER_SUBPROTOCOL)) ?? false;
}

/** A browser names the page that connects; only pages of this machine may. Other programs name none. */
function isLocalOrigin(origin: string | undefined): boolean {
  return origin === undefined || LOOPBACK.has(URL.parse(origin)?.hostname ?? "");
}

function bearerToken({ headers }: IncomingMessage): string | null {
  const inHeader = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (inHeader !== undefined) return inHeader;
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(BEARER_SUBPROTOCOL))?.slice(BEARER_SUBPROTOCOL.length) || null;
}
