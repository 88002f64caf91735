import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import { createWorld, openRoutes, temporaryFolder } from "./open-routes.ts";
import { openSigningIn } from "./open-sign-in.ts";

const ADDRESS = "https://editor.example/client.json";
const CALLBACK = "https://editor.example/callback";
const DOCUMENT = { client_id: ADDRESS, client_name: "Editor", redirect_uris: [CALLBACK] };

/** What the web says at each address; an error where it cannot be fetched. */
async function arrive(answer: () => object | number | EarshotError = () => DOCUMENT) {
  const fetched: string[] = [];
  const routes = await openRoutes(createWorld(), join(temporaryFolder(), "earshot.db"), {
    async fetchDocument(url) {
      fetched.push(url);
      const said = answer();
      if (said instanceof EarshotError) throw said;
      return typeof said === "number"
        ? new Response("", { status: said, headers: { location: CALLBACK } })
        : Response.json(said);
    },
  });
  const signIn = async (clientId = ADDRESS, redirect = CALLBACK) => {
    const { url, verifier } = routes.begin(clientId, { redirect_uri: redirect });
    const page = await routes.reachPage(url, "sarah", undefined, redirect);
    const back = await routes.answerPage(page, { redirect });
    const code = back.url.searchParams.get("code") ?? "";
    const { body } = await routes.exchange(clientId, code, verifier, redirect);
    return { page, client: routes.signIns.authenticate(body.access_token ?? "") };
  };
  const isRefused = async (clientId?: string, redirect?: string) => {
    const { page, client } = await signIn(clientId, redirect);
    expect(page.html).not.toContain("Editor");
    return page.response?.status === 400 && client === null;
  };
  return { ...routes, fetched, signIn, isRefused };
}

describe("a program that names the address of its metadata", () => {
  it("is signed in without a registration, by the name and address that stand there, whatever else it asks for", async () => {
    const { signIn, fetched } = await arrive(() => ({
      ...DOCUMENT,
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      scope: "everything",
      token_endpoint_auth_method: "private_key_jwt",
    }));
    const { page, client } = await signIn();
    expect(page.html).toContain("The program at <strong><bdi>editor.example</bdi></strong> asks");
    expect(client?.name).toMatch(/^signin:/);
    expect(fetched).toEqual([ADDRESS]);
  });

  it.each<[string, object | number | EarshotError]>([
    ["names another client", { ...DOCUMENT, client_id: "https://evil.example/client.json" }],
    ["names none", { client_name: "Editor", redirect_uris: [CALLBACK] }],
    ["has no address to return to", { client_id: ADDRESS, client_name: "Editor" }],
    ["returns to an open address", { ...DOCUMENT, redirect_uris: ["http://editor.example/callback"] }],
    ["redirects", 302],
    ["is not there", 404],
    ["is no object", [DOCUMENT]],
    ["must not be fetched", new EarshotError("forbidden", "It is not on the public internet.")],
    ["is too large", new EarshotError("unsupported", "It is too large.")],
  ])("is refused where that document %s", async (_, said) => {
    const { isRefused } = await arrive(() => said);
    expect(await isRefused()).toBe(true);
  });

  it("is refused at an address of its own with the metadata of another", async () => {
    const { isRefused } = await arrive();
    expect(await isRefused("https://evil.example/client.json", CALLBACK)).toBe(true);
    expect(await isRefused(ADDRESS, "https://evil.example/callback")).toBe(true);
  });

  it("is fetched for a token only where somebody has signed that program in: others would fetch what they like through Earshot", async () => {
    const { fetched, signIn, token, refresh, at } = await arrive();
    const ask = (clientId: string) => refresh(clientId, "x");
    expect((await ask(ADDRESS)).body.error).toBe("invalid_client");
    await fetch(at("/oauth/revoke"), {
      method: "POST",
      body: new URLSearchParams({ client_id: ADDRESS, token: "x" }),
    });
    expect(fetched).toEqual([]);
    await signIn();
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() + 2 * 24 * 60 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await ask(ADDRESS)).body.error).toBe("invalid_grant");
    expect((await token({ grant_type: "refresh_token", client_id: `${ADDRESS}2` })).status).toBe(400);
    expect(new Set(fetched)).toEqual(new Set([ADDRESS]));
  });

  it.each(["http://editor.example/client.json", "https://editor.example/../client.json", "https://a@editor.example/c"])(
    "is not looked for at %s",
    async (address) => {
      const { isRefused, fetched } = await arrive();
      expect(await isRefused(address)).toBe(true);
      expect(fetched).toEqual([]);
    },
  );

  it("is sent to where the person saw that it would go, although its document says otherwise by then", async () => {
    let document = DOCUMENT;
    const { begin, reachPage, answerPage, exchange, signIns } = await arrive(() => document);
    const { url, verifier } = begin(ADDRESS, { redirect_uri: CALLBACK });
    const page = await reachPage(url, "sarah", undefined, CALLBACK);
    document = { ...DOCUMENT, client_name: "Evil", redirect_uris: ["https://evil.example/callback"] };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const back = await answerPage(page, { redirect: CALLBACK });
    expect(back.url.href).not.toContain("evil.example");
    const code = back.url.searchParams.get("code") ?? "";
    const evil = await exchange(ADDRESS, code, verifier, "https://evil.example/callback");
    expect(evil.status).not.toBe(200);
    expect(signIns.authenticate(evil.body.access_token ?? "")).toBeNull();
  });

  it("has to register where Earshot has no https address", async () => {
    const { begin, at } = await openSigningIn();
    const { url } = begin(ADDRESS, { redirect_uri: CALLBACK });
    expect((await fetch(at(url.pathname + url.search), { redirect: "manual" })).status).toBe(400);
  });
});

describe("registrations", () => {
  it("are a thousand at most, of which those that nobody signed in are gone after a day", async () => {
    const { register, reachPage, begin } = await arrive();
    const first = await register();
    for (let count = 1; count < 1_000; count += 1) await register();
    await expect(register()).rejects.toThrow("too many programs are registered");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60_000 + 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    await register();
    expect((await reachPage(begin(first).url, "sarah")).response?.status).toBe(400);
  });
});
