import { request } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { PlainBrowser } from "./browser.ts";
import { openPublic, openSigningIn, PUBLIC, REDIRECT } from "./open-sign-in.ts";

const AT_EDITOR = "https://editor.example/callback";

/** Time passes at once; nothing that waits is called. */
function passMinutes(minutes: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
}

/** A request as no library would send it. */
async function ask(url: URL, headers: Record<string, string>, method = "GET", body = "") {
  return new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
    const asked = request(url, { method, headers }, async (answer) => {
      const text = (await answer.toArray()).join("");
      resolve({ status: answer.statusCode ?? 0, text, location: answer.headers.location });
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

describe("the address that a sign-in returns to", () => {
  it("is one that the program registered", async () => {
    const { register, begin, at } = await openSigningIn();
    for (const [registered, redirect] of [
      [AT_EDITOR, `${AT_EDITOR}/`],
      [AT_EDITOR, `${AT_EDITOR}?more`],
      [AT_EDITOR, `${AT_EDITOR}%2f`],
      [AT_EDITOR, "https://editor.example/Callback"],
      [AT_EDITOR, "https://editor.example:444/callback"],
      [AT_EDITOR, "https://editor.example.evil.example/callback"],
      [AT_EDITOR, "https://someone@editor.example/callback"],
      [AT_EDITOR, "http://editor.example/callback"],
      [AT_EDITOR, "https://evil.example/callback"],
      [REDIRECT, "http://127.0.0.1:5555/callback2"],
      [REDIRECT, "http://127.0.0.1.evil.example:5555/callback"],
      [REDIRECT, "https://127.0.0.1:5555/callback"],
    ] as const) {
      const { url } = begin(await register({ redirect_uris: [registered] }), { redirect_uri: redirect });
      const answer = await fetch(at(url.pathname + url.search), { redirect: "manual" });
      expect([redirect, answer.status, answer.headers.get("location")]).toEqual([redirect, 400, null]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("may differ in the port on the person's own computer, and is the same when the code is exchanged", async () => {
    const { register, begin, reachPage, answerPage, exchange } = await openSigningIn();
    const clientId = await register();
    const redirect = "http://127.0.0.1:6666/callback";
    const { url, verifier } = begin(clientId, { redirect_uri: redirect });
    const back = await answerPage(await reachPage(url, "sarah", undefined, redirect), { redirect });
    const code = back.url.searchParams.get("code") ?? "";
    expect((await exchange(clientId, code, verifier, REDIRECT)).body.error).toBe("invalid_grant");
    expect((await exchange(clientId, code, verifier, redirect)).status).toBe(200);
  });

  it("cannot be registered where nothing may be sent", async () => {
    const { register } = await openSigningIn();
    for (const redirect of [
      "http://editor.example/callback",
      "javascript:alert(1)",
      "data:text/html,x",
      `${AT_EDITOR}#x`,
      "https://localhost/callback",
      "no address",
    ])
      await expect(register({ redirect_uris: [redirect] }), redirect).rejects.toThrow(
        /invalid_(redirect_uri|client_metadata)/,
      );
  });
});

it.each([
  "webcal://evil.example/cb",
  "web+evil:cb",
  "mailto:evil@evil.example",
  "ftp://evil.example/cb",
  "webcal://localhost/cb",
  "ldap://evil.example/cb",
  "microsoft-edge:https://evil.example/cb",
  "googlechrome://evil.example/cb",
  "x-safari-https://evil.example/cb",
  "firefox://open-url/https://evil.example/cb",
  "steam://openurl/https%3A%2F%2Fevil.example",
])(
  "a program is refused before anybody is asked at an address that only looks as if it were on the person's computer: %s",
  async (redirect) => {
    const { register, begin, reachPage, answerPage } = await openSigningIn();
    const { url } = begin(await register({ redirect_uris: [redirect] }), { redirect_uri: redirect });
    const page = await reachPage(url, "sarah", undefined, redirect);
    expect([page.response?.status, page.url.pathname]).toEqual([403, expect.stringMatching(/^\/oauth\/sign-in\//)]);
    expect(page.html).toContain("does not let this program be signed in");
    const back = await answerPage(page, { redirect, allow: ["read"] });
    expect([back.url.searchParams.get("code"), back.url.searchParams.get("error")]).toEqual([null, "access_denied"]);
  },
);

it.each([
  ["does not know", {}, "does not know this program"],
  ["did not register that address for", { redirect_uri: AT_EDITOR }, "an address that it did not register"],
])("a browser that comes for a program that Earshot %s is told what to do", async (_, more, told) => {
  const { register, begin, at } = await openSigningIn();
  const { url } = begin("redirect_uri" in more ? await register() : "gone", more);
  const answer = await fetch(at(url.pathname + url.search));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(told)]);
});

describe("a code", () => {
  it("is for the program that asked, and for who has its verifier, once; a second use ends what the first brought", async () => {
    const { register, begin, reachPage, answerPage, exchange, token, callMcp } = await openSigningIn();
    const clientId = await register();
    const { url, verifier } = begin(clientId);
    const back = await answerPage(await reachPage(url, "sarah"));
    const code = back.url.searchParams.get("code") ?? "";
    expect(back.url.searchParams.get("iss")).toBe(url.origin);
    const fields = { grant_type: "authorization_code", client_id: clientId, code, redirect_uri: REDIRECT };
    const refused = [
      await exchange(await register(), code, verifier),
      await exchange(clientId, code, "x".repeat(43)),
      await token(fields),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    const { status, body } = await exchange(clientId, code, verifier);
    expect([status, (await callMcp(body.access_token, "discord_guilds")).status]).toEqual([200, 200]);
    expect((await exchange(clientId, code, verifier)).body.error).toBe("invalid_grant");
    expect((await callMcp(body.access_token, "discord_guilds")).status).toBe(401);
  });

  it.each([
    ["without a challenge", { code_challenge: "", code_challenge_method: "" }],
    ["with a challenge in the open", { code_challenge: "x".repeat(43), code_challenge_method: "plain" }],
  ])("is not asked for %s", async (_, more) => {
    const { register, begin, reachPage } = await openSigningIn();
    const { url } = await reachPage(begin(await register(), more).url, "sarah");
    expect(url.searchParams.get("error")).toBe("invalid_request");
  });

  it.each(["form_post", "fragment"])(
    "goes into the address that the browser returns to, where a program asks for %s too",
    async (mode) => {
      const { register, begin, reachPage, answerPage } = await openSigningIn();
      const { url } = begin(await register(), { response_mode: mode });
      expect((await answerPage(await reachPage(url, "sarah"))).url.searchParams.get("code")).not.toBeNull();
    },
  );

  it("is asked for this resource, or for none by name", async () => {
    const { register, begin, reachPage, answerPage, token, callMcp } = await openSigningIn();
    const clientId = await register();
    for (const resource of ["https://elsewhere.example/mcp", `${begin(clientId).url.origin}/console`]) {
      const { url } = await reachPage(begin(clientId, { resource }).url, "sarah");
      expect(url.searchParams.get("error")).toBe("invalid_target");
    }
    const signIn = async () => {
      const { url, verifier } = begin(clientId);
      url.searchParams.delete("resource");
      const back = await answerPage(await reachPage(url, "sarah"));
      return { code: back.url.searchParams.get("code") ?? "", code_verifier: verifier };
    };
    const fields = { grant_type: "authorization_code", client_id: clientId, redirect_uri: REDIRECT };
    const elsewhere = await token({ ...fields, ...(await signIn()), resource: "https://elsewhere.example/mcp" });
    expect(elsewhere.body.error).toBe("invalid_target");
    const { body } = await token({ ...fields, ...(await signIn()) });
    expect((await callMcp(body.access_token, "discord_guilds")).status).toBe(200);
  });
});

describe("the page that asks the person", () => {
  it("takes no answer from another page, without its key, or from another browser", async () => {
    const { register, begin, reachPage, answerPage } = await openSigningIn();
    const page = await reachPage(begin(await register()).url, "sarah");
    const key = /name="key" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const post = async (browser: PlainBrowser, form: Record<string, string>, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ decision: "allow", days: "30", allow: "read", ...form });
      const answer = await browser.open(page.url, { method: "POST", body, headers });
      return [answer.status, answer.headers.get("location")];
    };
    const refused = [400, null];
    expect(await post(page.browser, { key }, { origin: "https://evil.example" })).toEqual(refused);
    expect(await post(page.browser, { key }, { origin: "null" })).toEqual(refused);
    expect(await post(page.browser, { key: "x".repeat(key.length) })).toEqual(refused);
    expect(await post(page.browser, {})).toEqual(refused);
    expect(await post(new PlainBrowser(), { key })).toEqual(refused);
    // All of it changed nothing for the person.
    expect((await answerPage(page)).url.searchParams.get("code")).not.toBeNull();
    // An answer counts once.
    expect((await answerPage(page)).url.searchParams.get("code")).toBeNull();
  });

  it("is not reached with somebody else's way back from Discord, nor with that of another issuer, and Discord hears of neither", async () => {
    const { register, begin, reachPage, at, app } = await openSigningIn();
    const browser = new PlainBrowser();
    const isEnd = (url: URL) => url.pathname === "/oauth/callback";
    const { url } = begin(await register());
    // The attacker is Mark, who stops on the way back from Discord.
    const choice = await browser.follow(url, isEnd);
    const body = new URLSearchParams({ as: "mark" });
    const returning = (await browser.follow(choice.url, isEnd, { method: "POST", body })).url;
    const codes = () => app.sandbox?.world.codes.size;
    const before = codes();
    expect(before).toBeGreaterThan(0);
    // Sarah's browser, which has begun nothing, or a sign-in of its own.
    expect((await new PlainBrowser().open(returning)).status).toBe(400);
    const hers = new PlainBrowser();
    await hers.follow(begin(await register()).url, ({ pathname }) => pathname.startsWith("/oauth2/"));
    expect((await hers.open(returning)).status).toBe(400);
    const mixedUp = new URL(returning);
    mixedUp.searchParams.set("iss", "https://elsewhere.example");
    const page = await browser.follow(mixedUp, () => false);
    expect(await page.response?.text()).toContain("This is not the answer to your sign-in");
    expect(codes()).toBe(before);
    expect((await reachPage(begin(await register()).url, "sarah")).html).toContain("May this program act for you?");
    expect(at("/").origin).toBe(app.url);
  });

  it("is in no frame, loads nothing, and is kept by no cache, like every refusal", async () => {
    const { register, begin, reachPage, at } = await openSigningIn();
    const page = await reachPage(begin(await register()).url, "sarah");
    for (const response of [
      page.response,
      await fetch(at("/oauth/authorize?client_id=none")),
      await fetch(at("/oauth/callback?state=x")),
      await fetch(at("/oauth/sign-in/none")),
    ]) {
      expect(response?.headers.get("x-frame-options")).toBe("DENY");
      expect(response?.headers.get("content-security-policy")).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
      expect(response?.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("shows a name in one line, with nothing hidden and no markup in it", async () => {
    const { register, begin, reachPage } = await openSigningIn();
    const name = "\u202eE\u0007\u200bvil\u2028<script>alert(1)</script><img src=x>&\"'";
    const { html } = await reachPage(begin(await register({ client_name: name })).url, "sarah");
    const shown = /that calls itself “<bdi>(.*?)<\/bdi>” asks/s.exec(html)?.[1] ?? "";
    expect(shown).toContain("&lt;script&gt;");
    expect(shown).not.toMatch(/[<>"\p{Cc}\p{Cf}\p{Zl}]/u);
    expect(html).not.toMatch(/<script|<img/);
  });

  it("lets no name end the quotation it stands in, and speak as Earshot", async () => {
    const { register, begin, reachPage } = await openSigningIn();
    for (const mark of ['"', "“", "”", "»", "‟", "＂", "″", "❞", "〞"]) {
      const name = `Claude${mark} asks. Earshot has checked it.`;
      const { html } = await reachPage(begin(await register({ client_name: name })).url, "sarah");
      expect(html).toContain("“<bdi>Claude&#39; asks. Earshot has checked it.</bdi>”");
    }
  });

  it.each([
    ["once asks Discord again", 1, /May this program act for you/],
    ["twice says so", 2, /sign in once more.*Try again/s],
  ])("that another sign-in of the same person ends %s", async (_, times, expected) => {
    const { register, begin, sandbox, app } = await openPublic();
    sandbox.faults.failRest({ status: 401, match: "GET /users/@me", times });
    const browser = new PlainBrowser((one) =>
      one.origin === PUBLIC ? new URL(one.pathname + one.search, app.url) : one,
    );
    const choose = async (url: URL) => {
      const choice = await browser.follow(url, () => false);
      const body = new URLSearchParams({ as: "sarah" });
      return browser.follow(choice.url, () => false, { method: "POST", body });
    };
    const first = await choose(begin(await register()).url);
    // Nobody had to press anything to be at Discord once more.
    expect(first.url.pathname).toBe("/oauth2/authorize");
    const second = await choose(first.url);
    expect(await second.response?.text()).toMatch(expected);
  });

  it("offers to try again where Discord is away", async () => {
    const { register, begin, sandbox, app } = await openPublic();
    const { url } = begin(await register());
    const browser = new PlainBrowser((one) =>
      one.origin === PUBLIC ? new URL(one.pathname + one.search, app.url) : one,
    );
    const isEnd = ({ pathname }: URL) => pathname === "/oauth/callback";
    const choice = await browser.follow(url, isEnd);
    const returning = await browser.follow(choice.url, isEnd, {
      method: "POST",
      body: new URLSearchParams({ as: "sarah" }),
    });
    await sandbox.close();
    const page = await browser.open(returning.url);
    const html = await page.text();
    expect(page.status).toBe(503);
    expect(html).toContain("Discord cannot be asked who you are now");
    expect(html).toMatch(/<a href="\/oauth\/sign-in\/[\w-]+">Try again<\/a>/);
  });
});

describe("a program", () => {
  it("can use neither the tokens of another program nor end them", async () => {
    const { signIn, register, refresh, callMcp, at } = await openSigningIn();
    const signed = await signIn("sarah");
    const other = await register();
    expect((await refresh(other, signed.refresh_token)).body.error).toBe("invalid_grant");
    for (const token of [signed.access_token, signed.refresh_token])
      await fetch(at("/oauth/revoke"), { method: "POST", body: new URLSearchParams({ client_id: other, token }) });
    expect((await callMcp(signed.access_token, "discord_guilds")).status).toBe(200);
    expect((await refresh(signed.clientId, signed.refresh_token)).status).toBe(200);
  });

  it("registers no more often than its address may, whatever it says of where it comes from", async () => {
    const { at } = await openSigningIn();
    const statuses = [];
    for (let count = 0; count < 122; count += 1) {
      const headers = { "content-type": "application/json", "x-forwarded-for": `10.0.0.${count}` };
      const body = JSON.stringify({ redirect_uris: [REDIRECT] });
      statuses.push((await fetch(at("/oauth/register"), { method: "POST", headers, body })).status);
    }
    expect(statuses.indexOf(429)).toBe(120);
  });

  it("is refused what is too large, without a word in the log", async () => {
    const { at, register, begin, reachPage, complaints } = await openSigningIn();
    const page = await reachPage(begin(await register()).url, "sarah");
    const headers = { "content-type": "application/json" };
    const body = "x".repeat(100_000);
    const registered = await fetch(at("/oauth/register"), { method: "POST", headers, body });
    const answered = await page.browser.open(page.url, { method: "POST", body: new URLSearchParams({ key: body }) });
    expect([registered.status, answered.status, complaints]).toEqual([413, 413, []]);
  });

  it("is told the public address alone, whatever Host and forwarding headers say", async () => {
    const { app, register, begin } = await openPublic();
    const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" };
    const metadata = new URL("/.well-known/oauth-authorization-server", app.url);
    const host = new URL(PUBLIC).host;
    expect((await ask(metadata, { ...forged, host: "evil.example" })).status).toBe(403);
    const answer = await ask(metadata, { ...forged, host });
    expect(answer.text).toContain(`"issuer":"${PUBLIC}"`);
    expect(answer.text).not.toContain("evil.example");
    const { pathname, search } = begin(await register()).url;
    const { location } = await ask(new URL(pathname + search, app.url), { ...forged, host });
    expect(new URL(location ?? "", PUBLIC).origin).toBe(PUBLIC);
    expect(location).not.toContain("evil.example");
  });
});

describe("a token", () => {
  it("lasts 15 minutes, and the sign-in as long as the person chose", async () => {
    const { signIn, refresh, callMcp } = await openSigningIn();
    const signed = await signIn("sarah", { days: "1" });
    expect(signed.expires_in).toBe(15 * 60);
    passMinutes(16);
    expect((await callMcp(signed.access_token, "discord_guilds")).status).toBe(401);
    const { body } = await refresh(signed.clientId, signed.refresh_token);
    expect((await callMcp(body.access_token, "discord_guilds")).status).toBe(200);
    passMinutes(24 * 60 - 20);
    const latest = await refresh(signed.clientId, body.refresh_token);
    expect(latest.status).toBe(200);
    passMinutes(10);
    expect((await callMcp(latest.body.access_token, "discord_guilds")).status).toBe(401);
    expect((await refresh(signed.clientId, latest.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("is for this address alone", async () => {
    const first = await openPublic();
    const { access_token } = await first.signIn("sarah");
    expect((await first.callMcp(access_token, "discord_guilds")).status).toBe(200);
    await first.close();
    const moved = await openPublic({ server: { publicUrl: "https://moved.example.org" } }, first);
    expect((await moved.callMcp(access_token, "discord_guilds")).status).toBe(401);
  });

  it("opens nothing of the operator's", async () => {
    const { signIn, at } = await openSigningIn();
    const { access_token } = await signIn("sarah");
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    for (const [method, path] of [
      ["GET", "/metrics"],
      ["GET", "/status"],
      ["POST", "/operator/reload"],
      ["POST", "/operator/console-link"],
      ["POST", "/console/status"],
      ["POST", "/console/session/continue"],
    ] as const) {
      const answer = await fetch(at(path), { method, headers, ...(method === "POST" && { body: "{}" }) });
      expect([path, [401, 403, 404].includes(answer.status)]).toEqual([path, true]);
    }
  });

  it("ends with the person's membership, for good", async () => {
    const { signIn, refresh, callMcp, app, sandbox } = await openPublic();
    const signed = await signIn("sarah");
    const { directory } = app.discord;
    const sarah = sandbox.as("sarah").id as UserId;
    const servers = () => directory.guilds().filter(({ id }) => directory.member(id, sarah));
    expect((await callMcp(signed.access_token, "discord_guilds")).status).toBe(200);
    const left = servers();
    for (const { name } of left) sandbox.admin.removeMember("sarah", name);
    await expect.poll(servers).toEqual([]);
    const refused = await callMcp(signed.access_token, "discord_guilds");
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("no longer signed in")]);
    expect(refused.headers.get("www-authenticate")).toContain("resource_metadata=");
    expect((await callMcp(signed.access_token, "discord_guilds")).status).toBe(401);
    for (const { name } of left) sandbox.admin.addMember("sarah", name);
    await expect.poll(() => servers().length).toBe(left.length);
    expect((await refresh(signed.clientId, signed.refresh_token)).body.error).toBe("invalid_grant");
  });
});
