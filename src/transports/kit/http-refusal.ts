import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { EarshotError } from "../../domain/errors.ts";

/** The token of an `Authorization` header; null if there is none. */
export function bearerToken(authorization: string | null | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

/** Tells a program without a token, or with too few permissions, how to sign in. */
export interface SignInHint {
  /** The address of the resource's metadata. */
  readonly metadata: string;
  readonly scope: string;
}

/** HTTP headers that an error needs besides its status. */
export function refusalHeaders({ code, retryAfter }: EarshotError, hint?: SignInHint): Record<string, string> {
  const asked = hint
    ? ` ${[...(code === "forbidden" ? ['error="insufficient_scope"'] : []), `scope="${hint.scope}"`, `resource_metadata="${hint.metadata}"`].join(", ")}`
    : "";
  return {
    ...((code === "unauthenticated" || hint) && { "WWW-Authenticate": `Bearer${asked}` }),
    ...(retryAfter !== undefined && { "Retry-After": String(Math.ceil(retryAfter)) }),
  };
}

export function toRefusal(error: EarshotError): Response {
  const { code, message, status } = error;
  return Response.json({ error: { code, message } }, { status, headers: refusalHeaders(error) });
}

/** Rejects an upgrade request and closes the socket. An empty message gives an empty body. */
export function refuseUpgrade(socket: Duplex, error: EarshotError, hint?: SignInHint): void {
  const { status, message } = error;
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  const headers = {
    ...refusalHeaders(error, hint),
    ...(message !== "" && { "Content-Type": "text/plain" }),
    "Content-Length": Buffer.byteLength(message),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${message}`);
}
