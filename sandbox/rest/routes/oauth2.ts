import { OAuth2Scopes } from "discord-api-types/v10";
import {
  exchangeCode,
  isSame,
  refreshAuthorization,
  revokeToken,
  TOKEN_LIFETIME_MS,
} from "../../actions/authorizations.ts";
import { toApiApplication, toApiUserById } from "../../render/users.ts";
import type { ApplicationRecord, AuthorizationRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { type BotRequest, type OpenRequest, openRoute, Reply, route } from "../route.ts";

export const SCOPES: readonly string[] = Object.values(OAuth2Scopes);

export const authorizationRoutes = [route("GET", "/oauth2/@me", showAuthorization, SCOPES)];

/** Discord's OpenAPI file leaves these out, because they speak forms and the errors of RFC 6749. */
export const tokenRoutes = [
  openRoute("POST", "/oauth2/token", (request) => authenticated(request, giveToken)),
  openRoute("POST", "/oauth2/token/revoke", (request) =>
    authenticated(request, ({ world, application, form }) => {
      const token = form.get("token");
      if (token === null) return missing("token");
      revokeToken(world, application, token);
      return {};
    }),
  ),
];

interface TokenRequest {
  readonly world: World;
  readonly application: ApplicationRecord;
  readonly form: URLSearchParams;
}

/** The application proves itself in the header, or in the form. */
async function authenticated({ world, raw }: OpenRequest, answer: (request: TokenRequest) => unknown) {
  const isForm = raw.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded");
  const form = new URLSearchParams(isForm ? await raw.text() : "");
  const [id, secret] = credentialsOf(raw) ?? [form.get("client_id"), form.get("client_secret")];
  const application = world.applications.get(id ?? "");
  if (!application || !isSame(secret ?? "", application.clientSecret))
    return new Reply(401, { error: "invalid_client" });
  return answer({ world, application, form });
}

function credentialsOf({ headers }: Request): string[] | undefined {
  const basic = /^Basic (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (basic === undefined) return undefined;
  return Buffer.from(basic, "base64").toString().split(":").map(decodeFormValue);
}

/** RFC 6749 encodes the two as in a form before they are joined. */
function decodeFormValue(text: string): string {
  return new URLSearchParams(`x=${text}`).get("x") ?? "";
}

function giveToken({ world, application, form }: TokenRequest): unknown {
  const type = form.get("grant_type");
  if (type === "authorization_code") {
    const code = form.get("code");
    if (code === null) return missing("code");
    const [redirectUri, verifier] = [form.get("redirect_uri"), form.get("code_verifier")];
    const granted = exchangeCode(world, application, { code, redirectUri, verifier });
    return typeof granted === "string" ? invalidGrant(granted) : toTokens(granted);
  }
  if (type === "refresh_token") {
    const token = form.get("refresh_token");
    if (token === null) return missing("refresh_token");
    const granted = refreshAuthorization(world, application, token);
    return granted ? toTokens(granted) : invalidGrant("refresh_token");
  }
  return refusal("unsupported_grant_type", `Grant type ${type ?? "None"} is not supported`);
}

function toTokens({ accessToken, refreshToken, scopes }: AuthorizationRecord) {
  return {
    token_type: "Bearer",
    access_token: accessToken,
    expires_in: TOKEN_LIFETIME_MS / 1_000,
    refresh_token: refreshToken,
    scope: scopes.join(" "),
  };
}

const refusal = (error: string, description: string) => new Reply(400, { error, error_description: description });
const invalidGrant = (field: string) => refusal("invalid_grant", `Invalid "${field}" in request.`);
const missing = (field: string) => refusal("invalid_request", `Missing "${field}" in request.`);

function showAuthorization({ world, application, authorization }: BotRequest) {
  if (!authorization) return new Reply(401, { message: "401: Unauthorized", code: 0 });
  const { scopes, expiresAt, userId } = authorization;
  return {
    application: toPublic(world, application),
    scopes,
    expires: new Date(expiresAt).toISOString(),
    ...(scopes.includes("identify") && { user: toApiUserById(world, userId) }),
  };
}

/** The application as people see it. */
function toPublic(world: World, application: ApplicationRecord) {
  const { id, name, icon, description, type, verify_key, flags, flags_new, bot_public, bot_require_code_grant } =
    toApiApplication(world, application) as ReturnType<typeof toApiApplication> & { type: null };
  return { id, name, icon, description, type, verify_key, flags, flags_new, bot_public, bot_require_code_grant };
}
