import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { openSandbox } from "../../sandbox/index.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { SessionSecrets } from "../../src/transports/console/console-sessions.ts";
import type { SandboxCommunity } from "../../src/transports/console/sandbox-community.ts";
import { toSandboxCommunity } from "../../src/transports/console/to-sandbox-community.ts";
import { builtPages, openTestConsole } from "../support/console.ts";
import { FOR_OPERATOR, FOR_PERSON, ORIGIN, openRoutes as openRoutesOf } from "../support/console-routes.ts";
import { smallCommunity } from "../support/small-community.ts";

const sandbox = await openSandbox({ community: smallCommunity() });
afterAll(() => sandbox.close());
const COMMUNITY = toSandboxCommunity(sandbox);
const sarah = { id: sandbox.as("sarah").id as UserId, name: "Skipper" };

const openRoutes = (community: SandboxCommunity | null = COMMUNITY) => openRoutesOf(community);

const OWN_PAGE = {
  "content-type": "application/json",
  host: "127.0.0.1:7790",
  origin: ORIGIN,
  "sec-fetch-site": "same-origin",
};
const withSecrets = ({ cookie, key }: SessionSecrets) => ({
  ...OWN_PAGE,
  cookie: `earshot-7790=${cookie}`,
  "x-earshot-key": key,
});

describe("every route of the console", () => {
  it("is a POST under a path with a rule for who may ask, so that the checks below cover it", () => {
    const { app, paths } = openRoutes();
    expect(app.routes.map(({ method }) => method).filter((method) => !["ALL", "POST"].includes(method))).toEqual([]);
    expect(paths.filter((path) => !/^\/console\/(session|operator|sandbox|community|me)\//.test(path))).toEqual([]);
    expect(paths).toContain("/console/session/open");
  });

  it("answers nobody without a session, but for the one that opens it", async () => {
    const { paths, ask, sessions } = openRoutes();
    const { secrets } = sessions.open(null);
    const other = sessions.open(null).secrets;
    const strangers: Record<string, string>[] = [
      OWN_PAGE,
      { ...OWN_PAGE, authorization: "Bearer token-of-the-operator" },
      withSecrets({ ...secrets, key: "" }),
      withSecrets({ ...secrets, cookie: "" }),
      withSecrets({ cookie: other.cookie, key: secrets.key }),
    ];
    for (const path of paths.filter((each) => each !== "/console/session/open"))
      for (const headers of strangers) expect([path, (await ask(path, headers)).status]).toEqual([path, 401]);
    expect((await ask("/console/nothing-here", OWN_PAGE)).status).toBe(401);
  });

  it("answers no page of another origin, whatever session it has", async () => {
    const { paths, ask, sessions } = openRoutes();
    const good = withSecrets(sessions.open(null).secrets);
    const changes: Record<string, string>[] = [
      { origin: "http://127.0.0.1:7791" },
      { origin: "http://localhost:7790" },
      { origin: "null" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
    ];
    for (const path of paths)
      for (const change of changes)
        expect([path, change, (await ask(path, { ...good, ...change })).status]).toEqual([path, change, 403]);
  });

  it("refuses a person what is for the operator", async () => {
    const { paths, ask, sessions } = openRoutes();
    const person = withSecrets(sessions.open(sarah.id).secrets);
    const own = [...paths, "/console/operator/new", "/console/sandbox/new"].filter((path) => FOR_OPERATOR.test(path));
    for (const path of own) expect([path, (await ask(path, person)).status]).toEqual([path, 403]);
    expect((await ask("/console/session/show", person)).status).toBe(200);
  });

  it("refuses the operator what is for a person", async () => {
    const { paths, ask, sessions } = openRoutes();
    const operator = withSecrets(sessions.open(null).secrets);
    const own = [...paths, "/console/me/new", "/console/community/new"].filter((path) => FOR_PERSON.test(path));
    for (const path of own) expect([path, (await ask(path, operator)).status]).toEqual([path, 403]);
  });

  it("answers a person", async () => {
    const { paths, ask, sessions } = openRoutes();
    for (const path of paths.filter((each) => FOR_PERSON.test(each))) {
      const { status, body } = await ask(path, withSecrets(sessions.open(sarah.id).secrets));
      await body?.cancel();
      // Nobody stands behind those that were let in here, and some need more than an empty request.
      expect([path, [200, 400, 404, 503].includes(status)]).toEqual([path, true]);
    }
  });

  it("does not exist without a sandbox, where it is about one", async () => {
    const { paths, ask, sessions } = openRoutes(null);
    const [operator, person] = [null, sarah.id].map((actor) => withSecrets(sessions.open(actor).secrets));
    const own = [...paths, "/console/sandbox/new", "/console/community/new"].filter((path) =>
      /sandbox|community/.test(path),
    );
    for (const path of own) {
      const { status } = await ask(path, (FOR_PERSON.test(path) ? person : operator) ?? {});
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it("answers the operator", async () => {
    const { paths, ask, sessions } = openRoutes();
    for (const path of paths.filter((each) => each !== "/console/session/open" && !FOR_PERSON.test(each))) {
      const { status, body } = await ask(path, withSecrets(sessions.open(null).secrets));
      await body?.cancel();
      // Some need more than an empty request, or a fresh session.
      expect([path, [200, 400].includes(status)]).toEqual([path, true]);
    }
  });
});

describe("choosing who to be", () => {
  it("opens a session of that person beside the operator's, with the same cookie, until the operator leaves", async () => {
    const { ask, sessions } = openRoutes();
    const { secrets } = sessions.open(null);
    const become = (id: string) => ask("/console/sandbox/become", withSecrets(secrets), { id });
    const people = await (await ask("/console/sandbox/people", withSecrets(secrets))).json();
    expect(people).toMatchObject({ people: expect.arrayContaining([sarah]) });
    const { key, session } = (await (await become(sarah.id)).json()) as { key: string; session: object };
    expect(session).toMatchObject({ isOperator: false, hasSandbox: true });
    const person = withSecrets({ cookie: secrets.cookie, key });
    expect((await ask("/console/session/show", person)).status).toBe(200);
    expect((await ask("/console/session/show", withSecrets(secrets))).status).toBe(200);
    expect((await become("6")).status).toBe(404);
    await ask("/console/session/end", withSecrets(secrets));
    expect((await ask("/console/session/show", person)).status).toBe(401);
  });
});

describe("the door of the console", () => {
  const redeem = (url: string, link: string) =>
    fetch(`${url}/console/session/open`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ code: link.split("#open=")[1] }),
    });

  it("a link opens one session, for five minutes, with a cookie that scripts and other sites do not get", async () => {
    const { url, console, clock, audit } = await openTestConsole();
    const link = console.mintLink();
    const late = console.mintLink();
    const answer = await redeem(url, link);
    expect(answer.headers.get("set-cookie")).toMatch(/^earshot-\d+=\w+; Path=\/console; HttpOnly; SameSite=Strict$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(audit.map(({ row }) => row)).toEqual([
      { operation_id: "", name: "console", detail_json: '{"page":"sign-in"}', happened_at: clock.time },
    ]);
    expect((await redeem(url, link)).status).toBe(401);
    clock.time += 5 * 60_000;
    expect((await redeem(url, late)).status).toBe(401);
  });

  it("refuses a request that is too large or has another shape, and opens nothing", async () => {
    const { url, console, audit } = await openTestConsole();
    console.mintLink();
    const headers = { "content-type": "application/json", origin: url, "sec-fetch-site": "same-origin" };
    for (const body of ["", "{", "[]", '{"code":1}', `{"code":"${"a".repeat(70_000)}"}`])
      expect((await fetch(`${url}/console/session/open`, { method: "POST", headers, body })).status).toBe(400);
    expect(audit).toEqual([]);
  });

  it("serves its page and scripts without a session, under a strict policy, and no other file", async () => {
    const { url } = await openTestConsole({ folder: await builtPages() });
    const page = await fetch(url);
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const [, script = ""] = /src="(\/assets\/main-[\w-]+\.js)"/.exec(await page.text()) ?? [];
    const answer = await fetch(`${url}${script}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    for (const path of ["/assets/..%2findex.html", "/assets/none.js", "/assets/%2e%2e%2f%2e%2e%2fpackage.json"])
      expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it("says on one plain page that it was not built", async () => {
    const { url } = await openTestConsole({ folder: "/nonexistent" });
    const page = await fetch(url);
    expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("npm run build");
  });

  it.each([
    [{ isEnabled: false }, "EARSHOT_CONSOLE is off"],
    [{ host: "0.0.0.0" }, "Earshot listens beyond this machine, without EARSHOT_PUBLIC_URL"],
  ])("is off with %o: it has no links, no routes and a page that says why", async (options, reason) => {
    const { url, console } = await openTestConsole(options);
    expect(console.off).toBe(reason);
    expect(() => console.mintLink()).toThrow(reason);
    const page = await fetch(url);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(await page.text()).toContain(reason);
    expect((await redeem(url, "#open=x")).status).toBe(404);
  });

  it("sends at most 120 KB of compressed files", async () => {
    const folder = await builtPages();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000);
  });
});
