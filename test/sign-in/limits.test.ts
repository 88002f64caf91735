import { describe, expect, it, onTestFinished, vi } from "vitest";
import { signInSettingsSchema } from "../../src/policy/sign-in-settings.ts";
import { createWorld, openRoutes, PEOPLE, ROLE, temporaryFolder } from "./open-routes.ts";
import { openSigningIn, REDIRECT } from "./open-sign-in.ts";

const DAY_MS = 24 * 60 * 60_000;

async function arrive(rules: Parameters<typeof signInSettingsSchema.parse>[0] = {}) {
  const world = createWorld();
  world.signIn = signInSettingsSchema.parse(rules);
  return { world, ...(await openRoutes(world, `${temporaryFolder()}/earshot.db`)) };
}

it("a sign-in whose time is over is over for good, although the clock is put back and Earshot starts again", async () => {
  const world = createWorld();
  const file = `${temporaryFolder()}/earshot.db`;
  const { signIn, signIns, close } = await openRoutes(world, file);
  const { access_token } = await signIn("sarah", { days: "1" });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
  expect(signIns.list(PEOPLE["sarah"] as never)).toEqual([]);
  await signIns.endOf(PEOPLE["sarah"] as never, "by_person");
  await close();
  vi.setSystemTime(Date.now() - DAY_MS);
  const again = await openRoutes(world, file);
  expect(again.signIns.authenticate(access_token)).toBeNull();
});

describe("the operator's rules for signing in", () => {
  it.each([
    [["loopback"], { loopback: true }],
    [["editor.example"], { "editor.example": true }],
    [["cursor:"], { "cursor:": true }],
    [[], {}],
    ["all", { loopback: true, "editor.example": true, "cursor:": true }],
  ] as const)(
    "let in programs by where the browser returns: %j",
    async (programs, allowed: Record<string, boolean>) => {
      const { register, begin, reachPage, answerPage, signIns } = await arrive({ programs: programs as never });
      for (const [host, redirect] of [
        ["loopback", REDIRECT],
        ["editor.example", "https://editor.example/callback"],
        ["cursor:", "cursor://editor/callback"],
      ] as const) {
        const { url } = begin(await register({ redirect_uris: [redirect] }), { redirect_uri: redirect });
        const page = await reachPage(url, "sarah", undefined, redirect);
        expect(page.html).toContain(allowed[host] ? "May this program act" : "does not let this program be signed in");
        const back = await answerPage(page, { redirect, allow: ["read"] });
        const isIn = back.url.searchParams.get("code") !== null;
        expect([host, isIn]).toEqual([host, allowed[host] ?? false]);
      }
      expect(signIns.list(PEOPLE["sarah"] as never)).toHaveLength(Object.keys(allowed).length);
    },
  );

  it("end a sign-in after the longest time, whatever the answer says", async () => {
    const { register, begin, reachPage, answerPage, signIn, signIns } = await arrive({ longestDays: 7 });
    const page = await reachPage(begin(await register()).url, "sarah");
    expect([...page.html.matchAll(/name="days" value="(\d*)"/g)].map(([, days]) => days)).toEqual(["1", "7"]);
    for (const days of ["30", "", "0", "8"]) {
      const { response } = await answerPage(page, { days });
      expect(await response?.text()).toContain("say for how long");
    }
    await signIn("sarah", { days: "7" });
    const [own] = signIns.list(PEOPLE["sarah"] as never);
    // It counts from the person's answer, a moment before the program had its token.
    const lasts = (own?.expiresAt ?? 0) - (own?.createdAt ?? 0);
    expect([lasts <= 7 * DAY_MS, lasts > 6 * DAY_MS]).toEqual([true, true]);
  });

  it("count for programs that are signed in already", async () => {
    const { world, signIn, signIns } = await arrive();
    const { access_token } = await signIn("sarah", { days: "" });
    const scopes = () => signIns.authenticate(access_token)?.grant.scopes;
    const apply = (rules: object) => {
      world.signIn = signInSettingsSchema.parse(rules);
      signIns.applyRules();
    };
    expect(scopes()).toContain("context:search");
    apply({ programs: ["editor.example"] });
    expect(scopes()).toEqual([]);
    apply({ programs: ["loopback"] });
    expect(scopes()).toContain("context:search");
    apply({ longestDays: 1 });
    expect(scopes()).toContain("context:search");
    const [own] = signIns.list(PEOPLE["sarah"] as never);
    expect(own?.expiresAt).toBe((own?.createdAt ?? 0) + DAY_MS);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    expect([scopes(), signIns.list(PEOPLE["sarah"] as never)]).toEqual([undefined, []]);
  });

  it("let in who has one of the roles", async () => {
    const { world, register, begin, reachPage } = await arrive({ roles: [ROLE] });
    const show = async () => (await reachPage(begin(await register()).url, "sarah")).html;
    expect(await show()).toContain("lets other people sign in, and not this account");
    world.members.get(PEOPLE["sarah"] as never)?.add(ROLE);
    expect(await show()).toContain("May this program act for you?");
  });

  it("leave a person ten programs, one of which has to end before another", async () => {
    const { register, begin, reachPage, signIn, signIns } = await arrive();
    const clientId = await register();
    for (let count = 0; count < 10; count += 1) await signIn("sarah", { clientId });
    const show = async (who: string) => (await reachPage(begin(clientId).url, who)).html;
    expect(await show("sarah")).toContain("10 programs, which is the maximum");
    expect(await show("mark")).toContain("May this program act for you?");
    const [one] = signIns.list(PEOPLE["sarah"] as never);
    await signIns.end(one?.id ?? "", "by_person");
    expect(await show("sarah")).toContain("May this program act for you?");
  });
});

it("the address behind a trusted proxy counts, and of what others pass on none", async () => {
  const { at } = await openSigningIn({ server: { port: 0, trustedProxies: ["127.0.0.1"] } });
  const register = async (forwarded: string) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": forwarded };
    const body = JSON.stringify({ redirect_uris: [REDIRECT] });
    return (await fetch(at("/oauth/register"), { method: "POST", headers, body })).status;
  };
  for (let count = 0; count < 130; count += 1) expect(await register(`192.0.2.${count}`)).toBe(201);
  const statuses = [];
  for (let count = 0; count < 121; count += 1) statuses.push(await register(`10.0.0.${count}, 198.51.100.7`));
  expect(statuses.indexOf(429)).toBe(120);
  const network = (count: number, of: number) => register(`2001:db8:0:${of}:${count}::1`);
  for (let count = 1; count <= 120; count += 1) expect(await network(count, 1)).toBe(201);
  // An IPv6 subscriber can use any address of a network.
  expect([await network(121, 1), await network(121, 2)]).toEqual([429, 201]);
  // As a proxy that listens for both kinds passes IPv4 addresses on.
  for (let count = 0; count <= 120; count += 1) expect(await register(`::ffff:203.0.113.${count}`)).toBe(201);
});
