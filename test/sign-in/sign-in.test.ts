import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openPublic, openSigningIn, REDIRECT } from "./open-sign-in.ts";

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
}

describe("a program that a person signs in", () => {
  it("needs nothing but the address, and reads what that person may read, neither more nor less", async () => {
    const { app, signIn, callMcp, complaints } = await openSigningIn();
    const args = { server: app.sandbox?.community.guild.id };
    const seen = [];
    for (const person of ["sarah", "mark"]) {
      const { access_token } = await signIn(person);
      const answer = (await (await callMcp(access_token, "discord_guild_channels", args)).json()) as Answer;
      const gate = await app.as(app.sandbox?.as(person).id ?? "", "private").call("discord_guild_channels", args);
      expect(answer.result?.structuredContent).toEqual(gate.value);
      seen.push(answer.result?.structuredContent);
    }
    expect(seen[0]).not.toEqual(seen[1]);
    expect(complaints).toEqual([]);
  });

  it("is told where to sign in, by a refusal and by metadata with and without the path of the resource", async () => {
    const { base, at, callMcp } = await openSigningIn();
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    const refused = await callMcp(null, "discord_guilds");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer scope="read search people private_facts direct_messages ask remember post", resource_metadata="${metadata}"`,
    );
    for (const path of ["", "/mcp"]) {
      const answer = await (await fetch(at(`/.well-known/oauth-protected-resource${path}`))).json();
      expect(answer).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
    }
    const server = await (await fetch(at("/.well-known/oauth-authorization-server"))).json();
    expect(server).toMatchObject({
      issuer: base,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    });
    expect((await fetch(at("/.well-known/openid-configuration"))).status).toBe(404);
  });

  it("gets a new pair of tokens for each refresh token, and loses its sign-in where one is used twice", async () => {
    const { signIn, refresh, callMcp } = await openSigningIn();
    const statusWith = async (token: string) => (await callMcp(token, "discord_guilds")).status;
    const other = await signIn("sarah");
    const first = await signIn("sarah");
    const second = await refresh(first.clientId, first.refresh_token);
    expect([second.status, await statusWith(second.body.access_token)]).toEqual([200, 200]);
    expect((await refresh(first.clientId, first.refresh_token)).body.error).toBe("invalid_grant");
    expect(await statusWith(second.body.access_token)).toBe(401);
    expect((await refresh(first.clientId, second.body.refresh_token)).body.error).toBe("invalid_grant");
    expect(await statusWith(other.access_token)).toBe(200);
  });

  it("whose token is used twice is told of to the person by DM, at most once a day", async () => {
    const { signIn, refresh, app, register, complaints } = await openSigningIn();
    const { sandbox } = app;
    if (!sandbox) throw new Error("there is a sandbox");
    const dm = sandbox.as("sarah").dm("here?").channelId;
    const notices = () =>
      [...(sandbox.world.channels.get(dm)?.messages ?? [])]
        .filter(({ authorId }) => authorId === app.discord.botId)
        .map(({ content }) => content)
        .filter((content) => content.startsWith("A token of"));
    const reuse = async () => {
      const { clientId, refresh_token } = await signIn("sarah", { clientId: await register({ client_name: "E`d**" }) });
      for (let use = 0; use < 2; use += 1) await refresh(clientId, refresh_token);
    };
    await reuse();
    await expect.poll(notices).toHaveLength(1);
    expect(notices()[0]).toMatch(/^A token of `E'd\*\*` on your computer was used twice/);
    await reuse();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 60 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    await reuse();
    await expect.poll(notices).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it("is asked about anew each time, and gets what was ticked and no more", async () => {
    const { register, begin, reachPage, signIn, at, callMcp } = await openSigningIn();
    const clientId = await register();
    const { scope, access_token } = await signIn("sarah", { clientId, allow: ["people"] });
    expect(scope).toBe("people");
    const page = await reachPage(begin(clientId).url, "sarah");
    expect(page.html).toContain("May this program act for you?");
    const revoked = await fetch(at("/oauth/revoke"), {
      method: "POST",
      body: new URLSearchParams({ client_id: clientId, token: access_token }),
    });
    expect(revoked.status).toBe(200);
    expect((await callMcp(access_token, "discord_guilds")).status).toBe(401);
  });

  it("learns the scope to ask for where it calls a tool that the person did not allow, unless the operator lets nobody", async () => {
    const { base, signIn, callMcp } = await openSigningIn({
      policy: { signIn: { allow: ["read", "search", "people", "direct_messages"] } },
    });
    const { access_token } = await signIn("sarah", { allow: ["people"] });
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    for (const [tool, scope] of [
      ["search_messages", "search people"],
      ["discord_dm_messages", "read people direct_messages"],
    ] as const) {
      const refused = await callMcp(access_token, tool, { query: "winch" });
      expect([tool, refused.status, refused.headers.get("www-authenticate")]).toEqual([
        ...[tool, 403],
        `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`,
      ]);
      expect(await refused.text()).toContain("sign in again");
    }
    for (const tool of ["discord_guilds", "discord_send", "nothing"])
      expect([tool, (await callMcp(access_token, tool)).headers.get("www-authenticate")]).toEqual([tool, null]);
  });

  it("goes on in no session of a token that allowed more", async () => {
    const { signIn, token, at } = await openSigningIn();
    const wide = await signIn("sarah", { allow: ["search", "people"] });
    const ask = (accessToken: string, body: object, more: Record<string, string> = {}) =>
      fetch(at("/mcp"), {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
          ...{ authorization: `Bearer ${accessToken}`, ...more },
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
      });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const begun = await ask(wide.access_token, { method: "initialize", params });
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const grant = { grant_type: "refresh_token", client_id: wide.clientId, refresh_token: wide.refresh_token };
    const { body } = await token({ ...grant, scope: "people" });
    const list = async (accessToken: string) => (await ask(accessToken, { method: "tools/list" }, session)).status;
    expect([await list(wide.access_token), await list(body.access_token)]).toEqual([200, 404]);
  });

  it("keeps its tokens over a restart", async () => {
    const first = await openPublic();
    const { access_token, refresh_token, clientId } = await first.signIn("sarah");
    await first.close();
    const second = await openPublic({}, first);
    expect(await (await second.callMcp(access_token, "discord_guilds")).json()).toMatchObject({
      result: { content: {} },
    });
    expect((await second.refresh(clientId, refresh_token)).status).toBe(200);
  });

  it("gets nothing where the person cancels, and Discord is asked nothing for a callback that began elsewhere", async () => {
    const { register, begin, reachPage, answerPage, at } = await openSigningIn();
    const { url } = begin(await register());
    const page = await reachPage(url, "sarah");
    const back = await answerPage(page, { decision: "cancel" });
    expect(back.url.href.startsWith(REDIRECT)).toBe(true);
    expect(Object.fromEntries(back.url.searchParams)).toMatchObject({
      error: "access_denied",
      state: "of-the-program",
    });
    expect((await fetch(at("/oauth/callback?code=stolen&state=guessed"))).status).toBe(400);
  });
});
