import type { IncomingMessage, ServerResponse } from "node:http";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { EarshotError } from "../../domain/errors.ts";
import { ALLOWANCES } from "../../policy/sign-in-settings.ts";
import { explain } from "../kit/explain.ts";
import { type SignInHint, toRefusal } from "../kit/http-refusal.ts";
import type { NoteBegun } from "../kit/limit-begun.ts";
import type { SignInRouteDeps } from "./sign-in-routes.ts";

export interface SignInDeps extends Omit<SignInRouteDeps, "fetchDocument"> {
  readonly noteBegun: NoteBegun;
}

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface SignInTransport {
  /** For /oauth and /.well-known. */
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

export function toSignInHint(issuer: string): SignInHint {
  return { metadata: `${issuer}${RESOURCE_METADATA}/mcp`, scope: ALLOWANCES.join(" ") };
}

/** Signing in with Discord. The authorization server is loaded for the first request that needs it, so that it does not delay the start. */
export function openSignIn(deps: SignInDeps): SignInTransport {
  const { issuer, resource } = deps;
  // Documents are fetched over https only; without a public address, programs register.
  const takesDocuments = issuer.startsWith("https:");
  let loading: Promise<ReturnType<typeof import("./sign-in-routes.ts").createSignInRoutes>> | null = null;
  const load = async () => {
    const [{ createSignInRoutes }, { fetchDocument }] = await Promise.all([
      import("./sign-in-routes.ts"),
      import("./fetch-document.ts"),
    ]);
    const fetchPublic: SignInRouteDeps["fetchDocument"] = (url, init) => fetchDocument(url, init);
    return createSignInRoutes({ ...deps, fetchDocument: takesDocuments ? fetchPublic : null });
  };

  const app = new Hono<{ Bindings: Bindings }>();
  app.use("/.well-known/*", cors());
  const describeResource = () =>
    Response.json({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ALLOWANCES,
      bearer_methods_supported: ["header"],
      resource_name: "Earshot",
    });
  for (const path of ["", "/mcp", "/rpc"]) app.get(`${RESOURCE_METADATA}${path}`, describeResource);
  app.get("/.well-known/oauth-authorization-server", (c) =>
    c.json({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      scopes_supported: ALLOWANCES,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: takesDocuments,
    }),
  );
  for (const path of ["/oauth/register", "/oauth/authorize"])
    app.use(path, async (c, next) => {
      deps.noteBegun(c.env.incoming);
      await next();
    });
  app.all("/oauth/*", async (c) => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return (await loading).fetch(c.req.raw, c.env);
  });
  app.onError((error) => {
    const { code, message } = explain(error, { log: deps.log, what: "a sign-in failed unexpectedly" });
    return toRefusal(error instanceof EarshotError ? error : new EarshotError(code, message));
  });
  app.notFound(() => toRefusal(new EarshotError("not_found", "There is nothing here.")));
  return { fetch: (request, bindings) => app.fetch(request, bindings) };
}
