import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startCommand } from "../support/program.ts";
import { openSigningIn, toSignInSteps } from "./open-sign-in.ts";

/** As the programs register that people use. */
const PROGRAMS: Readonly<
  Record<string, { readonly redirect_uris: readonly string[]; readonly [name: string]: unknown }>
> = {
  Claude: {
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
    scope: "claudeai",
  },
  "Visual Studio Code": {
    redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  Cursor: {
    redirect_uris: ["cursor://anysphere.cursor-retrieval/oauth/user-earshot/callback"],
    token_endpoint_auth_method: "none",
    client_uri: "https://cursor.com",
  },
  "A web page": {
    redirect_uris: ["http://localhost:3334/oauth/callback"],
    application_type: "web",
    token_endpoint_auth_method: "client_secret_post",
    logo_uri: "not an address",
  },
  "Nothing but addresses": { redirect_uris: ["http://[::1]:7/"] },
};

it("earshot start without any setting prints the address by which a program is added and signed in", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-sign-in-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const running = startCommand(["start"], env, folder);
  await running.prints("Stop with");
  const [, base = ""] = /Sign-in {5}add (http:\/\/127\.0\.0\.1:\d+)\/mcp to Claude/.exec(running.out) ?? [];
  const { signIn, callMcp } = toSignInSteps(base);
  expect(await (await callMcp(null, "discord_guilds")).text()).toContain("sign in with Discord");
  const { access_token } = await signIn("sarah");
  expect(await (await callMcp(access_token, "discord_guilds")).text()).toContain("Harbourside");
});

describe("a program that registers", () => {
  it.each(Object.entries(PROGRAMS))("is a public client, whatever else it asks for: %s", async (name, metadata) => {
    const { at, begin, reachPage, answerPage, exchange, callMcp } = await openSigningIn();
    const registered = await fetch(at("/oauth/register"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: name, response_types: ["code"], ...metadata }),
    });
    const client = (await registered.json()) as { client_id: string };
    expect([registered.status, client]).toMatchObject([201, { token_endpoint_auth_method: "none", client_name: name }]);
    expect(client).not.toHaveProperty("client_secret");
    for (const redirect of metadata.redirect_uris) {
      const { url, verifier } = begin(client.client_id, { redirect_uri: redirect });
      const page = await reachPage(url, "sarah", undefined, redirect);
      const back = await answerPage(page, { redirect });
      const code = back.url.searchParams.get("code") ?? "";
      const { body } = await exchange(client.client_id, code, verifier, redirect);
      expect((await callMcp(body.access_token, "discord_guilds")).status).toBe(200);
    }
  });
});
