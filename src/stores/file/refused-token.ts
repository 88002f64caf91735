import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EarshotError } from "../../domain/errors.ts";
import { toDuration } from "../../domain/text/relative-time.ts";
import type { Clock } from "../../ports/clock.ts";

/** Discord bans addresses that repeatedly use a refused token, and a supervisor may restart the program every second. */
const MIN_INTERVAL_MS = 600_000;
const MINUTE_MS = 60_000;
const FILE = "token-refused.json";

interface Connecting<Connected> {
  readonly address: { readonly api: string; readonly token: string };
  readonly clock: Clock;
  /** Calls back at each request that is refused because of the token. */
  connect(onTokenRefused: () => void): Promise<Connected>;
}

/** Connects, unless Discord refused the same token within the last ten minutes: then it throws `misconfigured` without a request. */
export async function connectUnlessRefused<Connected>(
  folder: string,
  { address, clock, connect }: Connecting<Connected>,
): Promise<Connected> {
  const file = join(folder, FILE);
  const hash = createHash("sha256").update(`${address.api}\n${address.token}`).digest("hex");
  const agoMs = clock.now() - (await readTime(file, hash));
  if (agoMs >= 0 && agoMs < MIN_INTERVAL_MS) throw refusedBefore(agoMs);
  // A failed write is ignored, because the refusal of the token is the more important error.
  const note = () => writeFile(file, JSON.stringify({ hash, at: clock.now() }), { mode: 0o600 }).catch(() => undefined);
  const connected = await connect(() => void note()).catch(async (error: unknown) => {
    if (error instanceof EarshotError && error.obstacle === "token_refused") await note();
    throw error;
  });
  await rm(file, { force: true });
  return connected;
}

/** Time of the last refusal of this token; long ago for another one. */
async function readTime(file: string, hash: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [, found, at] = /^\{"hash":"(\w+)","at":(\d+)\}$/.exec(text) ?? [];
  return found === hash ? Number(at) : Number.NEGATIVE_INFINITY;
}

function refusedBefore(agoMs: number): EarshotError {
  const ago = agoMs < MINUTE_MS ? "just now" : `${toDuration(agoMs)} ago`;
  const left = toDuration(MIN_INTERVAL_MS - agoMs + MINUTE_MS);
  const problem =
    `Discord refused this bot token ${ago}, and is not asked again for ${left}; a new token is tried at once. ` +
    "Reset it in the developer portal (your application → Bot → Reset Token), set the new one and start Earshot again.";
  return new EarshotError("misconfigured", problem, { obstacle: "token_refused" });
}
