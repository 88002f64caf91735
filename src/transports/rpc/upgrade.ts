import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../domain/errors.ts";
import { BEARER_SUBPROTOCOL, SUBPROTOCOL } from "../../domain/rpc/rpc-frames.ts";
import type { Client } from "../../policy/operation.ts";
import { bearerToken } from "../kit/http-refusal.ts";

const RPC_PATH = "/rpc";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
export interface UpgradeRequest {
  readonly client: Client;
  /** The cursor from which the client continues. */
  readonly cursor: string | null;
  /** Events that address the agent include their context window. */
  readonly wantsWindow: boolean;
  /** For a program that a person signed in: false once its token has expired or was revoked. Null for other clients. */
  readonly isCurrent: (() => boolean) | null;
}

/** The client that wants to connect, with its options; or the reason for a refusal. */
export function authenticateUpgrade(
  request: IncomingMessage,
  authenticate: (token: string) => Client | null,
): UpgradeRequest | ErrorCode {
  const url = URL.parse(request.url ?? "", "http://localhost");
  if (url?.pathname !== RPC_PATH) return "not_found";
  if (!isLocalOrigin(request.headers.origin)) return "forbidden";
  const token = bearerToken(request.headers.authorization) ?? tokenAmongProtocols(request);
  const client = token === null ? null : authenticate(token);
  if (token === null || !client) return "unauthenticated";
  const isCurrent = client.grant.signedIn ? () => authenticate(token) === client : null;
  const { searchParams } = url;
  return {
    client,
    cursor: searchParams.get("cursor"),
    wantsWindow: searchParams.get("context") === "window",
    isCurrent,
  };
}

/** A client that offers subprotocols expects one of them back; the one with the token only if there is no other. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(SUBPROTOCOL)) return SUBPROTOCOL;
  return [...offered].find((name) => name.startsWith(BEARER_SUBPROTOCOL)) ?? false;
}

/** A browser sends the origin of the page; only pages of this machine may connect. Other programs send none. */
function isLocalOrigin(origin: string | undefined): boolean {
  return origin === undefined || LOOPBACK.has(URL.parse(origin)?.hostname ?? "");
}

function tokenAmongProtocols({ headers }: IncomingMessage): string | null {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(BEARER_SUBPROTOCOL))?.slice(BEARER_SUBPROTOCOL.length) || null;
}
