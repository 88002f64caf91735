import { get } from "node:https";
import type { LookupFunction } from "node:net";
import type { TLSSocket } from "node:tls";
import { checkClientSecret, toRedirects } from "../app/open-sign-ins.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Context } from "./command.ts";

/** The bot's application, as Discord describes it. */
interface OwnApplication {
  readonly applicationId: string;
  /** Addresses that are registered for it; null where Discord does not list them. */
  readonly redirects: readonly string[] | null;
}

interface CheckDeps {
  readonly now: () => number;
  readonly lookup?: LookupFunction;
  /** Certificates that are believed; those of the system unless given. */
  readonly ca?: string;
}

type CheckContext = Pick<Context, "config" | "print">;

const METADATA = "/.well-known/oauth-protected-resource";
const TIMEOUT_MS = 10_000;
const MAX_BODY_LENGTH = 10_000;
const DAY_MS = 86_400_000;
const MIN_DAYS_LEFT = 7;
/** Tokens live for fifteen minutes. */
const MAX_CLOCK_ERROR_MS = 60_000;

/** Prints whether people can sign in with Discord; nothing without a public address. False where something must be changed. */
export async function checkSignIn(
  application: OwnApplication,
  context: CheckContext,
  deps: CheckDeps = { now: Date.now },
): Promise<boolean> {
  const { publicUrl } = context.config.server;
  if (publicUrl === undefined) return true;
  const isReached = await checkAddress(publicUrl, context, deps);
  const areRegistered = checkRedirects(publicUrl, application, context);
  const isSecretSound = await checkSecret(application, context);
  const isClockSound = await checkClock(context, deps);
  return isReached && areRegistered && isSecretSound && isClockSound;
}

async function checkAddress(publicUrl: string, { config, print }: CheckContext, deps: CheckDeps): Promise<boolean> {
  const answer = await ask(new URL(METADATA, publicUrl), deps).catch((error: NodeJS.ErrnoException) => error);
  if (answer instanceof Error) {
    const isTls = /CERT|SSL|TLS|ISSUER/.test(answer.code ?? "");
    print(`✗ ${isTls ? "TLS" : "public address"}: ${publicUrl} cannot be reached (${answer.code ?? answer.name})`);
    print(
      isTls
        ? "  → The proxy needs a certificate for this name that browsers accept. Caddy gets one by itself."
        : "  → Check that the name leads to this machine, that the firewall lets port 443 through, and that the proxy runs.",
    );
    return false;
  }
  const daysLeft = Math.floor((answer.validTo - deps.now()) / DAY_MS);
  print(
    `${daysLeft < MIN_DAYS_LEFT ? "!" : "✓"} TLS: the certificate is accepted, and valid for ${daysLeft} more days`,
  );
  if (answer.status === 200 && answer.body.includes(`"${publicUrl}/mcp"`))
    print(`✓ public address: ${publicUrl} leads to Earshot`);
  else {
    // A program that does not run yet is no mistake.
    print(`! public address: ${publicUrl} answers with status ${answer.status}, and not as this Earshot does`);
    print(`  → Start Earshot, and have the proxy pass every path on to its port ${config.server.port}.`);
  }
  return true;
}

function checkRedirects(publicUrl: string, { redirects }: OwnApplication, { print }: CheckContext): boolean {
  const missing = toRedirects(publicUrl).filter((address) => !redirects?.includes(address));
  if (missing.length === 0) print("✓ redirects: both are registered in Discord's developer portal");
  else {
    print(
      redirects ? "✗ redirects: Discord refuses people who come back" : "! redirects: Discord does not list them here",
    );
    print("  → Discord developer portal → your application → OAuth2 → Redirects → add:");
    for (const address of missing) print(`    ${address}`);
  }
  return missing.length === 0 || redirects === null;
}

async function checkSecret({ applicationId }: OwnApplication, { config, print }: CheckContext): Promise<boolean> {
  try {
    await checkClientSecret(config, applicationId);
    print("✓ client secret: Discord accepts it");
    return true;
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    print(`✗ client secret: ${error.message}`);
    print("  → Discord developer portal → your application → OAuth2 → Client Secret → Reset Secret shows a new one.");
    return false;
  }
}

/** Discord's own clock stands in each of its answers. */
async function checkClock({ config, print }: CheckContext, { now }: CheckDeps): Promise<boolean> {
  const response = await fetch(`${config.discord.api}/v10/gateway`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => null,
  );
  await response?.body?.cancel();
  const error = now() - Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(error)) print("! clock: Discord does not say what time it is");
  else if (Math.abs(error) <= MAX_CLOCK_ERROR_MS) print("✓ clock: it agrees with Discord's");
  else {
    print(`✗ clock: it is ${Math.round(Math.abs(error) / 1_000)} s ${error > 0 ? "ahead of" : "behind"} Discord's`);
    print("  → Have it set by the network: timedatectl set-ntp true, where there is systemd.");
    return false;
  }
  return true;
}

interface PublicAnswer {
  readonly status: number;
  readonly body: string;
  /** When the certificate ends. */
  readonly validTo: number;
}

function ask(url: URL, { lookup, ca }: CheckDeps): Promise<PublicAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      agent: false,
      ...(lookup && { lookup }),
      ...(ca !== undefined && { ca }),
    };
    get(url, options, (response) => {
      const validTo = Date.parse((response.socket as TLSSocket).getPeerCertificate().valid_to);
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        body = (body + part).slice(0, MAX_BODY_LENGTH);
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body, validTo }));
    }).once("error", reject);
  });
}
