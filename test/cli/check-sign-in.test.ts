import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import { checkSignIn } from "../../src/cli/check-sign-in.ts";
import { toConfig } from "../../src/config/config.ts";
import { openTlsFront } from "../sandbox/foreign/tls-front.ts";
import { openSigningIn } from "../sign-in/open-sign-in.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const CALLBACKS = ["/oauth/callback", "/console/callback"];
const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;
const onLoopback: LookupFunction = (_host, options, done) =>
  options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);

/** A public address that a proxy with TLS serves, on this machine. */
async function openProxied(name = "earshot.example.org") {
  const sandbox = await openTestSandbox({ rateLimits: false });
  let port = 0;
  const front = await openTlsFront(() => port);
  const publicUrl = `https://${name}:${front.host.split(":")[1]}`;
  const [application] = sandbox.world.applications.values();
  const config = {
    discord: { token: sandbox.token, api: sandbox.api, clientSecret: application?.clientSecret },
    server: { port: 0, publicUrl },
  };
  const startEarshot = async () => {
    const { app } = await openSigningIn(config);
    port = Number(new URL(app.url).port);
  };
  const deps = { now: Date.now, lookup: onLoopback, ca: await readFile(front.certificate, "utf8") };
  const redirects = CALLBACKS.map((path) => `${publicUrl}${path}`);
  const check = async (more: { redirects?: string[] | null; secret?: string } & Partial<typeof deps> = {}) => {
    const { redirects: known = redirects, secret, ...changed } = more;
    const lines: string[] = [];
    const discord = { ...config.discord, ...(secret && { clientSecret: secret }) };
    const isSound = await checkSignIn(
      { applicationId: application?.id ?? "", redirects: known },
      { config: toConfig({ ...config, discord }), print: (line) => void lines.push(line) },
      { ...deps, ...changed },
    );
    return { isSound, out: lines.join("\n") };
  };
  return { startEarshot, check, publicUrl, redirects };
}

// Skipped without openssl, which makes the certificate.
describe.skipIf(!HAS_OPENSSL)("earshot doctor on signing in", () => {
  it("prints nothing without a public address", async () => {
    const lines: string[] = [];
    const context = { config: toConfig({}), print: (line: string) => void lines.push(line) };
    expect(await checkSignIn({ applicationId: "1", redirects: null }, context)).toBe(true);
    expect(lines).toEqual([]);
  });

  it("says that all is well where it is", async () => {
    const { startEarshot, check, publicUrl } = await openProxied();
    await startEarshot();
    const { isSound, out } = await check();
    expect(out.split("\n")).toEqual([
      "! TLS: the certificate is accepted, and valid for 1 more days",
      `✓ public address: ${publicUrl} leads to Earshot`,
      "✓ redirects: both are registered in Discord's developer portal",
      "✓ client secret: Discord accepts it",
      "✓ clock: it agrees with Discord's",
    ]);
    expect(isSound).toBe(true);
  });

  it("names the redirects to register, a refused secret and a wrong clock", async () => {
    const { check, redirects } = await openProxied();
    const [first = "", second = ""] = redirects;
    const some = await check({ redirects: [first], secret: "another", now: () => Date.now() - 90_000 });
    expect(some.isSound).toBe(false);
    expect(some.out).toContain(`OAuth2 → Redirects → add:\n    ${second}`);
    expect(some.out).not.toContain(`    ${first}`);
    expect(some.out).toContain("✗ client secret: Discord does not accept the client secret");
    expect(some.out).toMatch(/✗ clock: it is (89|90|91) s behind Discord's/);
    expect((await check({ redirects: null })).out).toContain(`! redirects: Discord does not list them here`);
  });

  it("tells a certificate that is not accepted from an address that leads nowhere, and from one that leads elsewhere", async () => {
    const { check } = await openProxied();
    const { check: checkOther } = await openProxied("other.example.org");
    expect((await check({ ca: "" })).out).toContain("✗ TLS: ");
    expect((await checkOther()).out).toContain("cannot be reached (ERR_TLS_CERT_ALTNAME_INVALID)");
    const noName: LookupFunction = (_host, _options, done) =>
      done(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    const unknown = await check({ lookup: noName });
    expect([unknown.isSound, unknown.out]).toEqual([false, expect.stringContaining("✗ public address: ")]);
    expect(unknown.out).toContain("(ENOTFOUND)");
  });
});
