import { generateKeyPairSync } from "node:crypto";
import { type Context, errors, interactionPolicy, Provider } from "oidc-provider";
import { ALLOWANCES } from "../../policy/sign-in-settings.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf } from "../kit/explain.ts";
import { keepUsedMetadata } from "./program-metadata.ts";
import { type AdapterDeps, createAdapters } from "./sign-in-adapter.ts";

export interface ProviderDeps extends AdapterDeps {
  readonly signIns: AdapterDeps["signIns"] & Pick<SignIns, "end" | "hasProgram">;
  /** Unguessable. */
  mintId(): string;
  /** The address of this server, without a path. */
  readonly issuer: string;
  readonly log: Log;
  /** Fetches a program's metadata document. Null: programs must register. */
  readonly fetchDocument: ((url: string, init: { readonly signal?: AbortSignal }) => Promise<Response>) | null;
  /** Shows a refusal that no program can be told. */
  showError(error: string): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

export const SIGN_IN_PATH = "/oauth/sign-in";
const ACCESS_TOKEN_SECONDS = 15 * 60;
export const ROUTES = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks",
};
const YEARS_SECONDS = 10 * 365 * 24 * 60 * 60;
export const INTERACTION_SECONDS = 10 * 60;

/** The authorization server, loaded for the first request that needs it. */
export function openProvider(deps: ProviderDeps): Provider {
  const { issuer, resource, signIns, fetchDocument } = deps;
  const resourceServer = { scope: ALLOWANCES.join(" "), audience: resource, accessTokenFormat: "opaque" };
  const off = { enabled: false };
  const provider = new Provider(issuer, {
    adapter: createAdapters(deps),
    clientAuthMethods: ["none"],
    clientDefaults: {
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    // Required, but unused, because there are no id tokens.
    jwks: { keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })] },
    cookies: { keys: [deps.mintId()], names: COOKIES },
    clientBasedCORS: () => true,
    scopes: [...ALLOWANCES, "openid", "offline_access"],
    responseTypes: ["code"],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    // The consent page is shown each time: earlier consent does not count.
    loadExistingGrant: ({ oidc }: Context) => findGrant(oidc.result?.consent?.grantId),
    findAccount: (_: Context, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    async revokeGrantPolicy({ oidc: { route, entities } }: Context) {
      const id = entities.RefreshToken?.grantId;
      if (route === "token" && id !== undefined) await signIns.end(id, "token_reused");
      return true;
    },
    interactions: {
      policy: [new interactionPolicy.Prompt({ name: "consent", requestable: true }, EACH_TIME)],
      url: (_: Context, { uid }: { readonly uid: string }) => `${SIGN_IN_PATH}/${uid}`,
    },
    features: {
      ...{ devInteractions: off, userinfo: off, rpInitiatedLogout: off, dPoP: off, claimsParameter: off },
      ...{ pushedAuthorizationRequests: off, deviceFlow: off, introspection: off, clientCredentials: off },
      revocation: {
        enabled: true,
        allowedPolicy: (_: Context, client: Named, token: Named) => client.clientId === token.clientId,
      },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_: Context, asked: string) {
          if (asked !== resource) throw new errors.InvalidTarget();
          return resourceServer;
        },
      },
      clientIdMetadataDocument: fetchDocument ? { enabled: true, ack: "draft-02", allowFetch: mayFetch } : off,
    },
    ...(fetchDocument && {
      async fetch(url: string, init: { readonly signal?: AbortSignal }) {
        const answer = await fetchDocument(url, init);
        return new Response(keepUsedMetadata(await answer.text()), answer);
      },
    }),
    routes: ROUTES,
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: 60,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      // They end with the sign-in.
      RefreshToken: YEARS_SECONDS,
      Grant: YEARS_SECONDS,
    },
    renderError(context: Context, { error }: { readonly error: string }) {
      const { headers, body } = deps.showError(error);
      context.set(headers);
      context.type = "html";
      context.body = body;
    },
  });
  /** Beginning a sign-in is limited by address, asking for a token is not: so only programs that are signed in have their documents fetched for a token. */
  function mayFetch(context: Context | undefined, id: string): boolean {
    return !/^(?:token|revocation)$/.test(context?.oidc.route ?? "") || signIns.hasProgram(id);
  }
  const findGrant = (id: string | undefined) => (id === undefined ? undefined : provider.Grant.find(id));
  // The forwarding headers are set before each call, from the public address.
  provider.proxy = true;
  provider.on("server_error", (_, error) => deps.log.warn({ code: codeOf(error) }, "a sign-in failed unexpectedly"));
  return provider;
}

const EACH_TIME = new interactionPolicy.Check(
  "each_time",
  "the person is asked each time",
  ({ oidc }) => !oidc.session?.accountId || !oidc.result?.consent,
);
const COOKIES = { session: "earshot_oauth", interaction: "earshot_sign_in", resume: "earshot_resume" };

interface Named {
  readonly clientId: string;
}
