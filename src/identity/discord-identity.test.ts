import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Exchange } from "../../sandbox/rest/rest-options.ts";
import { openTestSandbox } from "../../test/support/sandbox.ts";
import { EarshotError } from "../domain/errors.ts";
import { DiscordIdentity, type DiscordIdentityOptions } from "./discord-identity.ts";

const CALLBACK = "https://earshot.example.org/console/callback";
const SECRET = "canary-secret-81c2";
const TOKEN = "canary-token-5d0f";

/** Discord is the sandbox; `choose` does the person's part in the browser. */
async function openWithSandbox(options: Partial<DiscordIdentityOptions> = {}) {
  const exchanges: Exchange[] = [];
  let toRevoke = 0;
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse(one) {
      exchanges.push(one);
      if (one.route === "/oauth2/token" && toRevoke-- > 0) sandbox.world.authorizations.clear();
    },
  });
  sandbox.admin.setRedirects([CALLBACK]);
  const [application] = sandbox.world.applications.values();
  const { id: clientId = "", clientSecret = "" } = application ?? {};
  const identity = new DiscordIdentity({ api: sandbox.api, clientId, clientSecret, ...options });
  const choose = async (address: URL, as: string) => {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ as }), redirect: "manual" });
    return new URL(answer.headers.get("location") ?? "");
  };
  const begin = () => identity.begin(new URL(CALLBACK));
  const signIn = async (as: string) => {
    const { address, attempt } = await begin();
    return identity.finish(await choose(address, as), attempt);
  };
  const routes = () => exchanges.map(({ method, route, status }) => `${method} ${route} ${status}`);
  const revokeAfterToken = (times: number) => {
    toRevoke = times;
  };
  return { sandbox, identity, begin, choose, signIn, routes, revokeAfterToken };
}

const errorOf = async (work: Promise<unknown>): Promise<EarshotError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EarshotError)) throw new Error(`Expected an EarshotError, got ${String(error)}`);
  return error;
};

describe("a sign-in with Discord", () => {
  it("tells the id and name of the person, and ends the token after one use", async () => {
    const { sandbox, signIn, routes } = await openWithSandbox();
    const sarah = sandbox.as("sarah");
    const name = sandbox.world.users.get(sarah.id)?.globalName;
    expect(await signIn("sarah")).toEqual({ id: sarah.id, name });
    expect(routes()).toEqual(["POST /oauth2/token 200", "GET /users/@me 200", "POST /oauth2/token/revoke 200"]);
    expect(sandbox.world.authorizations.size).toBe(0);
  });

  it("asks for the scope identify alone, with PKCE and a state, new at each attempt", async () => {
    const { begin } = await openWithSandbox();
    const [one, other] = [await begin(), await begin()];
    const query = Object.fromEntries(one.address.searchParams);
    const fixed = { response_type: "code", scope: "identify", code_challenge_method: "S256", redirect_uri: CALLBACK };
    expect(query).toMatchObject({ ...fixed, state: one.attempt.state });
    expect(query["code_challenge"]).not.toBe(one.attempt.verifier);
    expect(one.attempt.state).not.toBe(other.attempt.state);
    expect(one.attempt.verifier).not.toBe(other.attempt.verifier);
    expect(one.attempt.state.length).toBeGreaterThan(40);
  });

  it("is of the account that allowed it at last, also where another one was chosen half-way", async () => {
    const { sandbox, identity, begin, choose } = await openWithSandbox();
    const { address, attempt } = await begin();
    await choose(address, "sarah");
    const { id } = await identity.finish(await choose(address, "mark"), attempt);
    expect(id).toBe(sandbox.as("mark").id);
  });

  it.each([
    ["another state", (url: URL) => url.searchParams.set("state", "x".repeat(43))],
    ["no state", (url: URL) => url.searchParams.delete("state")],
    ["two states", (url: URL) => url.searchParams.append("state", "x")],
    ["two codes", (url: URL) => url.searchParams.append("code", "x")],
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://elsewhere.example")],
  ])("requests nothing of Discord for a returned address with %s", async (_, change) => {
    const { identity, begin, choose, routes } = await openWithSandbox();
    const { address, attempt } = await begin();
    const returned = await choose(address, "sarah");
    change(returned);
    expect(await errorOf(identity.finish(returned, attempt))).toMatchObject({ code: "forbidden" });
    expect(routes()).toEqual([]);
  });

  it("accepts the issuer where it is Discord's", async () => {
    const { sandbox, identity, begin, choose } = await openWithSandbox();
    const { address, attempt } = await begin();
    const returned = await choose(address, "sarah");
    returned.searchParams.set("iss", sandbox.url);
    expect((await identity.finish(returned, attempt)).id).toBe(sandbox.as("sarah").id);
  });

  it("takes a code only with the verifier of its own attempt, and only once", async () => {
    const { identity, begin, choose } = await openWithSandbox();
    const [mine, another] = [await begin(), await begin()];
    const returned = await choose(another.address, "mark");
    returned.searchParams.set("state", mine.attempt.state);
    expect(await errorOf(identity.finish(returned, mine.attempt))).toMatchObject({ code: "forbidden" });
    const own = await choose(mine.address, "sarah");
    await identity.finish(own, mine.attempt);
    const again = await errorOf(identity.finish(own, mine.attempt));
    expect([again.code, again.message]).toEqual([
      "forbidden",
      "This sign-in was used before, or has expired; begin again.",
    ]);
  });

  it("says that the person refused", async () => {
    const { identity, begin, choose, routes } = await openWithSandbox();
    const { address, attempt } = await begin();
    const error = await errorOf(identity.finish(await choose(address, ""), attempt));
    expect([error.code, error.message]).toEqual(["forbidden", "You did not allow it at Discord."]);
    expect(routes()).toEqual([]);
  });

  it("says that the secret or the redirect is wrong", async () => {
    const { begin, choose, identity } = await openWithSandbox({ clientSecret: SECRET });
    const { address, attempt } = await begin();
    const error = await errorOf(identity.finish(await choose(address, "sarah"), attempt));
    expect([error.code, error.message]).toEqual([
      "misconfigured",
      expect.stringContaining("EARSHOT_DISCORD_CLIENT_SECRET"),
    ]);
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });

  it("that was ended by another one of the same person says so, and succeeds when it is begun again", async () => {
    const { sandbox, identity, begin, choose, signIn, revokeAfterToken } = await openWithSandbox();
    const { address, attempt } = await begin();
    const returned = await choose(address, "sarah");
    // The revocation of another sign-in arrives between this one's token and its use.
    revokeAfterToken(1);
    expect(await errorOf(identity.finish(returned, attempt))).toMatchObject({ code: "conflict" });
    expect((await signIn("sarah")).id).toBe(sandbox.as("sarah").id);
  });

  it("fails where the token could not be revoked", async () => {
    const { sandbox, signIn } = await openWithSandbox();
    sandbox.faults.failRest({ status: 503, match: "POST /oauth2/token/revoke", times: 1 });
    expect(await errorOf(signIn("sarah"))).toMatchObject({ code: "unavailable" });
  });

  it("revokes the token also where Discord did not say whose it is", async () => {
    const { sandbox, signIn } = await openWithSandbox();
    sandbox.faults.failRest({ status: 503, match: "GET /users/@me", times: 1 });
    expect(await errorOf(signIn("sarah"))).toMatchObject({ code: "unavailable" });
    expect(sandbox.world.authorizations.size).toBe(0);
  });

  it("checks the client secret without a person", async () => {
    const { sandbox, identity } = await openWithSandbox();
    await identity.checkSecret();
    sandbox.faults.failRest({ status: 500, match: "POST /oauth2/token", times: 1 });
    expect(await errorOf(identity.checkSecret())).toMatchObject({ code: "unavailable" });
    const { identity: wrong } = await openWithSandbox({ clientSecret: SECRET });
    expect(await errorOf(wrong.checkSecret())).toMatchObject({ code: "misconfigured" });
  });
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server in the place of Discord, with an answer of its own for one of the three routes. */
async function openHostile(route: string, answer: Answer) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    seen.push(pathname);
    request.resume();
    if (pathname.endsWith(route)) return answer(request, response);
    if (pathname.endsWith("/token")) return json(200, { token_type: "Bearer", access_token: TOKEN })(request, response);
    return json(200, pathname.endsWith("@me") ? { id: "101", username: "sarah" } : {})(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  const identity = new DiscordIdentity({ api, clientId: "1", clientSecret: SECRET, timeoutMs: 300 });
  const signIn = async () => {
    const { attempt } = await identity.begin(new URL(CALLBACK));
    return identity.finish(new URL(`${CALLBACK}?code=c&state=${attempt.state}`), attempt);
  };
  return { signIn, seen };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const html: Answer = (_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`<!doctype html><title>${SECRET} ${TOKEN}</title>`);
};
const silent: Answer = () => undefined;
const stalled: Answer = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"id":');
};
const endless: Answer = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const write = () => {
    if (!response.destroyed) response.write(" ".repeat(16_384), () => setImmediate(write));
  };
  write();
};
const elsewhere: Answer = (_, response) => {
  response.writeHead(307, { location: "/api/elsewhere" });
  response.end();
};
const cut: Answer = ({ socket }) => socket.destroy();

describe("an answer that is not Discord's", () => {
  const broken: [string, Answer][] = [
    ["a page", html],
    ["silence", silent],
    ["half of an answer", stalled],
    ["an endless answer", endless],
    ["a redirect", elsewhere],
    ["a closed connection", cut],
    ["an outage", json(502, {})],
    ["another list", json(200, [1, 2])],
    ["null", json(200, null)],
  ];
  it.each(
    ["/oauth2/token", "/users/@me"].flatMap((route) => broken.map(([what, answer]) => [what, route, answer] as const)),
  )("that is %s for %s is unavailable, in words without secrets", async (_, route, answer) => {
    const { signIn, seen } = await openHostile(route, answer);
    const error = await errorOf(signIn());
    expect(error.code).toBe("unavailable");
    expect(error.message).toMatch(/^Discord cannot be asked/);
    expect(JSON.stringify({ ...error, cause: String(error.cause) })).not.toContain("canary");
    expect(seen.filter((path) => path.endsWith("/elsewhere"))).toEqual([]);
    // A token that was given out is revoked in any case.
    expect(seen.some((path) => path.endsWith("/revoke"))).toBe(route === "/users/@me");
  });

  it.each(broken.filter(([what]) => !["a page", "another list", "null"].includes(what)))(
    "that is %s for the revocation is unavailable",
    async (_, answer) => {
      const { signIn } = await openHostile("/revoke", answer);
      expect((await errorOf(signIn())).code).toBe("unavailable");
    },
  );

  it.each([
    ["another type of token", { token_type: "MAC", access_token: TOKEN }],
    ["no token", { token_type: "Bearer" }],
    ["a token that is no text", { token_type: "Bearer", access_token: 7 }],
  ])("that gives %s is unavailable", async (_, body) => {
    const { signIn, seen } = await openHostile("/oauth2/token", json(200, body));
    expect((await errorOf(signIn())).code).toBe("unavailable");
    expect(seen.some((path) => path.endsWith("@me"))).toBe(false);
  });

  it("passes on how long to wait where Discord limits the rate", async () => {
    const { signIn } = await openHostile("/oauth2/token", json(429, {}, { "retry-after": "7" }));
    expect(await errorOf(signIn())).toMatchObject({ code: "unavailable", retryAfter: 7 });
  });

  it("that is no person's account is refused, whatever it holds", async () => {
    const { signIn: asBot } = await openHostile("/users/@me", json(200, { id: "9", username: "bot", bot: true }));
    expect((await errorOf(asBot())).code).toBe("forbidden");
    let self: unknown;
    const { signIn } = await openHostile("/users/@me", (request, response) => json(200, self)(request, response));
    const id = fc.oneof(fc.string(), fc.integer(), fc.constant(undefined), fc.constant("101"));
    const name = fc.oneof(fc.string({ maxLength: 120 }), fc.integer(), fc.constant(null), fc.constant(undefined));
    const selves = fc.record({ id, username: name, global_name: name });
    await fc.assert(
      fc.asyncProperty(selves, async (one) => {
        self = one;
        const isText = (value: unknown): value is string => typeof value === "string" && value.length <= 100;
        const isSound =
          typeof one.id === "string" &&
          (one.id === "0" || /^[1-9]\d{0,19}$/.test(one.id)) &&
          isText(one.username) &&
          one.username !== "" &&
          (one.global_name === null || one.global_name === undefined || isText(one.global_name));
        if (isSound) expect(await signIn()).toEqual({ id: one.id, name: one.global_name || one.username });
        else expect((await errorOf(signIn())).code).toBe("unavailable");
      }),
      { numRuns: 60 },
    );
  });
});
