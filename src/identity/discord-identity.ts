import type { AuthorizationServer, TokenEndpointResponse } from "oauth4webapi";
import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { UserId } from "../domain/ids.ts";
import type { IdentityAttempt, IdentityProvider } from "../ports/identity.ts";
import { away, fetchBounded } from "./fetch-bounded.ts";

export interface DiscordIdentityOptions {
  /** Base of the API without version, such as https://discord.com/api. */
  readonly api: string;
  /** The id of the application. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Each request without a whole answer is given up after this. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_NAME_LENGTH = 100;

const selfSchema = z.object({
  id: idSchema<UserId>(),
  username: z.string().min(1).max(MAX_NAME_LENGTH),
  global_name: z.string().max(MAX_NAME_LENGTH).nullish(),
  bot: z.boolean().optional(),
});

type OAuth = typeof import("oauth4webapi");

/** Loaded at the first sign-in: most starts need none. */
const loadOAuth = (): Promise<OAuth> => import("oauth4webapi");

/** Asks Discord who a person is: code, PKCE and state. */
export class DiscordIdentity implements IdentityProvider {
  readonly #options: DiscordIdentityOptions;
  readonly #server: AuthorizationServer;

  constructor(options: DiscordIdentityOptions) {
    this.#options = options;
    const { origin } = new URL(options.api);
    this.#server = {
      issuer: origin,
      authorization_endpoint: `${origin}/oauth2/authorize`,
      token_endpoint: `${options.api}/oauth2/token`,
      revocation_endpoint: `${options.api}/oauth2/token/revoke`,
    };
  }

  async begin(callback: URL): Promise<{ readonly address: URL; readonly attempt: IdentityAttempt }> {
    const oauth = await loadOAuth();
    const attempt = {
      state: oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
      callback: callback.href,
    };
    const address = new URL(this.#server.authorization_endpoint ?? "");
    address.search = new URLSearchParams({
      client_id: this.#options.clientId,
      response_type: "code",
      redirect_uri: attempt.callback,
      scope: "identify",
      state: attempt.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
      prompt: "consent",
    }).toString();
    return { address, attempt };
  }

  async finish(returned: URL, attempt: IdentityAttempt): Promise<{ readonly id: UserId; readonly name: string }> {
    const oauth = await loadOAuth();
    const { token_type: type, access_token: token } = await this.#exchange(oauth, returned, attempt).catch((error) => {
      throw toEarshotError(oauth, error);
    });
    if (type !== "bearer") throw away();
    try {
      return await this.#show(token);
    } finally {
      await this.#revoke(oauth, token);
    }
  }

  /** Throws `misconfigured` if Discord refuses the client secret, `unavailable` if it cannot be asked. */
  async checkSecret(): Promise<void> {
    const oauth = await loadOAuth();
    const { attempt } = await this.begin(new URL("https://earshot.invalid/callback"));
    const returned = new URL(`${attempt.callback}?${new URLSearchParams({ code: "check", state: attempt.state })}`);
    const error: unknown = await this.#exchange(oauth, returned, attempt).catch((reason: unknown) => reason);
    // A code that was never given out is refused only to an application that has proved itself.
    if (error instanceof oauth.ResponseBodyError && error.error !== "invalid_client") return;
    throw toEarshotError(oauth, error);
  }

  /** Requests nothing unless the state, and the issuer where one is named, are those of the attempt. */
  async #exchange(oauth: OAuth, returned: URL, attempt: IdentityAttempt): Promise<TokenEndpointResponse> {
    const client = this.#client();
    let parameters: URLSearchParams;
    try {
      parameters = oauth.validateAuthResponse(this.#server, client, returned, attempt.state);
    } catch (error) {
      throw error instanceof oauth.AuthorizationResponseError ? error : forged();
    }
    if (parameters.getAll("code").length !== 1) throw forged();
    const response = await oauth.authorizationCodeGrantRequest(
      this.#server,
      client,
      oauth.ClientSecretPost(this.#options.clientSecret),
      parameters,
      attempt.callback,
      attempt.verifier,
      this.#http(oauth),
    );
    return oauth.processAuthorizationCodeResponse(this.#server, client, response);
  }

  async #show(token: string): Promise<{ readonly id: UserId; readonly name: string }> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await this.#fetch(`${this.#options.api}/v10/users/@me`, { headers });
    // The token is a second old: it can only have been revoked, together with that of another sign-in of the same person.
    if (response.status === 401)
      throw new EarshotError("conflict", "Another sign-in of yours ended at the same moment; sign in once more.");
    const self = selfSchema.safeParse(response.status === 200 ? await response.json().catch(() => null) : null);
    if (!self.success) throw away();
    if (self.data.bot) throw new EarshotError("forbidden", "A bot cannot sign in.");
    return { id: self.data.id, name: self.data.global_name || self.data.username };
  }

  async #revoke(oauth: OAuth, token: string): Promise<void> {
    try {
      const authentication = oauth.ClientSecretPost(this.#options.clientSecret);
      const http = this.#http(oauth);
      const response = await oauth.revocationRequest(this.#server, this.#client(), authentication, token, http);
      await oauth.processRevocationResponse(response);
    } catch (error) {
      throw toEarshotError(oauth, error);
    }
  }

  #client() {
    return { client_id: this.#options.clientId };
  }

  #http(oauth: OAuth) {
    return {
      [oauth.customFetch]: (url: string, init: RequestInit) => this.#fetch(url, init),
      // Only the sandbox is reached without TLS.
      [oauth.allowInsecureRequests]: this.#options.api.startsWith("http://"),
    };
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    return fetchBounded(url, init, this.#options.timeoutMs ?? TIMEOUT_MS);
  }
}

/** Without the cause: the library keeps whole answers in its errors, tokens included. */
function toEarshotError(oauth: OAuth, error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  if (error instanceof oauth.AuthorizationResponseError) {
    if (error.error === "access_denied") return new EarshotError("forbidden", "You did not allow it at Discord.");
    return /^(server_error|temporarily_unavailable)$/.test(error.error) ? away() : misconfigured(error.error);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return misconfigured("invalid_client");
  if (error instanceof oauth.ResponseBodyError)
    return error.error === "invalid_grant"
      ? new EarshotError("forbidden", "This sign-in was used before, or has expired; begin again.")
      : misconfigured(error.error);
  return away();
}

function forged(): EarshotError {
  return new EarshotError("forbidden", "This is not the answer to your sign-in; begin again.");
}

function misconfigured(reason: string): EarshotError {
  const what =
    reason === "invalid_client"
      ? "the client secret: set EARSHOT_DISCORD_CLIENT_SECRET to that of the application"
      : "how this Earshot asks for a sign-in; earshot doctor says more";
  return new EarshotError("misconfigured", `Discord does not accept ${what}.`);
}
