import type { IncomingMessage, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Interaction } from "oidc-provider";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isListed } from "../../policy/apply-rules.ts";
import type { Rules } from "../../policy/rules.ts";
import { ALLOWANCES, type Allowance, readAllowances } from "../../policy/sign-in-settings.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { IdentityAttempt, IdentityProvider } from "../../ports/identity.ts";
import { explain } from "../kit/explain.ts";
import {
  type AskingProgram,
  hostOfRedirect,
  listDurations,
  pageHeaders,
  renderConsent,
  renderProblem,
} from "./consent-page.ts";
import { INTERACTION_SECONDS, openProvider, type ProviderDeps, ROUTES, SIGN_IN_PATH } from "./open-provider.ts";
import { keepUsedMetadata, withBody } from "./program-metadata.ts";

export interface SignInRouteDeps extends Omit<ProviderDeps, "signIns" | "showError"> {
  readonly signIns: SignIns;
  readonly identity: () => Promise<IdentityProvider>;
  readonly rules: Pick<Rules, "signIn">;
}

/** A sign-in in progress. */
interface Pending {
  /** Set while the person is at Discord. */
  readonly attempt?: IdentityAttempt;
  /** Set once they are back. */
  readonly person?: { readonly id: UserId; readonly name: string };
  /** In the form, so that no other page can answer for the person. */
  readonly key: string;
  readonly refusal?: string;
  /** Discord was asked again, because another sign-in of the same person had invalidated this one's token. */
  readonly isRepeated?: boolean;
}

type Env = { Bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } };

const CALLBACK_PATH = "/oauth/callback";
const COOKIE = "earshot_discord";
const MAX_PENDING = 10_000;
const MAX_BODY_BYTES = 65_536;
const DAY_MS = 86_400_000;
const NOT_ALLOWED = "The operator of this server does not let this program be signed in.";
const UNKNOWN =
  "Earshot does not know this program, or could not read what it says of itself. Remove this server from the program, add its address again, and sign in.";
const OVER = "This sign-in has expired, was cancelled or belongs to another browser. Start it again in your program.";
/** By the error of the authorization server. */
const PROBLEMS: Readonly<Record<string, string>> = {
  invalid_client: UNKNOWN,
  invalid_client_metadata: UNKNOWN,
  invalid_redirect_uri:
    "The program wants the browser to return to an address that it did not register. Remove this server from the program, and add its address again.",
  server_error: "Something went wrong; try again in a minute.",
};

/** Routes under /oauth. Discord identifies the person, one page asks for the permissions, and the authorization server does the rest. */
export function createSignInRoutes(deps: SignInRouteDeps): Hono<Env> {
  const { issuer, signIns, clock, rules } = deps;
  const isSecure = issuer.startsWith("https:");
  const pending = new BoundedMap<string, Pending>({
    ...{ maxEntries: MAX_PENDING, ttlMs: INTERACTION_SECONDS * 1_000, clock },
  });
  const provider = openProvider({
    ...deps,
    showError: (error) => ({ headers: pageHeaders(), body: renderProblem(PROBLEMS[error] ?? OVER) }),
  });
  const handle = provider.callback();

  /** Null if it belongs to another browser. */
  async function findInteraction({ incoming, outgoing }: Env["Bindings"], uid: string): Promise<Interaction | null> {
    const found = await provider.interactionDetails(claim(incoming, issuer), outgoing).catch(() => null);
    return found?.uid === uid ? found : null;
  }

  async function finish(interaction: Interaction, { incoming, outgoing }: Env["Bindings"], result: object) {
    pending.delete(interaction.uid);
    await provider.interactionFinished(incoming, outgoing, result);
    return alreadySent();
  }

  async function describe(interaction: Interaction): Promise<{ program: AskingProgram; offered: Allowance[] }> {
    const { client_id, redirect_uri, scope } = interaction.params;
    const client = await provider.Client.find(String(client_id));
    const program = { name: client?.clientName ?? "a program without a name", redirect: new URL(String(redirect_uri)) };
    const { allow } = rules.signIn;
    return { program, offered: readAllowances(String(scope)).filter((one) => allow.includes(one)) };
  }

  const isAllowed = (host: string | null) => host !== null && isListed(rules.signIn.programs, [host]);

  const limitBody = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (c) => c.body(renderProblem("This is too large."), 413, pageHeaders()),
  });
  const app = new Hono<Env>();
  app.get(`${SIGN_IN_PATH}/:uid`, async (c) => {
    const uid = c.req.param("uid");
    const interaction = await findInteraction(c.env, uid);
    if (!interaction) return c.body(renderProblem(OVER), 400, pageHeaders());
    const { program, offered } = await describe(interaction);
    if (!pending.has(uid) && !isAllowed(hostOfRedirect(program.redirect)))
      pending.set(uid, { key: deps.mintId(), refusal: NOT_ALLOWED });
    const begun = pending.get(uid);
    if (begun?.refusal !== undefined)
      return c.body(renderProblem(begun.refusal, begun), 403, pageHeaders(program.redirect));
    if (begun?.person) {
      const days = listDurations(rules.signIn.longestDays);
      const { person, key } = begun;
      const page = renderConsent({ program, person: person.name, offered, days, key });
      return c.body(page, 200, pageHeaders(program.redirect));
    }
    const identity = await deps.identity();
    const { address, attempt } = await identity.begin(new URL(CALLBACK_PATH, issuer));
    pending.set(uid, { attempt, key: deps.mintId(), isRepeated: begun?.isRepeated ?? false });
    setCookie(c, COOKIE, uid, {
      ...{ path: CALLBACK_PATH, httpOnly: true, sameSite: "Lax", maxAge: INTERACTION_SECONDS, secure: isSecure },
    });
    return c.redirect(address.href, 303);
  });
  app.get(CALLBACK_PATH, async (c) => {
    const uid = getCookie(c, COOKIE) ?? "";
    const begun = pending.get(uid);
    const { attempt } = begun ?? {};
    // Discord gets no code from an attempt that did not begin here, in this browser.
    if (!begun || !attempt || c.req.query("state") !== attempt.state)
      return c.body(renderProblem(OVER), 400, pageHeaders());
    const { key, isRepeated = false } = begun;
    pending.set(uid, { key });
    deleteCookie(c, COOKIE, { path: CALLBACK_PATH });
    const next = `${SIGN_IN_PATH}/${uid}`;
    const { search } = new URL(c.req.url);
    const found = await (await deps.identity())
      .finish(new URL(`${CALLBACK_PATH}${search}`, issuer), attempt)
      .then(async (person) => {
        await signIns.mustBeAllowed(person.id);
        return { person };
      })
      .catch((error: unknown) => {
        const isEnded = error instanceof EarshotError && error.code === "conflict";
        return isEnded && !isRepeated ? { isRepeated: true } : toRefusal(error);
      });
    if ("again" in found) return c.body(renderProblem(found.again, { again: next }), 503, pageHeaders());
    pending.set(uid, { key, ...found });
    return c.redirect(next, 303);
  });
  app.post(`${SIGN_IN_PATH}/:uid`, limitBody, async (c) => {
    const uid = c.req.param("uid");
    const interaction = await findInteraction(c.env, uid);
    const begun = pending.get(uid);
    const form = await c.req.parseBody({ all: true });
    const isOwnPage = (c.req.header("origin") ?? issuer) === issuer && form["key"] === begun?.key;
    if (!interaction || !begun || !isOwnPage) return c.body(renderProblem(OVER), 400, pageHeaders());
    if (form["decision"] !== "allow" || !begun.person) return finish(interaction, c.env, { error: "access_denied" });
    const { program, offered } = await describe(interaction);
    const { person, key } = begun;
    const ticked = [form["allow"]].flat();
    const allowed = offered.filter((one) => ticked.includes(one));
    const days = listDurations(rules.signIn.longestDays);
    const chosen = days.find((one) => String(one ?? "") === form["days"]);
    if (allowed.length === 0 || chosen === undefined) {
      const problem = "Tick at least one thing that it may do, and say for how long; or cancel.";
      const page = renderConsent({ program, person: person.name, offered, days, key, problem });
      return c.body(page, 200, pageHeaders(program.redirect));
    }
    // From now on, a second answer from the same page finds nothing.
    pending.delete(uid);
    try {
      const redirectHost = hostOfRedirect(program.redirect);
      if (redirectHost === null || !isAllowed(redirectHost)) throw new EarshotError("forbidden", NOT_ALLOWED);
      const signIn = await signIns.add({
        personId: person.id,
        clientId: String(interaction.params["client_id"]),
        program: program.name,
        redirectHost,
        allowed,
        expiresAt: chosen === null ? null : clock.now() + chosen * DAY_MS,
      });
      const result = { login: { accountId: person.id, remember: false }, consent: { grantId: signIn.id } };
      return finish(interaction, c.env, result);
    } catch (error) {
      pending.set(uid, begun);
      const { message } = explain(error, { log: deps.log, what: "a sign-in failed unexpectedly" });
      return c.body(renderProblem(message, { key }), 403, pageHeaders(program.redirect));
    }
  });
  app.post(ROUTES.registration, limitBody, async (c) => {
    const { incoming, outgoing } = c.env;
    await handle(withBody(claim(incoming, issuer), keepUsedMetadata(await c.req.text())), outgoing);
    return alreadySent();
  });
  app.all("*", async ({ env: { incoming, outgoing } }) => {
    await handle(claim(incoming, issuer), outgoing);
    return alreadySent();
  });
  app.onError((error, c) => {
    const { message } = explain(error, { log: deps.log, what: "a sign-in failed unexpectedly" });
    return c.body(renderProblem(message), 503, pageHeaders());
  });
  return app;

  function toRefusal(error: unknown): { readonly refusal: string } | { readonly again: string } {
    const { code, message } = explain(error, { log: deps.log, what: "a sign-in failed unexpectedly" });
    return code === "forbidden" || code === "unauthenticated" ? { refusal: message } : { again: message };
  }
}

/** The HTTP library knows its own sign for this only as a plain response, which a copy is. */
function alreadySent(): Response {
  return RESPONSE_ALREADY_SENT.clone();
}

/** Replaces scheme and host by those of the public address, whatever the request contains, and restricts the scope to known names. */
function claim(incoming: IncomingMessage, issuer: string): IncomingMessage {
  const { protocol, host } = new URL(issuer);
  const { headers } = incoming;
  headers.host = host;
  headers["x-forwarded-host"] = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  const url = URL.parse(incoming.url ?? "", issuer);
  if (url?.pathname === "/oauth/authorize") {
    const asked = readAllowances(url.searchParams.get("scope") ?? "");
    url.searchParams.set("scope", (asked.length > 0 ? asked : ALLOWANCES).join(" "));
    // The code goes into the address, as the metadata states; a form page would be the library's own.
    url.searchParams.delete("response_mode");
    // The consent page is always shown; "none" is refused.
    if (url.searchParams.get("prompt") !== "none") url.searchParams.delete("prompt");
    incoming.url = url.pathname + url.search;
  }
  return incoming;
}
