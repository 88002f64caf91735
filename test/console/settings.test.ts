import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import {
  builtPages,
  findBarriers,
  findMisfits,
  HAS_BROWSER,
  openPage,
  openTestConsole,
  signIn,
} from "../support/console.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

const HOSTILE = "<img src=x onerror=alert(1)>\u202e\u0000 \"'`</script> 🦭 ".concat("long-name".repeat(40));

describe("what the operator can see and do in settings", () => {
  it("reloads only for a session that was opened less than five minutes ago", async () => {
    const test = await openTestConsole();
    let reloads = 0;
    test.state.reload = async () => {
      reloads += 1;
      return { changed: ["policy.channels"] };
    };
    const { ask } = await signIn(test);
    test.clock.time += 299_999;
    const answer = await ask("/console/operator/reload");
    expect([answer.status, await answer.json()]).toEqual([200, { changed: ["policy.channels"] }]);
    test.clock.time += 1;
    const refused = await ask("/console/operator/reload");
    expect([refused.status, reloads]).toEqual([403, 1]);
    expect(await (await ask("/console/operator/settings")).json()).toMatchObject({ isFresh: false });
  });

  it("passes on why a configuration was refused", async () => {
    const test = await openTestConsole();
    test.state.reload = async () => {
      throw new EarshotError("misconfigured", "These settings need a restart: server.port.\nNothing was changed.");
    };
    const { ask } = await signIn(test);
    expect(await (await ask("/console/operator/reload")).json()).toEqual({
      error: { code: "misconfigured", message: "These settings need a restart: server.port.\nNothing was changed." },
    });
  });

  it("lists programs and sessions, ends another session, and notes in the audit that it was looked at", async () => {
    const test = await openTestConsole();
    const [first, second] = [await signIn(test), await signIn(test)];
    test.audit.length = 0;
    const show = async (ask: typeof first.ask) => (await ask("/console/operator/settings")).json();
    const { programs, sessions } = (await show(second.ask)) as {
      programs: object[];
      sessions: { id: string; isThis: boolean }[];
    };
    expect(programs).toEqual([
      { name: "brain", rpc: 2, mcp: 0 },
      { name: "desktop", rpc: 0, mcp: 1 },
    ]);
    expect(sessions.map(({ isThis }) => isThis)).toEqual([true, false]);
    expect(test.audit.map(({ row }) => row)).toMatchObject([{ name: "console", detail_json: '{"page":"settings"}' }]);
    const id = sessions.find(({ isThis }) => !isThis)?.id;
    expect((await second.ask("/console/operator/end-session", { id })).status).toBe(200);
    expect((await second.ask("/console/operator/end-session", { id })).status).toBe(404);
    expect((await first.ask("/console/session/show")).status).toBe(401);
    expect((await second.ask("/console/session/show")).status).toBe(200);
  });
});

// Skipped without Debian's Chromium: apt-get install chromium.
describe.skipIf(!HAS_BROWSER)("the settings page in a browser", () => {
  const open = async (options: Parameters<typeof openPage>[0] = {}) => {
    const test = await openTestConsole({ folder: await builtPages() });
    const watched = await openPage(options);
    await watched.page.goto(test.console.mintLink());
    await watched.page.getByRole("link", { name: "Settings" }).click();
    await watched.page.getByRole("heading", { name: "Configuration in use" }).waitFor();
    return { ...test, ...watched };
  };

  it("shows values with their origin, the changed ones marked, and only those on demand", async () => {
    const { page, complaints, hosts, url } = await open();
    const changed = page.getByRole("listitem").filter({ hasText: "timeline.megabytes" });
    expect(await changed.innerText()).toMatch(/64.*from the configuration file.*changed/s);
    expect(await page.getByRole("listitem").filter({ hasText: "discord.token" }).first().innerText()).toContain(
      "not set",
    );
    await page.getByLabel("Only values that differ from the default").check();
    await page.getByText("logLevel").waitFor({ state: "detached" });
    await changed.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(url).host]);
  });

  it("reloads by keyboard and tells the outcome, also when the configuration is refused", async () => {
    const { page, state } = await open();
    state.reload = async () => ({ changed: ["policy.channels", "clients"] });
    await page.getByRole("button", { name: "Reload the configuration" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Applied: policy.channels, clients.").waitFor();
    state.reload = async () => {
      throw new EarshotError("misconfigured", "The configuration has a problem.");
    };
    await page.keyboard.press("Enter");
    await page.getByText("The configuration has a problem.").waitFor();
  });

  it("says when Earshot does not answer, and goes on by itself when it does", async () => {
    const { console, url } = await openTestConsole({ folder: await builtPages() });
    const network = await openTcpProxy(() => Number(new URL(url).port));
    onTestFinished(() => network.close());
    const { page } = await openPage();
    await page.goto(console.mintLink().replace(url, `http://127.0.0.1:${network.port}`));
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Configuration in use" }).waitFor();
    await network.cut();
    await page.getByRole("button", { name: "Reload the configuration" }).click();
    await page.getByRole("heading", { name: "Earshot does not answer" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await network.restore();
    await page.getByRole("heading", { name: "Configuration in use" }).waitFor();
  });

  it("asks for a new link when the session is too old to reload", async () => {
    const { page, clock } = await open();
    clock.time += 300_000;
    await page.reload();
    await page.getByText("This needs a link that was opened less than five minutes ago").waitFor();
    expect(await page.getByRole("button", { name: "Reload the configuration" }).count()).toBe(0);
  });

  it("ends another session, and its page shows no more", async () => {
    const { page, console } = await open();
    const other = await openPage();
    await other.page.goto(console.mintLink());
    await other.page.getByRole("heading", { name: "Live" }).waitFor();
    await page.reload();
    await page.getByRole("listitem").filter({ hasNotText: "this tab" }).getByRole("button", { name: /^End/ }).click();
    await other.page.getByRole("heading", { name: "Open the console with a link" }).waitFor();
    await page.getByRole("heading", { name: "Configuration in use" }).waitFor();
  });

  it("fits screens of all widths in both themes with hostile and long names, without barriers", async () => {
    const { page, state, complaints } = await open();
    state.clientNames = { rpc: [HOSTILE], mcp: [] };
    state.settings = state.settings.map((each) =>
      each.name === "dataDir" ? { ...each, value: JSON.stringify(HOSTILE), isChanged: true } : each,
    );
    await page.reload();
    await page.getByText("onerror=alert(1)").first().waitFor();
    expect(await findMisfits(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
