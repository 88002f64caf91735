import { describe, expect, it, vi } from "vitest";
import type { Admin } from "../../sandbox/index.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { PlainBrowser } from "../sign-in/browser.ts";
import { openPublic, openSigningIn, PUBLIC } from "../sign-in/open-sign-in.ts";
import { builtPages, findBarriers, findMisfits, HAS_BROWSER, openPage } from "../support/console.ts";
import { askWith, openByDiscord } from "../support/console-by-discord.ts";
import { until } from "../support/edge.ts";
import { openPersonConsole } from "../support/person-console.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 120_000 });

/** Behind a proxy that passes no Host on. */
async function openPublicConsole(config: Parameters<typeof openPublic>[0] = {}) {
  const opened = await openPublic(config);
  opened.sandbox.admin.setRedirects([`${PUBLIC}/console/callback`]);
  const reach = (url: URL) => (url.origin === PUBLIC ? new URL(url.pathname + url.search, opened.app.url) : url);
  const signInAs = (who: string) => openByDiscord(PUBLIC, who, { reach });
  return { ...opened, reach, signInAs };
}

const show = async (ask: (path: string) => Promise<Response>) => (await ask("/console/session/show")).json();

describe("a person who opens the console by Discord", () => {
  it("gets a session of their own, without a grant or a token, over https with a Secure cookie", async () => {
    const { app, reach, signInAs, complaints } = await openPublicConsole();
    const { status, ask, browser } = await signInAs("sarah");
    expect(status).toBe(200);
    expect(await show(ask)).toMatchObject({ isOperator: false, isPerson: true, hasSandbox: false });
    expect(await (await ask("/console/me/programs/list")).json()).toEqual({ programs: [] });
    const places = (await (await ask("/console/me/places")).json()) as { channels: { name: string }[] };
    expect(places.channels.map(({ name }) => name)).not.toContain("staff-room");
    for (const path of ["operator/settings", "operator/live", "sandbox/people"])
      expect([path, (await ask(`/console/${path}`)).status]).toEqual([path, 403]);
    const begun = await fetch(reach(new URL("/console/sign-in", PUBLIC)), { redirect: "manual" });
    expect(begun.headers.get("set-cookie")).toMatch(
      /^earshot_console=\w+; Max-Age=600; Path=\/console\/callback; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await ask("/console/session/end")).status).toBe(200);
    expect((await ask("/console/session/show")).status).toBe(401);
    expect(browser.visited.map(({ pathname }) => pathname)).toContain("/console/callback");
    expect(app.console.off).toBeNull();
    expect(complaints).toEqual([]);
  });

  it("is given to no request that only has a token, or lacks the cookie, the key or our origin", async () => {
    const { sandbox, reach, signIn, signInAs } = await openPublicConsole();
    const { key, browser, ask } = await signInAs("sarah");
    sandbox.admin.setRedirects([`${PUBLIC}/oauth/callback`]);
    const { access_token } = await signIn("sarah");
    const status = async (headers: Record<string, string>, at: PlainBrowser) => {
      const own = { "content-type": "application/json", origin: PUBLIC, "sec-fetch-site": "same-origin", ...headers };
      return (await at.open(new URL("/console/session/show", PUBLIC), { method: "POST", headers: own, body: "{}" }))
        .status;
    };
    const other = new PlainBrowser(reach);
    expect(await status({ authorization: `Bearer ${access_token}` }, other)).toBe(401);
    expect(await status({ "x-earshot-key": key }, other)).toBe(401);
    expect(await status({}, browser)).toBe(401);
    expect(await status({ "x-earshot-key": key, origin: "https://elsewhere.example" }, browser)).toBe(403);
    expect(await status({ "x-earshot-key": key, "sec-fetch-site": "same-site" }, browser)).toBe(403);
    expect((await ask("/console/session/show")).status).toBe(200);
  });

  it("is who Discord says in the browser that began: a callback with another's state, twice or in a frame opens nothing", async () => {
    const { reach, signInAs } = await openPublicConsole();
    const [mine, theirs] = [new PlainBrowser(reach), new PlainBrowser(reach)];
    const begin = async (browser: PlainBrowser) => {
      const choice = await browser.follow(new URL("/console/sign-in", PUBLIC), () => false);
      const body = new URLSearchParams({ as: "mark" });
      const { url } = await browser.follow(choice.url, ({ pathname }) => pathname === "/console/callback", {
        ...{ method: "POST", body },
      });
      return url;
    };
    const [own, forged] = [await begin(mine), await begin(theirs)];
    const statusOf = async (url: URL, headers: Record<string, string> = {}) => {
      const response = await mine.open(url, { headers });
      return [response.status, (await response.text()).includes("earshot-key")];
    };
    expect(await statusOf(forged)).toEqual([403, false]);
    expect(await statusOf(own, { "sec-fetch-dest": "iframe" })).toEqual([403, false]);
    expect(await statusOf(own, { "sec-fetch-dest": "document", "sec-fetch-site": "cross-site" })).toEqual([200, true]);
    expect(await statusOf(own)).toEqual([403, false]);
    const { html, status } = await signInAs("");
    expect([status, html.includes("You did not allow it at Discord.")]).toEqual([403, true]);
  });

  it("keeps the cookie of the browser's other tabs", async () => {
    const { signInAs, reach } = await openPublicConsole();
    const first = await signInAs("sarah");
    const second = await openByDiscord(PUBLIC, "mark", { reach, browser: first.browser });
    expect(second.key).not.toBe(first.key);
    for (const { ask } of [first, second]) expect((await ask("/console/session/show")).status).toBe(200);
  });

  it("opens it after npm start too, without any setting", async () => {
    const { app, base } = await openSigningIn();
    const sarah = await openByDiscord(base, "sarah");
    expect(await show(sarah.ask)).toMatchObject({ isOperator: false, isPerson: true, hasSandbox: true });
    const { me } = (await (await sarah.ask("/console/me/places")).json()) as { me: string };
    expect(me).toBe(app.sandbox?.as("sarah").id);
  });

  it.each<[string, (admin: Admin) => void]>([
    ["the membership", (admin) => admin.removeMember("mei")],
    ["the role that lets people in", (admin) => admin.setRoles("mei", [])],
  ])("loses it at the next request with %s, and a stream within five seconds", async (_, lose) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const { guild, roles } = sandbox.community;
    const rules = { signIn: { roles: [roles.get("staff")] } };
    const { asMember, pass, inside } = await openPersonConsole({ sandbox, rules });
    expect((await asMember("sarah")).status).toBe(403);
    const { ask } = await asMember("mei");
    const isOver = readToEnd(await ask("/console/community/live"));
    lose(sandbox.admin);
    const { directory } = inside.edge.discord;
    const isLost = () => !directory.member(guild.id as GuildId, sandbox.as("mei").id as UserId)?.roles.size;
    await until(isLost, "the edge never heard of it");
    await pass(4_000);
    await isOver;
    expect((await ask("/console/session/show")).status).toBe(401);
    const refused = await asMember("mei");
    expect([refused.status, refused.key]).toEqual([403, ""]);
    expect(refused.html).toContain("lets other people sign in");
  });
});

describe("a link of the command line", () => {
  it("opens the console only where this machine is named and nothing was forwarded", async () => {
    const { app, base } = await openSigningIn();
    const open = (headers: Record<string, string>) => {
      const code = app.console.mintLink().split("#open=")[1];
      const own = { "content-type": "application/json", origin: base, "sec-fetch-site": "same-origin", ...headers };
      return fetch(`${base}/console/session/open`, { method: "POST", headers: own, body: JSON.stringify({ code }) });
    };
    for (const name of ["x-forwarded-for", "x-forwarded-proto", "forwarded", "via", "x-real-ip"])
      expect([name, (await open({ [name]: "1.2.3.4" })).status]).toEqual([name, 403]);
    expect((await open({})).status).toBe(200);
  });

  it("is not printed where Earshot listens beyond this machine, and the console is on by Discord alone", async () => {
    const { app } = await openPublicConsole({ server: { host: "0.0.0.0" } });
    expect(app.console.off).toBeNull();
    expect(() => app.console.mintLink()).toThrow(`sign in at ${PUBLIC}`);
  });
});

describe("an operator by Discord", () => {
  it("is named by id in the configuration and by nothing else, and is a person as well", async () => {
    const { asMember, sandbox, url } = await openPersonConsole({ operators: ["mark"] });
    const [mark, mei] = [await asMember("mark"), await asMember("mei")];
    expect(await show(mark.ask)).toMatchObject({ isOperator: true, isPerson: true });
    expect(await show(mei.ask)).toMatchObject({ isOperator: false, isPerson: true });
    for (const path of ["operator/settings", "sandbox/people", "me/places", "me/memory/list"])
      expect([path, (await mark.ask(`/console/${path}`)).status]).toEqual([path, 200]);
    // Choosing to be an operator makes nobody one.
    const { key } = (await (await mark.ask("/console/sandbox/become", { id: sandbox.as("mark").id })).json()) as {
      key: string;
    };
    expect((await askWith(mark.browser, url, key)("/console/operator/settings")).status).toBe(403);
  });

  it("reloads, ends sessions of others, exports and erases only within five minutes of signing in", async () => {
    const { asMember, clock } = await openPersonConsole({ operators: ["mark"] });
    const [mark, mei] = [await asMember("mark"), await asMember("mei")];
    const { sessions } = (await (await mark.ask("/console/operator/settings")).json()) as {
      sessions: { id: string; isThis: boolean }[];
    };
    const id = sessions.find(({ isThis }) => !isThis)?.id;
    const guarded: [string, object][] = [
      ["operator/reload", {}],
      ["operator/end-session", { id }],
      ["me/memory/export", {}],
      ["me/memory/erase", { confirm: true }],
    ];
    clock.time += 300_000;
    for (const [path, body] of guarded)
      expect([path, (await mark.ask(`/console/${path}`, body)).status]).toEqual([path, 403]);
    expect((await mei.ask("/console/session/show")).status).toBe(200);
    const again = await asMember("mark");
    for (const [path, body] of guarded)
      expect([path, (await again.ask(`/console/${path}`, body)).status]).toEqual([path, 200]);
    expect((await mei.ask("/console/session/show")).status).toBe(401);
  });

  it("loses the session within five seconds once the configuration names them no more", async () => {
    const operators = ["mark"];
    const { asMember, pass } = await openPersonConsole({ operators });
    const { ask } = await asMember("mark");
    const isOver = readToEnd(await ask("/console/operator/live"));
    operators.pop();
    await pass(4_000);
    await isOver;
    expect((await ask("/console/operator/settings")).status).toBe(401);
    expect(await show((await asMember("mark")).ask)).toMatchObject({ isOperator: false });
  });
});

describe("the programs that a person has signed in", () => {
  it("are listed to that person alone, who ends one or all of them", async () => {
    const { sandbox, signIn, signInAs, callMcp } = await openPublicConsole();
    sandbox.admin.setRedirects([`${PUBLIC}/oauth/callback`, `${PUBLIC}/console/callback`]);
    const tokens = [await signIn("sarah"), await signIn("sarah"), await signIn("sarah")];
    const other = await signIn("mark");
    const [sarah, mark] = [await signInAs("sarah"), await signInAs("mark")];
    type Listed = { programs: { id: string; name: string; redirectHost: string }[] };
    const list = async ({ ask }: typeof sarah) =>
      ((await (await ask("/console/me/programs/list")).json()) as Listed).programs;
    expect(await list(sarah)).toMatchObject(Array(3).fill({ name: "An editor", redirectHost: "loopback" }));
    const [own] = await list(mark);
    const [first] = await list(sarah);
    await sarah.ask("/console/me/programs/end", { id: own?.id });
    expect(await list(mark)).toHaveLength(1);
    await sarah.ask("/console/me/programs/end", { id: first?.id });
    expect(await list(sarah)).toHaveLength(2);
    await sarah.ask("/console/me/programs/end", {});
    expect(await list(sarah)).toEqual([]);
    const statuses = [...tokens, other].map(
      async ({ access_token }) => (await callMcp(access_token, "discord_guilds")).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 401, 200]);
  });
});

async function readToEnd({ body }: Response): Promise<void> {
  for await (const _ of body ?? []);
}

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("signing in to the console in a browser", () => {
  const open = async (who: string, options: Parameters<typeof openPersonConsole>[0] = {}) => {
    const test = await openPersonConsole({ folder: await builtPages(), ...options });
    const watched = await openPage();
    const { page } = watched;
    const choose = async (link: string) => {
      await page.getByRole("link", { name: link }).first().click();
      await page.getByRole("textbox").fill(who);
      await page.getByRole("button", { name: "Continue" }).click();
    };
    await page.goto(test.url);
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    return { ...test, ...watched, choose };
  };

  it("opens search, memory and programs for a member, says who one is, and leaves nothing in the address", async () => {
    const { page, url, choose, complaints } = await open("sarah");
    await choose("Sign in with Discord");
    await page.getByRole("searchbox").waitFor();
    expect(page.url()).toBe(`${url}/`);
    const links = await page.getByRole("navigation").getByRole("link").allInnerTexts();
    expect(links).toEqual(["Search", "My memory", "My programs"]);
    expect(await page.getByRole("banner").innerText()).toContain("Sarah");
    await page.getByRole("link", { name: "My programs" }).click();
    await page.getByText("You have signed in no program yet.").waitFor();
    expect(await findMisfits(page)).toEqual([]);
    await page.reload();
    await page.getByText("You have signed in no program yet.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in again" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows programs with the names they claim as text, and ends one after a second press", async () => {
    const { page, choose, signIns, sandbox } = await open("sarah");
    const personId = sandbox.as("sarah").id as UserId;
    const common = { personId, clientId: "x", allowed: ["read", "ask"], expiresAt: null };
    const hostile = `<img src=x onerror=alert(1)>\u202e ${"long".repeat(60)}`;
    await signIns?.add({ ...common, program: hostile, redirectHost: "claude.ai" });
    await signIns?.add({ ...common, program: "Cursor", redirectHost: "cursor:" });
    await choose("Sign in with Discord");
    await page.getByRole("link", { name: "My programs" }).click();
    await page.getByText("onerror=alert(1)").waitFor();
    await page.getByText("It is at claude.ai. The name is its own claim.").waitFor();
    await page.getByText("It runs on your own computer. The name is its own claim.").waitFor();
    expect(await findMisfits(page)).toEqual([]);
    await page.getByRole("button", { name: "End Cursor" }).click();
    await page.getByRole("group", { name: "End Cursor" }).getByRole("button", { name: "End" }).click();
    await page.getByText("Cursor”").waitFor({ state: "detached" });
    expect(signIns?.list(personId).map(({ redirectHost }) => redirectHost)).toEqual(["claude.ai"]);
  });

  it("signs a person in again where they were, when something needs a fresh session", async () => {
    const { page, clock, choose } = await open("sarah");
    await choose("Sign in with Discord");
    await page.getByRole("link", { name: "My memory" }).click();
    await page.getByRole("button", { name: "Download" }).waitFor();
    clock.time += 300_000;
    await page.reload();
    await page.getByText("This needs a sign-in that is less than five minutes old.").first().waitFor();
    await choose("Sign in again");
    await page.getByRole("button", { name: "Download" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/memory");
  });

  it("says why somebody may not sign in, and offers to try again", async () => {
    const { page, choose } = await open("nell");
    await choose("Sign in with Discord");
    await page.getByText("lets other people sign in").waitFor();
    expect(await findMisfits(page)).toEqual([]);
    await page.getByRole("link", { name: "Sign in again" }).waitFor();
  });

  it("shows an operator both their own pages and those of the operator", async () => {
    const { page, choose } = await open("mark", { operators: ["mark"] });
    await choose("Sign in with Discord");
    await page.getByRole("heading", { name: "Community" }).waitFor();
    const links = await page.getByRole("navigation").getByRole("link").allInnerTexts();
    expect(links).toEqual(["Community", "Search", "My memory", "My programs", "Live", "Settings"]);
    await page.getByRole("link", { name: "My memory" }).click();
    await page.getByRole("button", { name: "Download" }).waitFor();
    expect(await page.getByLabel("You are").count()).toBe(0);
  });
});
