import type { Community, Sandbox } from "../../sandbox/index.ts";
import { EarshotError } from "../domain/errors.ts";

/** Where Discord is, and the token for it. */
export interface DiscordAddress {
  readonly api: string;
  readonly token: string;
}

type EmbeddedSandbox = DiscordAddress & Pick<Sandbox, "url" | "gatewayUrl" | "close">;
export type SampleSandbox = EmbeddedSandbox &
  Pick<Sandbox, "as" | "community" | "world"> & {
    /** Lets people sign in with the sandbox as Discord, and come back to these addresses. */
    registerRedirects(uris: readonly string[]): { readonly clientId: string; readonly clientSecret: string };
  };

/** Loaded only when it is used: a program on a real server never reads a line of it. */
const loadSandbox = () => import("../../sandbox/index.ts");

/**
 * The sandbox with the sample community, whose people post a line every `talkEverySeconds` (0: they stay silent). The bot's permissions are a number or
 * names separated by commas; those of the community when absent.
 */
export async function openSample(port: number, talkEverySeconds: number, permissions?: string): Promise<SampleSandbox> {
  const { liveTalk, sampleCommunity, startLiveTalk } = await loadSandbox();
  const sandbox = await openAt(port, sampleCommunity(), permissions);
  const stopTalk =
    talkEverySeconds > 0 ? startLiveTalk(sandbox, liveTalk, { everyMs: talkEverySeconds * 1_000 }) : null;
  return {
    url: sandbox.url,
    api: sandbox.api,
    gatewayUrl: sandbox.gatewayUrl,
    token: sandbox.token,
    as: sandbox.as,
    get community() {
      return sandbox.community;
    },
    get world() {
      return sandbox.world;
    },
    registerRedirects(uris) {
      sandbox.admin.setRedirects(uris);
      const [application] = sandbox.world.applications.values();
      return { clientId: application?.id ?? "", clientSecret: application?.clientSecret ?? "" };
    },
    async close() {
      stopTalk?.();
      await sandbox.close();
    },
  };
}

/** The sandbox with a made-up community of any size. */
export async function openGenerated(
  port: number,
  size: { seed: number; messages: number },
  permissions?: string,
): Promise<EmbeddedSandbox> {
  const { generateCommunity } = await loadSandbox();
  return openAt(port, generateCommunity(size), permissions);
}

async function openAt(port: number, community: Community, permissions: string | undefined): Promise<Sandbox> {
  const { openSandbox, parsePermissions, UnknownName } = await loadSandbox();
  try {
    const botPermissions = permissions === undefined ? undefined : parsePermissions(permissions);
    return await openSandbox({ port, community, ...(botPermissions !== undefined && { botPermissions }) });
  } catch (cause) {
    if (cause instanceof UnknownName) throw new EarshotError("invalid", `${cause.message}.`, { cause });
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EACCES") {
      const problem = `Port ${port} may not be used by this account; set EARSHOT_SANDBOX_PORT to one from 1024 on.`;
      throw new EarshotError("misconfigured", problem, { cause });
    }
    if (code !== "EADDRINUSE") throw cause;
    const hint = "Another Earshot may be running; stop it, or set EARSHOT_SANDBOX_PORT to another port.";
    throw new EarshotError("unavailable", `Port ${port} is taken. ${hint}`, { cause, obstacle: "port_taken" });
  }
}
