import type { DiscordAddress } from "../app/embedded-sandbox.ts";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";

const TIMEOUT_MS = 3_000;
/** Waiting for the bot takes up to a minute. */
const MAX_ANSWER_MS = 70_000;

export function sandboxUrl(config: Config): string {
  return `http://127.0.0.1:${config.sandbox.port}`;
}

/** Null when none answers there. */
export async function findSandbox(config: Config): Promise<DiscordAddress | null> {
  try {
    const response = await fetch(`${sandboxUrl(config)}/sandbox/info`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const info = (await response.json()) as { token?: unknown };
    return typeof info.token === "string" ? { api: `${sandboxUrl(config)}/api`, token: info.token } : null;
  } catch {
    return null;
  }
}

export interface SandboxAnswer {
  readonly text: string;
  readonly messageId: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** A person of the sandbox uses a command of the bot's, in their direct messages with it; resolves to what it answers them. */
export async function runInSandbox(
  config: Config,
  self: string,
  request: { readonly as: string; readonly command: string; readonly options?: Readonly<Record<string, string>> },
): Promise<SandboxAnswer> {
  return toAnswer(await postToSandbox(config, { action: "run", self }, request));
}

/** The person presses a button under such an answer. */
export async function pressInSandbox(
  config: Config,
  self: string,
  request: { readonly as: string; readonly message_id: string; readonly label: string },
): Promise<SandboxAnswer> {
  return toAnswer(await postToSandbox(config, { action: "press", self }, request));
}

function toAnswer({ text, message_id, files }: Readonly<Record<string, unknown>>): SandboxAnswer {
  return { text: String(text), messageId: String(message_id), files: files as SandboxAnswer["files"] };
}

/** Throws `unavailable` when no sandbox answers, and `invalid` with its words when it refuses. */
export async function postToSandbox(
  config: Config,
  { action, self }: { readonly action: string; readonly self: string },
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  let response: Response;
  try {
    response = await fetch(`${sandboxUrl(config)}/sandbox/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_ANSWER_MS),
    });
  } catch (cause) {
    const problem = `No sandbox answers at ${sandboxUrl(config)}. Start one with "${self} sandbox" or "${self} start".`;
    throw new EarshotError("unavailable", problem, { cause });
  }
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.ok) return answer;
  throw new EarshotError("invalid", `The sandbox says: ${answer["message"] ?? `status ${response.status}`}`);
}
