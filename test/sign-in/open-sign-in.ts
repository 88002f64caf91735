import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import { type App, openApp } from "../../src/app/app.ts";
import { type ConfigInput, toConfig } from "../../src/config/config.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { databaseConfig } from "../support/test-database.ts";
import { PlainBrowser } from "./browser.ts";

export const REDIRECT = "http://127.0.0.1:5555/callback";

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

export const PUBLIC = "https://earshot.example.org";

/** Earshot with a public address and a proxy in front of it, on a sandbox that outlives it. */
export async function openPublic(
  config: ConfigInput = {},
  outside?: { readonly sandbox: Sandbox; readonly dataDir: string },
) {
  const sandbox = outside?.sandbox ?? (await openTestSandbox({ community: sampleCommunity(), rateLimits: false }));
  sandbox.admin.setRedirects([`${PUBLIC}/oauth/callback`]);
  const [application] = sandbox.world.applications.values();
  const discord = { token: sandbox.token, api: sandbox.api, clientSecret: application?.clientSecret };
  const server = { port: 0, publicUrl: PUBLIC };
  const opened = await openSigningIn({ ...config, discord, server: { ...server, ...config.server } }, outside?.dataDir);
  return { ...opened, sandbox, ...toSignInSteps(PUBLIC, opened.app.url) };
}

/** Earshot on its own sandbox, as after `npm start`. */
export async function openSigningIn(config: ConfigInput = {}, folder?: string) {
  const dataDir = folder ?? mkdtempSync(join(tmpdir(), "earshot-sign-in-"));
  const complaints: unknown[] = [];
  const complain = (...all: unknown[]) => {
    // That the disk is slow says something about the machine alone.
    if (!JSON.stringify(all).includes("slow_writes")) complaints.push(all);
  };
  const log = { debug() {}, info() {}, warn: complain, error: complain };
  const app: App = await openApp(
    toConfig({
      server: { port: 0 },
      sandbox: { port: 0, talkEverySeconds: 0 },
      ...config,
      dataDir,
      ...(await databaseConfig(dataDir)),
    }),
    log as never,
  );
  let isOpen = true;
  const close = async () => {
    if (isOpen) await app.close();
    isOpen = false;
  };
  onTestFinished(async () => {
    await close();
    if (folder === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
  return { app, dataDir, close, complaints, ...toSignInSteps(app.url) };
}

/** What a program and a person's browser do. */
export function toSignInSteps(base: string, local = base) {
  const at = (path: string) => new URL(path, local);
  const reach = (url: URL) => (url.origin === base ? at(url.pathname + url.search) : url);

  async function register(more: object = {}): Promise<string> {
    const response = await fetch(at("/oauth/register"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "An editor",
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "none",
        ...more,
      }),
    });
    const body = (await response.json()) as { client_id?: string };
    if (response.status !== 201) throw new Error(JSON.stringify(body));
    return body.client_id ?? "";
  }

  function begin(clientId: string, more: Record<string, string> = {}) {
    const verifier = randomBytes(32).toString("base64url");
    const url = new URL("/oauth/authorize", base);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    url.search = new URLSearchParams({
      ...{ response_type: "code", client_id: clientId, redirect_uri: REDIRECT, state: "of-the-program" },
      ...{ code_challenge: challenge, code_challenge_method: "S256", resource: `${base}/mcp`, ...more },
    }).toString();
    return { url, verifier, redirect: more["redirect_uri"] ?? REDIRECT };
  }

  /** Up to our page. */
  async function reachPage(url: URL, as: string, browser = new PlainBrowser(reach), redirect = REDIRECT) {
    const isEnd = (where: URL) => where.href.startsWith(redirect);
    const choice = await browser.follow(url, isEnd);
    if (!choice.url.pathname.startsWith("/oauth2/authorize"))
      return { ...choice, browser, html: (await choice.response?.text()) ?? "" };
    const body = new URLSearchParams({ as });
    const page = await browser.follow(choice.url, isEnd, { method: "POST", body });
    return { ...page, browser, html: (await page.response?.text()) ?? "" };
  }

  async function answerPage(
    { url, html, browser }: { url: URL; html: string; browser: PlainBrowser },
    {
      allow,
      days = "30",
      decision = "allow",
      redirect = REDIRECT,
    }: { allow?: readonly string[]; days?: string; decision?: string; redirect?: string } = {},
  ) {
    const key = /name="key" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const ticked = allow ?? [...html.matchAll(/name="allow" value="(\w+)" checked/g)].map(([, name]) => name ?? "");
    const body = new URLSearchParams({ key, decision, days });
    for (const one of ticked) body.append("allow", one);
    return browser.follow(url, (where) => where.href.startsWith(redirect), { method: "POST", body });
  }

  async function token(fields: Record<string, string>) {
    const response = await fetch(at("/oauth/token"), { method: "POST", body: new URLSearchParams(fields) });
    return { status: response.status, body: (await response.json()) as Tokens & { error?: string } };
  }

  function exchange(clientId: string, code: string, verifier: string, redirect = REDIRECT) {
    return token({
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: redirect,
    });
  }

  function refresh(clientId: string, refreshToken: string) {
    return token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken });
  }

  /** All of it. */
  async function signIn(as: string, options: { allow?: readonly string[]; clientId?: string; days?: string } = {}) {
    const clientId = options.clientId ?? (await register());
    const { url, verifier } = begin(clientId);
    const back = await answerPage(await reachPage(url, as), options);
    const code = back.url.searchParams.get("code") ?? "";
    const { status, body } = await exchange(clientId, code, verifier);
    if (status !== 200) throw new Error(JSON.stringify([back.url.href, body]));
    return { clientId, code, verifier, ...body };
  }

  /** One call by MCP 2026-07-28, which needs no session. */
  async function callMcp(
    accessToken: string | null,
    name: string,
    args: object = {},
    more: Record<string, string> = {},
  ) {
    return fetch(at("/mcp"), {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...(accessToken !== null && { authorization: `Bearer ${accessToken}` }),
        ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name, ...more },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: {
          ...{ name, arguments: args },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
  }

  return { base, at, register, begin, reachPage, answerPage, token, exchange, refresh, signIn, callMcp };
}
