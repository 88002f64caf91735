import type { Hono } from "hono";
import { grantCode } from "../actions/authorizations.ts";
import { unknownApplication } from "../actions/errors.ts";
import type { Names } from "../driver/names.ts";
import { SCOPES } from "../rest/routes/oauth2.ts";
import type { ApplicationRecord, CodeRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { ControlError } from "./control-error.ts";
import { requireLocalHost, requireLocalProgram } from "./local-only.ts";

const PATHS = ["/oauth2/authorize", "/api/oauth2/authorize", "/api/v10/oauth2/authorize"];
const MAX_PEOPLE = 100;
/** No `form-action`: browsers apply it to the redirect that follows, too. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
};

/**
 * Discord's page that asks whether a program may know who one is. Here it also asks who one is: at this machine, every person may be chosen. A program posts
 * `as` to the same address to choose without a browser; without `as`, the person refuses.
 */
export function mountAuthorizePage(app: Hono, { world, names }: { world: World; names: Names }): void {
  for (const path of PATHS) {
    app.get(path, (c) => {
      requireLocalHost(c.req.raw);
      const request = readRequest(world, new URL(c.req.url).searchParams);
      if ("error" in request) return c.redirect(request.error);
      return c.body(renderPage(world, request), 200, HEADERS);
    });
    app.post(path, async (c) => {
      requireLocalProgram(c.req.raw);
      const request = readRequest(world, new URL(c.req.url).searchParams);
      if ("error" in request) return c.redirect(request.error);
      const name = new URLSearchParams(await c.req.text()).get("as") ?? "";
      if (name === "") return c.redirect(request.refused);
      const userId = names.person(name);
      if (world.users.get(userId)?.bot) throw new ControlError(400, "invalid", "`as`: a bot cannot sign in.");
      const { scopes, redirectUri, challenge, application } = request;
      const code = grantCode(world, { applicationId: application.id, userId, scopes, redirectUri, challenge });
      return c.redirect(request.back({ code }));
    });
  }
}

interface AuthorizeRequest extends Pick<CodeRecord, "scopes" | "redirectUri" | "challenge"> {
  readonly application: ApplicationRecord;
  readonly refused: string;
  back(answer: Readonly<Record<string, string>>): string;
}

/** The request of the program, or the address to return to with the error. Throws while it is not certain that the address belongs to the application. */
function readRequest(world: World, query: URLSearchParams): AuthorizeRequest | { readonly error: string } {
  const application = world.applications.get(query.get("client_id") ?? "");
  if (!application) throw unknownApplication();
  const redirectUri = query.get("redirect_uri") ?? application.redirectUris[0] ?? "";
  if (!application.redirectUris.includes(redirectUri)) {
    const known = application.redirectUris.join(", ") || "none";
    const problem = `Invalid OAuth2 redirect_uri: register it with POST /sandbox/redirects (registered: ${known}).`;
    throw new ControlError(400, "invalid", problem);
  }
  const state = query.get("state");
  const back = (answer: Readonly<Record<string, string>>) => {
    const address = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
    if (state !== null) address.searchParams.set("state", state);
    return address.href;
  };
  const failed = (error: string, description: string) => ({ error: back({ error, error_description: description }) });
  if (query.get("response_type") !== "code")
    return failed("unsupported_response_type", "The authorization server does not support this response type.");
  const scopes = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  if (scopes.length === 0 || scopes.some((scope) => !SCOPES.includes(scope)))
    return failed("invalid_scope", "The requested scope is invalid, unknown, or malformed.");
  const value = query.get("code_challenge");
  const method = query.get("code_challenge_method") ?? "plain";
  if (method !== "S256" && method !== "plain") return failed("invalid_request", "Unknown code_challenge_method.");
  const description = "The resource owner or authorization server denied the request";
  return {
    application,
    redirectUri,
    scopes,
    challenge: value === null ? null : { method, value },
    back,
    refused: back({ error: "access_denied", error_description: description }),
  };
}

function renderPage(world: World, { application, scopes, redirectUri }: AuthorizeRequest): string {
  const people = [...world.users.values()].filter(({ bot }) => !bot).slice(0, MAX_PEOPLE);
  const buttons = people.map(({ id, username, globalName }) => {
    const name = globalName === null ? username : `${globalName} (${username})`;
    return `<button name="as" value="${id}">${escapeHtml(name)}</button>`;
  });
  const { host, protocol } = new URL(redirectUri);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox: sign in</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}button,input{font:inherit;margin:.2rem;padding:.3rem .7rem}</style>
<h1>Who are you?</h1>
<p>${escapeHtml(application.name)} asks for ${escapeHtml(scopes.join(", "))} and returns to ${escapeHtml(host || protocol)}. This is the sandbox: anybody may be anyone.</p>
<form method="post">${buttons.join("\n")}</form>
<form method="post"><label>Username or id <input name="as" required></label><button>Continue</button></form>
<form method="post"><button>Cancel</button></form>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
