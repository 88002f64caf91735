import { readFile } from "node:fs/promises";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import type { FactRecord, MemoryExport } from "../domain/rpc/memory-methods.ts";
import { askNames, connectWithToken, resolveName } from "./running-program.ts";
import { pressInSandbox, runInSandbox } from "./running-sandbox.ts";

/** The facts about the person who asks. Failures are thrown as an `EarshotError`. */
export interface ReachedMemory {
  /** The newest first, without earlier values. */
  list(): Promise<readonly FactRecord[]>;
  show(factId: string): Promise<FactRecord>;
  /** Why it is remembered, in words, and how often it was used. */
  why(factId: string): Promise<Receipt>;
  export(): Promise<MemoryExport>;
  forget(factId: string): Promise<Receipt>;
  /** Describes what would be erased and what would stay. */
  previewErasure(): Promise<Receipt>;
  erase(): Promise<Receipt>;
  close(): Promise<void>;
}

interface Receipt {
  readonly text: string;
}

interface MemoryRequest {
  /** The person, as typed. */
  readonly as: string;
  /** Holds the token of a client that acts for this person alone; without one, a person of the sandbox uses commands. */
  readonly tokenFile: string | undefined;
  /** The same command in Discord. */
  readonly command: string;
}

/** Throws `forbidden` on a real server without a token: even the operator cannot decide for a person. The people of the sandbox are simulated. */
export async function reachMemory(request: MemoryRequest, config: Config, self: string): Promise<ReachedMemory> {
  const { as, tokenFile, command } = request;
  if (tokenFile !== undefined) return reachByToken(as, await readToken(tokenFile), { config, self });
  if (config.discord.token === undefined)
    return reachInSandbox(await resolveName("people", as, config), { config, self });
  const otherwise = "with --token-file and the token of a client whose grant names that person alone";
  throw new EarshotError("forbidden", `Only the person can do that: with ${command} in Discord, or ${otherwise}.`);
}

interface Ground {
  readonly config: Config;
  readonly self: string;
}

async function reachByToken(as: string, token: string, { config, self }: Ground): Promise<ReachedMemory> {
  const client = await connectWithToken(config, self, token);
  try {
    const actor = await resolveName("people", as, config);
    const { operation_id: operationId } = await client.call("operation.open", { actor, private: true });
    const within = { operationId };
    return {
      list: async () => (await client.call("memory.list", {}, within)).facts,
      show: (fact_id) => client.call("memory.show", { fact_id }, within),
      why: (fact_id) => client.call("memory.why", { fact_id }, within),
      export: () => client.call("memory.export", {}, within),
      forget: (fact_id) => client.call("memory.forget", { fact_id }, within),
      previewErasure: () => client.call("memory.erase", {}, within),
      erase: () => client.call("memory.erase", { confirm: true }, within),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function reachInSandbox(as: string, { config, self }: Ground): ReachedMemory {
  const run = (command: string, options: Readonly<Record<string, string>> = {}) =>
    runInSandbox(config, self, { as, command, options });
  const toPlain = async ({ text }: Receipt) => ({ text: await toPlainText(text, config) });
  const readExport = async (): Promise<MemoryExport> => {
    const { text, files } = await run("memory export");
    if (!files[0]) throw new EarshotError("unavailable", text);
    return JSON.parse(files[0].text);
  };
  return {
    list: async () => (await readExport()).facts.filter(({ replaced }) => !replaced),
    async show(factId) {
      const fact = (await readExport()).facts.find(({ id }) => id === factId);
      if (!fact) throw new EarshotError("not_found", "You have no such fact.");
      return fact;
    },
    why: async (fact) => toPlain(await run("memory why", { fact })),
    export: readExport,
    forget: async (fact) => mustBegin("Forgotten:", await toPlain(await run("memory forget", { fact }))),
    previewErasure: async () => toPlain(await run("privacy erase")),
    async erase() {
      const { messageId } = await run("privacy erase");
      const pressed = await pressInSandbox(config, self, { as, message_id: messageId, label: "Erase" });
      return mustBegin("Erased:", await toPlain(pressed));
    },
    close: async () => {},
  };
}

/** Converts text for Discord, with bold, local times and channel mentions, to plain text. */
async function toPlainText(text: string, config: Config): Promise<string> {
  const ids = [...text.matchAll(/<#(\d+)>/gu)].flatMap(([, id]) => id ?? []);
  const names = ids.length === 0 ? null : await askNames(config, ids);
  return text
    .replaceAll(/\*\*|`/gu, "")
    .replaceAll(/<t:(\d+):\w>/gu, (_, seconds) => toMinute(Number(seconds) * 1_000))
    .replaceAll(/<#(\d+)>/gu, (channel, id) => names?.get(id) ?? channel)
    .replaceAll(/\\([\p{P}\p{S}])/gu, "$1");
}

function toMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

/** The commands answer with a sentence, whatever came of it. */
function mustBegin(words: string, { text }: Receipt): Receipt {
  if (text.startsWith(words)) return { text };
  throw new EarshotError("unavailable", text);
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new EarshotError("invalid", `--token-file: ${path} cannot be read.`, { cause });
  }
}
