import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Sandbox } from "../sandbox/index.ts";

const EARSHOT = fileURLToPath(new URL("../bin/earshot.js", import.meta.url));
const MCP_DISCORD = fileURLToPath(import.meta.resolve("mcp-discord"));
const PRELOAD = new URL("./sandbox-rest.ts", import.meta.url).href;
const START_MS = 60_000;
const CALL_MS = 30_000;
const SETTLED_MS = 3_000;

/** An MCP server, as a host on this machine uses it. */
export interface McpServer {
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<McpResult>;
  /** The list of tools, as it is given to a model. */
  tools(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export interface McpResult {
  /** What a model reads, errors too. */
  readonly text: string;
  /** The same for programs, as JSON; empty when there is none. */
  readonly structured: string;
}

interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly folder: string;
}

async function connect({ args, env = {}, folder }: Start): Promise<McpServer> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...ownEnvironment(), ...env },
    cwd: folder,
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  const kill = () => endProcess(transport.pid);
  process.once("exit", kill);
  await client.connect(transport, { timeout: START_MS });
  const { pid } = transport;
  return {
    async call(name, given) {
      const result = await client.callTool({ name, arguments: { ...given } }, { timeout: CALL_MS });
      const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return { text, structured: result.structuredContent ? JSON.stringify(result.structuredContent) : "" };
    },
    async tools() {
      const { tools } = await client.listTools();
      return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    },
    async close() {
      await client.close();
      endProcess(pid);
      process.off("exit", kill);
    },
  };
}

function endProcess(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function ownEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(EARSHOT_|DISCORD_)/.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}

/** As its README says: `mcp-discord --config <token>`. Resolves once it is logged in, with its list of the server's channels. */
export async function openMcpDiscord({
  api,
  token,
  community,
}: Sandbox): Promise<{ server: McpServer; channels: string }> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-discord-"));
  const args = ["--import", PRELOAD, MCP_DISCORD, "--config", token];
  const server = await connect({ args, env: { SANDBOX_API: api }, folder });
  const listChannels = async () => (await server.call("discord_get_server_info", { guildId: community.guild.id })).text;
  const deadline = Date.now() + START_MS;
  let channels = await listChannels();
  for (; !channels.startsWith("{"); channels = await listChannels()) {
    if (Date.now() > deadline) throw new Error("mcp-discord does not log in to the sandbox");
    await sleep(100);
  }
  const close = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server: { ...server, close }, channels };
}

/** A running Earshot. Hosts connect to it, each for one person and for one channel in which the answer will be read. */
export interface EarshotProgram {
  connect(host: { readonly actor: string; readonly channelId: string }): Promise<McpServer>;
  close(): Promise<void>;
}

/** Resolves when it has read the history ahead, that is, when it has made no request for a while. */
export async function openEarshot({ api, token }: Sandbox, countRequests: () => number): Promise<EarshotProgram> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
  const env = {
    EARSHOT_DISCORD_TOKEN: token,
    EARSHOT_DISCORD_API: api,
    EARSHOT_DATA_DIR: folder,
    EARSHOT_PORT: "0",
    // Faster than by default; the number of pages is the same.
    EARSHOT_TIMELINE_PAGES: "20",
  };
  const program = spawn(process.execPath, [EARSHOT, "start"], {
    env: { ...ownEnvironment(), ...env },
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const kill = () => endProcess(program.pid ?? null);
  process.once("exit", kill);
  const ended = new Promise((resolve) => program.once("close", resolve));
  const timeout = sleep(START_MS, false, { ref: false });
  if (!(await Promise.race([prints(program.stdout, "Stop with"), timeout]))) throw new Error("Earshot does not start");
  await untilSettled(countRequests);
  return {
    connect: ({ actor, channelId }) =>
      connect({ args: [EARSHOT, "mcp", "--as", actor, "--for", channelId], env, folder }),
    async close() {
      program.kill("SIGTERM");
      await Promise.race([ended, sleep(CALL_MS, undefined, { ref: false })]);
      kill();
      process.off("exit", kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** False when the output ends without the text. What comes later is read as well, so that the program can go on printing. */
function prints(output: Readable, text: string): Promise<boolean> {
  let printed = "";
  return new Promise((resolve) => {
    output.on("data", (chunk) => {
      printed += String(chunk);
      if (printed.includes(text)) resolve(true);
    });
    output.once("end", () => resolve(false));
  });
}

async function untilSettled(count: () => number): Promise<void> {
  for (let [before, quietMs] = [-1, 0]; quietMs < SETTLED_MS; quietMs += 100) {
    if (count() !== before) [before, quietMs] = [count(), 0];
    await sleep(100);
  }
}
