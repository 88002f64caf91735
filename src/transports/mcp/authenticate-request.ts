import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import { toId, type UserId } from "../../domain/ids.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Client } from "../../policy/operation.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import { refuseToolsets } from "../../policy/toolset-names.ts";
import type { ActingClient } from "../kit/actor-sessions.ts";
import { bearerToken, type SignInHint } from "../kit/http-refusal.ts";

const ACTOR_HEADER = "x-earshot-actor";
const TOOLSETS_HEADER = "x-earshot-toolsets";
const FOR_HEADER = "x-earshot-for";
const SIGN_IN = "Add this address to a program that opens your browser, and sign in with Discord there.";
const TOKEN_NEEDED = "A client's token is needed in `Authorization: Bearer <token>`; `earshot token` makes one.";
const MAX_CHANNEL_NAME_LENGTH = 200;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export interface McpCaller extends ActingClient {
  /** The client's own selection among its toolsets; undefined for all. */
  readonly toolsets: readonly string[] | undefined;
}

export interface AuthenticateDeps {
  authenticate(token: string): Client | null;
  /** The server is reached on this machine only, or by its public host. */
  readonly isLocal: boolean;
  /** Absent if people cannot sign in with Discord. */
  readonly signIn?: {
    readonly hint: SignInHint;
    readonly host: string;
    readonly signIns: Pick<SignIns, "scopeFor">;
  } | null;
  readonly gate: Pick<Gate, "tools">;
}

/** Uses only the headers of a request, each of which is null if absent. */
export function authenticateRequest(
  header: (name: string) => string | null,
  deps: AuthenticateDeps,
): McpCaller | EarshotError {
  // A web page must not reach this machine, whatever host name it uses.
  const hosts = deps.signIn ? [...LOOPBACK, deps.signIn.host] : LOOPBACK;
  const isFromHere = validateOriginHeader(header("origin"), hosts).ok;
  if (!isFromHere || (deps.isLocal && !validateHostHeader(header("host"), hosts).ok)) {
    return new EarshotError(
      "forbidden",
      "Only programs on this machine may connect; address it as 127.0.0.1 or localhost.",
    );
  }
  const token = bearerToken(header("authorization"));
  const client = token === null ? null : deps.authenticate(token);
  if (!client)
    return new EarshotError("unauthenticated", deps.signIn ? `${SIGN_IN} Or: ${TOKEN_NEEDED}` : TOKEN_NEEDED);
  const toolsets = header(TOOLSETS_HEADER)
    ?.split(",")
    .map((name) => name.trim());
  const problem = refuseToolsets(toolsets, deps.gate.tools);
  if (problem) return new EarshotError("invalid", `${TOOLSETS_HEADER}: ${problem}`);
  const actor = chooseActor(client, header(ACTOR_HEADER));
  if (typeof actor !== "string") return actor;
  const channel = toChannelName(header(FOR_HEADER));
  return channel instanceof EarshotError ? channel : { client, actor, toolsets, for: channel };
}

/** Percent-encoded: a channel's name may have letters that a header cannot. */
function toChannelName(encoded: string | null): string | undefined | EarshotError {
  if (encoded === null) return undefined;
  try {
    const name = decodeURIComponent(encoded).trim();
    if (name.length > 0 && name.length <= MAX_CHANNEL_NAME_LENGTH) return name;
  } catch {
    // The error below explains it.
  }
  return new EarshotError("invalid", `${FOR_HEADER}: must be a channel's name or id, percent-encoded.`);
}

/** A client that may act for only one person need not name them. */
function chooseActor({ grant: { actors } }: Client, asked: string | null): UserId | EarshotError {
  if (asked === null) {
    const [only, ...others] = actors === "anyone" ? [] : actors;
    if (only && others.length === 0) return only;
    const problem = `On whose behalf? Name a person that this client may act for: ${ACTOR_HEADER}, with a user id.`;
    return new EarshotError("forbidden", problem);
  }
  const actor = toId<UserId>(asked);
  if (!actor) return new EarshotError("invalid", `${ACTOR_HEADER}: must be a Discord id, a string of digits.`);
  if (actors === "anyone" || actors.includes(actor)) return actor;
  return new EarshotError("forbidden", "This client is not granted to act for that person.");
}
