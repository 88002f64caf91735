import type { Community, Sandbox } from "../sandbox/index.ts";
import { EarshotError } from "./domain/errors.ts";

/** Where Discord is, and the token for it. */
export interface DiscordAddress {
  readonly api: string;
  readonly token: string;
}

type EmbeddedSandbox = DiscordAddress & Pick<Sandbox, "close">;
type SampleSandbox = EmbeddedSandbox & Pick<Sandbox, "as" | "community" | "world">;

/** Loaded only when it is used: a program on a real server never reads a line of it. */
const loadSandbox = () => import("../sandbox/index.ts");

/** The sandbox with the sample community, whose people post a line every `talkEverySeconds` (0: they stay silent). */
export async function openSample(port: number, talkEverySeconds: number): Promise<SampleSandbox> {
  const { liveTalk, sampleCommunity, startLiveTalk } = await loadSandbox();
  const sandbox = await openAt(port, sampleCommunity());
  const stopTalk = talkEverySeconds > 0 ? startLiveTalk(sandbox, liveTalk, talkEverySeconds * 1_000) : null;
  const close = async () => {
    stopTalk?.();
    await sandbox.close();
  };
  const { api, token, as, community, world } = sandbox;
  return { api, token, as, community, world, close };
}

/** The sandbox with a made-up community of any size. */
export async function openGenerated(port: number, size: { seed: number; messages: number }): Promise<EmbeddedSandbox> {
  const { generateCommunity } = await loadSandbox();
  return openAt(port, generateCommunity(size));
}

async function openAt(port: number, community: Community): Promise<Sandbox> {
  const { openSandbox } = await loadSandbox();
  try {
    return await openSandbox({ port, community });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    const hint = "Another Earshot may be running; stop it, or set EARSHOT_SANDBOX_PORT to another port.";
    throw new EarshotError("unavailable", `Port ${port} is taken. ${hint}`, { cause });
  }
}
