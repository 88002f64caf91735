import { createHash, timingSafeEqual } from "node:crypto";
import type { ApplicationRecord, AuthorizationRecord, CodeRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

const CODE_LIFETIME_MS = 10 * 60_000;
/** Seven days, as Discord's. */
export const TOKEN_LIFETIME_MS = 604_800_000;

/** A person allows an application some scopes; returns the code that it may exchange once. */
export function grantCode(world: World, request: Omit<CodeRecord, "expiresAt">): string {
  const code = mintSecret(world);
  world.codes.set(code, { ...request, expiresAt: world.clock.now() + CODE_LIFETIME_MS });
  return code;
}

export interface CodeExchange {
  readonly code: string;
  readonly redirectUri: string | null;
  readonly verifier: string | null;
}

/** A new authorization, or the field that is wrong. A code ends with its first use, right or wrong. */
export function exchangeCode(
  world: World,
  application: ApplicationRecord,
  { code, redirectUri, verifier }: CodeExchange,
): AuthorizationRecord | "code" | "redirect_uri" | "code_verifier" {
  const granted = world.codes.get(code);
  if (!granted || granted.applicationId !== application.id) return "code";
  world.codes.delete(code);
  if (granted.expiresAt <= world.clock.now()) return "code";
  if (granted.redirectUri !== redirectUri) return "redirect_uri";
  if (granted.challenge !== null && !fits(verifier, granted.challenge)) return "code_verifier";
  return authorize(world, granted);
}

/** A new pair of tokens for an old refresh token, which ends together with its access token. */
export function refreshAuthorization(
  world: World,
  application: ApplicationRecord,
  refreshToken: string,
): AuthorizationRecord | undefined {
  const last = findAuthorization(world, application, ({ refreshToken: known }) => known === refreshToken);
  if (!last) return undefined;
  world.authorizations.delete(last.accessToken);
  return authorize(world, last);
}

/** Ends all tokens of the same person for this application, as Discord does whichever of them is named. An unknown token changes nothing. */
export function revokeToken(world: World, application: ApplicationRecord, token: string): void {
  const named = findAuthorization(
    world,
    application,
    ({ accessToken, refreshToken }) => accessToken === token || refreshToken === token,
  );
  for (const [key, { applicationId, userId }] of world.authorizations)
    if (applicationId === named?.applicationId && userId === named.userId) world.authorizations.delete(key);
}

function authorize(
  world: World,
  { applicationId, userId, scopes }: Pick<AuthorizationRecord, "applicationId" | "userId" | "scopes">,
): AuthorizationRecord {
  const authorization: AuthorizationRecord = {
    applicationId,
    userId,
    scopes,
    accessToken: mintSecret(world),
    refreshToken: mintSecret(world),
    expiresAt: world.clock.now() + TOKEN_LIFETIME_MS,
  };
  world.authorizations.set(authorization.accessToken, authorization);
  return authorization;
}

function findAuthorization(
  world: World,
  application: ApplicationRecord,
  fitting: (authorization: AuthorizationRecord) => boolean,
): AuthorizationRecord | undefined {
  for (const one of world.authorizations.values()) if (one.applicationId === application.id && fitting(one)) return one;
  return undefined;
}

function fits(verifier: string | null, { method, value }: NonNullable<CodeRecord["challenge"]>): boolean {
  if (verifier === null) return false;
  const given = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return isSame(given, value);
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function mintSecret(world: World): string {
  return world.deriveSecret(`oauth2:${world.mintId()}`).slice(0, 30);
}
