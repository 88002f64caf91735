import type { Config } from "../config/config.ts";
import { isLoopback } from "../domain/loopback.ts";
import type { DiscordIdentity, DiscordIdentityOptions } from "../identity/discord-identity.ts";
import { SignIns, type SignInsDeps } from "../policy/sign-ins.ts";
import type { Discord } from "../ports/discord.ts";
import type { IdentityProvider } from "../ports/identity.ts";
import type { Log } from "../ports/log.ts";
import { mintId, systemClock } from "../storage/durable-parts.ts";
import type { Database } from "../stores/database.ts";
import { createSignInStore } from "../stores/sign-in-store.ts";
import type { SignInHint } from "../transports/kit/http-refusal.ts";
import { limitBegun, type NoteBegun } from "../transports/kit/limit-begun.ts";
import { openSignIn, type SignInTransport, toSignInHint } from "../transports/sign-in/open-sign-in.ts";
import type { SampleSandbox } from "./embedded-sandbox.ts";

export interface OpenedSignIns {
  readonly signIns: SignIns;
  /** The origin at which people sign in. */
  readonly issuer: string;
  readonly noteBegun: NoteBegun;
  identity(): Promise<IdentityProvider>;
  readonly transport: SignInTransport;
  readonly hint: SignInHint;
  /** The address by which programs are added, and its host. */
  readonly resource: string;
  readonly host: string;
}

interface Deps extends Pick<SignInsDeps, "rules" | "audit" | "onEnd" | "onReuse"> {
  readonly database: Database;
  readonly discord: Pick<Discord, "directory" | "applicationId">;
  readonly sandbox: Pick<SampleSandbox, "api" | "registerRedirects"> | null;
  readonly log: Log;
  /** The address that this server listens at. */
  readonly url: string;
}

/** Addresses at which Discord hands people back. */
export function toRedirects(issuer: string): string[] {
  return ["/oauth/callback", "/console/callback"].map((path) => `${issuer}${path}`);
}

/** Throws `misconfigured` if Discord refuses the client secret, `unavailable` if it cannot be asked. */
export async function checkClientSecret({ discord }: Config, clientId: string): Promise<void> {
  const { api, clientSecret = "" } = discord;
  await (await loadIdentity({ api, clientId, clientSecret })).checkSecret();
}

async function loadIdentity(options: DiscordIdentityOptions): Promise<DiscordIdentity> {
  const { DiscordIdentity } = await import("../identity/discord-identity.ts");
  return new DiscordIdentity(options);
}

/** Null where people cannot sign in: there is no public address, and no sandbox on this machine alone. */
export async function openSignIns(config: Config, deps: Deps): Promise<OpenedSignIns | null> {
  const { publicUrl, host, trustedProxies } = config.server;
  const { sandbox, database, discord, log } = deps;
  const issuer = publicUrl ?? (sandbox && isLoopback(host) ? deps.url : null);
  if (issuer === null) return null;
  const { rules, audit, onEnd, onReuse } = deps;
  const common = { clock: systemClock, mintId, rules };
  const store = createSignInStore(database);
  const resource = `${issuer}/mcp`;
  const { directory } = discord;
  const signIns = await SignIns.open({ ...common, store, directory, audit, resource, onEnd, onReuse });
  const own = { clientId: discord.applicationId, clientSecret: config.discord.clientSecret ?? "" };
  const application = sandbox?.registerRedirects(toRedirects(issuer)) ?? own;
  let identity: Promise<IdentityProvider> | null = null;
  const shared = {
    ...{ issuer, signIns, noteBegun: limitBegun(systemClock, trustedProxies) },
    identity() {
      identity ??= loadIdentity({ api: sandbox?.api ?? config.discord.api, ...application });
      return identity;
    },
  };
  const transport = openSignIn({ ...common, ...shared, resource, store, log });
  return { ...shared, transport, hint: toSignInHint(issuer), resource, host: new URL(issuer).hostname };
}
