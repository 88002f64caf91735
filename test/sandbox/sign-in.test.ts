import { createHash } from "node:crypto";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const CALLBACK = "http://127.0.0.1:8080/callback";
const VERIFIER = "a-verifier-of-at-least-forty-three-characters";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

type Fields = Readonly<Record<string, string>>;

/** A program with which people sign in: the sandbox's main application, or another one. */
async function openProgram(opened?: Sandbox, bot?: string) {
  const sandbox = opened ?? (await openTestSandbox({ rateLimits: false }));
  sandbox.admin.setRedirects([CALLBACK], bot);
  const info = (await (await fetch(`${sandbox.url}/sandbox/info`)).json()) as {
    bots: { name: string; id: string; client_secret: string }[];
  };
  const application = info.bots.find(({ name }) => bot === undefined || name === bot);
  const client: Fields = { client_id: application?.id ?? "", client_secret: application?.client_secret ?? "" };
  const page = (more: Fields = {}) => {
    const query = { ...{ response_type: "code", scope: "identify", state: "s1" }, redirect_uri: CALLBACK, ...more };
    return `${sandbox.url}/oauth2/authorize?${new URLSearchParams({ client_id: client["client_id"] ?? "", ...query })}`;
  };
  const choose = async (form: Fields, more: Fields = {}) => {
    const answer = await fetch(page(more), { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
    return new URL(answer.headers.get("location") ?? `error:${answer.status} ${await answer.text()}`);
  };
  const post = async (path: string, form: Fields, headers: Fields = {}) => {
    const answer = await fetch(`${sandbox.api}${path}`, { method: "POST", body: new URLSearchParams(form), headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const codeOf = async (as: string, more: Fields = {}) => (await choose({ as }, more)).searchParams.get("code") ?? "";
  const exchange = (code: string, more: Fields = {}) =>
    post("/oauth2/token", { ...client, grant_type: "authorization_code", code, redirect_uri: CALLBACK, ...more });
  const signIn = async (as: string, more: Fields = {}) =>
    String((await exchange(await codeOf(as, more))).body["access_token"]);
  const get = async (path: string, token: string) => {
    const answer = await fetch(`${sandbox.api}/v10${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { sandbox, client, page, choose, post, codeOf, exchange, signIn, get };
}

describe("signing in with the sandbox", () => {
  it("shows a page with the people, and the chosen one's token tells who they are", async () => {
    const { sandbox, client, page, choose, post, get } = await openProgram();
    sandbox.admin.createPerson("x'\"><script>alert(1)</script>");
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: "S256" };
    const shown = await fetch(page(pkce), { headers: { "sec-fetch-site": "cross-site" } });
    const html = await shown.text();
    const sarah = sandbox.as("sarah").id;
    expect(html).toContain(`value="${sarah}"`);
    expect(html).not.toContain("<script");
    expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const back = await choose({ as: sarah }, pkce);
    expect([back.origin + back.pathname, back.searchParams.get("state")]).toEqual([CALLBACK, "s1"]);
    const basic = Buffer.from(`${client["client_id"]}:${client["client_secret"]}`).toString("base64");
    const form = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      code_verifier: VERIFIER,
    };
    const tokens = await post(
      "/v10/oauth2/token",
      { ...form, redirect_uri: CALLBACK },
      { authorization: `Basic ${basic}` },
    );
    expect(tokens).toMatchObject({
      status: 200,
      body: { token_type: "Bearer", expires_in: 604_800, scope: "identify" },
    });
    const token = String(tokens.body["access_token"]);
    const self = await get("/users/@me", token);
    expect(self).toMatchObject({ status: 200, body: { id: sarah, username: "sarah" } });
    expect(self.body).not.toHaveProperty("email");
    const { body } = await get("/oauth2/@me", token);
    expect(body).toMatchObject({ application: { id: client["client_id"] }, scopes: ["identify"], user: { id: sarah } });
  });

  it("opens with a token only the routes of its scopes, and none once it has expired", async () => {
    const { sandbox, client, signIn, get } = await openProgram();
    const token = await signIn("sarah");
    const limited = { status: 403, body: { code: 50026, message: "Missing required OAuth2 scope" } };
    expect(await get("/users/@me/guilds", token)).toEqual(limited);
    expect((await get("/users/@me/guilds", await signIn("sarah", { scope: "identify guilds" }))).status).toBe(200);
    expect((await get("/gateway/bot", token)).status).toBe(401);
    expect((await get("/users/@me", sandbox.token)).status).toBe(401);
    sandbox.advanceTime(604_800_000);
    expect(await get("/users/@me", token)).toEqual({ status: 401, body: { message: "401: Unauthorized", code: 0 } });
    expect(client["client_secret"]).not.toBe("");
  });

  it("ends all tokens of a person for the application when one of them is revoked, and no others", async () => {
    const one = await openProgram();
    one.sandbox.admin.createBot("another");
    const other = await openProgram(one.sandbox, "another");
    const [first, second] = [await one.signIn("sarah"), await one.signIn("sarah")];
    const [marks, elsewhere] = [await one.signIn("mark"), await other.signIn("sarah")];
    const statuses = () =>
      Promise.all([first, second, marks, elsewhere].map(async (token) => (await one.get("/users/@me", token)).status));
    const revoke = (client: Fields, token: string) => one.post("/oauth2/token/revoke", { ...client, token });
    expect(await revoke(other.client, first)).toEqual({ status: 200, body: {} });
    expect(await revoke(one.client, "unknown")).toEqual({ status: 200, body: {} });
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect(await revoke(one.client, first)).toEqual({ status: 200, body: {} });
    expect(await statuses()).toEqual([401, 401, 200, 200]);
  });

  it("gives a new pair of tokens for a refresh token, once", async () => {
    const { client, codeOf, exchange, post, get } = await openProgram();
    const { body } = await exchange(await codeOf("sarah"));
    const form = { ...client, grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    const fresh = await post("/oauth2/token", form);
    expect(fresh.status).toBe(200);
    expect((await get("/users/@me", String(fresh.body["access_token"]))).status).toBe(200);
    expect((await get("/users/@me", String(body["access_token"]))).status).toBe(401);
    expect(await post("/oauth2/token", form)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("takes a code once, from its own program, for its own address, in time and with its verifier", async () => {
    const one = await openProgram();
    one.sandbox.admin.createBot("another");
    const other = await openProgram(one.sandbox, "another");
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: "S256" };
    const invalid = (field: string) => ({
      status: 400,
      body: { error: "invalid_grant", error_description: `Invalid "${field}" in request.` },
    });
    const used = await one.codeOf("sarah");
    expect((await one.exchange(used)).status).toBe(200);
    expect(await one.exchange(used)).toEqual(invalid("code"));
    expect(await other.exchange(await one.codeOf("sarah"))).toEqual(invalid("code"));
    expect(await one.exchange(await one.codeOf("sarah"), { redirect_uri: `${CALLBACK}/` })).toEqual(
      invalid("redirect_uri"),
    );
    expect(await one.exchange(await one.codeOf("sarah", pkce))).toEqual(invalid("code_verifier"));
    expect(await one.exchange(await one.codeOf("sarah", pkce), { code_verifier: `${VERIFIER}x` })).toEqual(
      invalid("code_verifier"),
    );
    const late = await one.codeOf("sarah");
    one.sandbox.advanceTime(600_000);
    expect(await one.exchange(late)).toEqual(invalid("code"));
  });

  it("answers a program that fails to prove itself, or asks for something else, in OAuth's words", async () => {
    const { client, exchange, post, sandbox } = await openProgram();
    expect(await exchange("c", { client_secret: "wrong" })).toEqual({ status: 401, body: { error: "invalid_client" } });
    const json = { method: "POST", body: JSON.stringify(client), headers: { "content-type": "application/json" } };
    expect((await fetch(`${sandbox.api}/oauth2/token`, json)).status).toBe(401);
    const unsupported = { error: "unsupported_grant_type", error_description: "Grant type None is not supported" };
    expect(await post("/oauth2/token", client)).toEqual({ status: 400, body: unsupported });
    const missing = { error: "invalid_request", error_description: 'Missing "token" in request.' };
    expect(await post("/oauth2/token/revoke", client)).toEqual({ status: 400, body: missing });
  });

  it("returns to the program with Discord's error when the person refuses or the request is wrong", async () => {
    const { choose } = await openProgram();
    const errorOf = ({ searchParams }: URL) => [searchParams.get("error"), searchParams.get("state")];
    expect(errorOf(await choose({}))).toEqual(["access_denied", "s1"]);
    expect(errorOf(await choose({ as: "sarah" }, { scope: "everything" }))).toEqual(["invalid_scope", "s1"]);
    const token = await choose({ as: "sarah" }, { response_type: "token" });
    expect(errorOf(token)).toEqual(["unsupported_response_type", "s1"]);
  });

  it("returns to no address that is not registered to the letter, and knows no other applications and no bots as people", async () => {
    const { choose } = await openProgram();
    for (const redirect_uri of [`${CALLBACK}/`, `${CALLBACK}?x`, "http://127.0.0.1:8081/callback"])
      expect((await choose({ as: "sarah" }, { redirect_uri })).href).toContain("error:400");
    expect((await choose({ as: "sarah" }, { client_id: "1" })).href).toContain("error:404");
    expect((await choose({ as: "earshot" })).href).toContain("error:400");
  });

  it("lets nobody choose a person from another host or another page", async () => {
    const { page, sandbox } = await openProgram();
    const status = (method: string, headers: Fields) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { pathname, search, hostname, port } = new URL(page());
        const options = { hostname, port, path: pathname + search, method, headers };
        const sent = request(options, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on("error", reject);
        sent.end(method === "POST" ? "as=sarah" : undefined);
      });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await status("POST", { ...form, origin: sandbox.url, "sec-fetch-site": "same-origin" })).toBe(302);
    expect(await status("POST", { ...form, origin: "https://elsewhere.example" })).toBe(403);
    expect(await status("POST", { ...form, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status("GET", { host: "sandbox.example.org" })).toBe(403);
    expect(await status("POST", { ...form, host: "sandbox.example.org" })).toBe(403);
  });

  it("keeps the registered addresses at a reset, and no tokens", async () => {
    const { sandbox, signIn, get, choose } = await openProgram();
    const token = await signIn("sarah");
    sandbox.reset();
    expect((await get("/users/@me", token)).status).toBe(401);
    expect((await choose({ as: "sarah" })).searchParams.has("code")).toBe(true);
  });
});
