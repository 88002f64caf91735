import { z } from "zod";
import { type OperatorRole, readOperatorAccess } from "../app/operator-access.ts";
import { connectEarshot, type EarshotClient } from "../client/index.ts";
import type { Config } from "../config/config.ts";
import { EarshotError, ERRORS } from "../domain/errors.ts";
import { type Silences, silencesSchema } from "../domain/silence.ts";
import { type Status, statusSchema } from "../domain/status.ts";

/** Long enough for a disk that takes some hundred milliseconds for each write; short enough to wait for. */
export const MAX_STATUS_MS = 2_500;
const MAX_HEALTH_MS = 600;
const MAX_OPERATOR_MS = 30_000;
const refusalSchema = z.object({
  error: z.object({
    code: z.string().refine((code): code is keyof typeof ERRORS => Object.hasOwn(ERRORS, code)),
    message: z.string(),
  }),
});

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
    // A program that is started again has other tokens for its operator: waiting for it would be in vain.
    return await connectEarshot({ url, token, reconnects: false });
  } catch (cause) {
    if (cause instanceof EarshotError && cause.code === "invalid") throw cause;
    throw new EarshotError("unavailable", `No Earshot answers at ${url}${more}`, { cause });
  }
}

/**
 * Asks the Earshot that runs with the same data folder for something that only its operator may ask. Throws `unavailable` when none answers, and
 * what it says when it refuses.
 */
export async function askOperator<Shape>(
  { config, self }: { readonly config: Config; readonly self: string },
  request: { readonly path: string; readonly body: object; readonly maxMs?: number },
  schema: z.ZodType<Shape>,
): Promise<Shape> {
  const { url, token } = await findProgram(config, self, "operator");
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(request.body),
    signal: AbortSignal.timeout(request.maxMs ?? MAX_OPERATOR_MS),
  };
  const response = await fetch(`${url}/operator/${request.path}`, init).catch((cause) => {
    throw noAnswer(url, self, cause);
  });
  const body: unknown = await response.json().catch(() => null);
  const answer = schema.safeParse(body);
  if (response.ok && answer.success) return answer.data;
  const { data: refusal } = refusalSchema.safeParse(body);
  if (refusal && response.status !== 404) throw new EarshotError(refusal.error.code, refusal.error.message);
  const problem = `The program at ${url} does not understand the request. It may be another version of Earshot; restart it.`;
  throw new EarshotError("unavailable", problem);
}

/** Why what was said in other channels of a server is not quoted in one of them. */
export function askSilences(
  program: { readonly config: Config; readonly self: string },
  body: { readonly actor: string; readonly channel_id: string },
): Promise<Silences> {
  return askOperator(program, { path: "why", body }, silencesSchema);
}

/** Names of these ids; empty without a running program that knows them. */
export async function askNames(config: Config, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  try {
    const request = { path: "names", body: { ids: [...new Set(ids)] } };
    return new Map(Object.entries(await askOperator({ config, self: "" }, request, z.record(z.string(), z.string()))));
  } catch (error) {
    if (error instanceof EarshotError) return new Map();
    throw error;
  }
}

/** The status of the Earshot that runs with this data folder. Throws `unavailable` when it does not answer or gives no status. */
export async function askStatus(config: Config, self: string, maxMs = MAX_STATUS_MS): Promise<Status> {
  const signal = AbortSignal.timeout(Math.round(maxMs));
  const { url, token } = await findProgram(config, self, "operator");
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/status`, { headers, signal }).catch((cause) => {
    throw noAnswer(url, self, cause);
  });
  const body: unknown = await response.json().catch(() => null);
  const answer = statusSchema.safeParse(body);
  if (answer.success) return answer.data;
  const { data: refusal } = refusalSchema.safeParse(body);
  if (refusal?.error.code === "unavailable") throw new EarshotError("unavailable", refusal.error.message);
  const problem = `The program at ${url} gives no status (HTTP ${response.status}). It may be another version of Earshot; restart it.`;
  throw new EarshotError("unavailable", problem);
}

async function findProgram(config: Config, self: string, role: OperatorRole): Promise<{ url: string; token: string }> {
  const access = await readOperatorAccess(config.dataDir, role);
  if (!access)
    throw new EarshotError(
      "unavailable",
      `Earshot does not seem to run here: none runs with this data folder. ${startHint(self)}`,
    );
  if (await isStarting(access.url)) throw new EarshotError("unavailable", STARTING);
  return access;
}

const STARTING = "Earshot is starting: it is connecting to Discord. Try again in a few seconds.";

async function isStarting(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(MAX_HEALTH_MS) }).catch(() => null);
  const health = z.object({ discord: z.string() }).safeParse(await response?.json().catch(() => null));
  return health.data?.discord === "starting";
}

/** A program that takes the connection and does not answer in time runs all the same. */
function noAnswer(url: string, self: string, cause: unknown): EarshotError {
  const isBusy = cause instanceof DOMException && cause.name === "TimeoutError";
  const problem = isBusy
    ? `Earshot runs at ${url} but is busy: it did not answer in time. Its disk may be slow, or full of work; try again in a few seconds.`
    : `No Earshot answers at ${url}. ${startHint(self)}`;
  return new EarshotError("unavailable", problem, { cause });
}

function startHint(self: string): string {
  return `Start it with "${self} start" in this folder, or set EARSHOT_DATA_DIR to the data folder of the one that runs.`;
}

type NameKind = "people" | "channels";

const WHAT = { people: "person", channels: "channel" } as const;

/** Turns a name into an id. Ids serve everywhere; names while a program runs that knows them. Throws `unavailable` when none does. */
export async function resolveName(kind: NameKind, name: string, config: Config): Promise<string> {
  return /^\d+$/.test(name) ? name : resolveKnown(kind, name, config);
}

/** The same, and throws for an id of which nothing is known. */
export async function resolveKnown(kind: NameKind, name: string, config: Config): Promise<string> {
  const problem = `No Earshot answers here that could know "${name}". Start it, or use the id of the ${WHAT[kind]}.`;
  if (!(await readOperatorAccess(config.dataDir, "operator"))) throw new EarshotError("unavailable", problem);
  const request = { path: "find", body: { kind, name } };
  return (await askOperator({ config, self: "earshot" }, request, z.object({ id: z.string() }))).id;
}
