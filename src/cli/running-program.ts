import { connectEarshot, type EarshotClient } from "../client/index.ts";
import type { Config } from "../config.ts";
import { EarshotError } from "../domain/errors.ts";
import { type Status, statusSchema } from "../domain/status.ts";
import { type OperatorRole, readOperatorAccess } from "../operator-access.ts";
import { sandboxUrl } from "./running-sandbox.ts";

const MAX_STATUS_MS = 5_000;

/** Connects to the Earshot that runs on this machine with the same data folder: as its operator, or as the one who confirms. */
export async function connectToProgram(
  config: Config,
  self: string,
  role: OperatorRole = "operator",
): Promise<EarshotClient> {
  const { url, token } = await findProgram(config, self, role);
  return connect(url, token, `. ${startHint(self)}`);
}

/** The same as a client with a token of its own, who need not be able to read the data folder. */
export async function connectWithToken(config: Config, self: string, token: string): Promise<EarshotClient> {
  const access = await readOperatorAccess(config.dataDir, "operator");
  const url = access?.url ?? `http://${config.server.host}:${config.server.port}`;
  return connect(url, token, `, or it does not know the token. ${startHint(self)}`);
}

async function connect(base: string, token: string, more: string): Promise<EarshotClient> {
  const url = `${base.replace(/^http/, "ws")}/rpc`;
  try {
    return await connectEarshot({ url, token });
  } catch (cause) {
    if (cause instanceof EarshotError && cause.code === "invalid") throw cause;
    throw new EarshotError("unavailable", `No Earshot answers at ${url}${more}`, { cause });
  }
}

/** What the Earshot that runs with the same data folder says of itself. Throws `unavailable` when none answers, or gives no status. */
export async function askStatus(config: Config, self: string): Promise<Status> {
  const { url, token } = await findProgram(config, self, "operator");
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/status`, { headers, signal: AbortSignal.timeout(MAX_STATUS_MS) }).catch(
    (cause) => {
      throw new EarshotError("unavailable", `No Earshot answers at ${url}. ${startHint(self)}`, { cause });
    },
  );
  const answer = statusSchema.safeParse(await response.json().catch(() => null));
  if (answer.success) return answer.data;
  const problem = `The program at ${url} gives no status (HTTP ${response.status}). It may be another version of Earshot; restart it.`;
  throw new EarshotError("unavailable", problem);
}

async function findProgram(config: Config, self: string, role: OperatorRole): Promise<{ url: string; token: string }> {
  const access = await readOperatorAccess(config.dataDir, role);
  if (!access) throw new EarshotError("unavailable", `Earshot does not seem to run here. ${startHint(self)}`);
  return access;
}

function startHint(self: string): string {
  return `Start it with "${self} start" in this folder.`;
}

interface SandboxInfo {
  readonly people: readonly { readonly id: string; readonly username: string; readonly name: string | null }[];
  readonly channels: readonly { readonly id: string; readonly name: string }[];
}

/** Turns a name into an id. Ids serve everywhere; names only while the sandbox runs, which tells them to everybody. */
export async function resolveName(kind: "people" | "channels", name: string, config: Config): Promise<string> {
  if (/^\d+$/.test(name)) return name;
  const info = await askSandbox(config);
  const wanted = name.replace(/^[@#]/, "").toLowerCase();
  const named = info?.[kind].filter((one) => namesOf(one).some((each) => each?.toLowerCase() === wanted)) ?? [];
  const [only, ...others] = named;
  if (only && others.length === 0) return only.id;
  const problem = only
    ? `Several are called "${name}": ${named.map(({ id }) => id).join(", ")}.`
    : `Nothing is known of "${name}".`;
  throw new EarshotError("invalid", `${problem} Use an id (names serve only in the sandbox).`);
}

function namesOf(one: SandboxInfo["people"][number] | SandboxInfo["channels"][number]): readonly (string | null)[] {
  return "username" in one ? [one.username, one.name] : [one.name];
}

async function askSandbox(config: Config): Promise<SandboxInfo | null> {
  if (config.discord.token !== undefined) return null;
  try {
    const response = await fetch(`${sandboxUrl(config)}/sandbox/info`, { signal: AbortSignal.timeout(3_000) });
    return (await response.json()) as SandboxInfo;
  } catch {
    return null;
  }
}
