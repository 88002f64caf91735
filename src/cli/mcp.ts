import { request } from "node:http";
import { resolve } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app/app.ts";
import { readOperatorAccess } from "../app/operator-access.ts";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import type { Log } from "../ports/log.ts";
import { type Command, textOption } from "./command.ts";
import { relayLines } from "./relay-lines.ts";
import { resolveKnown } from "./running-program.ts";

export const mcp: Command = {
  name: "mcp",
  usage: "--as <person> [--for <channel>] [--toolsets <names>]",
  options: { as: { type: "string" }, for: { type: "string" }, toolsets: { type: "string" } },
  details: [
    "--as        the person to act for: an id, or a name as Discord shows it. The person who has the name when this starts is meant; an id never changes",
    "--for       the channel in which the answers will be repeated: only what everyone there may read is read (default: what that person may read)",
    "--toolsets  tools to offer: names, first parts of names or toolsets, such as search,discord.send (default: all)",
    "",
    "An MCP host, such as a desktop agent or an editor, starts this command. It connects to the Earshot running in this folder. If none runs, it",
    "runs Earshot itself until the host ends it; other hosts and commands use it meanwhile.",
  ],
  async run(args, { config, log, signal, readConfig }) {
    const as = textOption(args, "as");
    if (!as)
      throw new EarshotError("invalid", "Name the person to act for, for example: earshot mcp --as 80351110224678912");
    const toolsets = textOption(args, "toolsets");
    const channel = textOption(args, "for");
    const toHeaders: ToHeaders = async () => {
      const actor = await resolveKnown("people", as, config);
      return {
        "x-earshot-actor": actor,
        ...(toolsets && { "x-earshot-toolsets": toolsets }),
        ...(channel && { "x-earshot-for": encodeURIComponent(channel) }),
      };
    };
    const own: App[] = [];
    const connect = () => reachProgram({ config, log, own, readConfig }, toHeaders);
    const { stdin: input, stdout: output } = process;
    try {
      // Standard output carries the protocol and nothing else.
      if (await relayLines({ input, output, connect }, signal)) return 0;
      throw new EarshotError("unavailable", "The running Earshot closes the connection at once; see its log.");
    } finally {
      input.destroy();
      for (const app of own) await app.close();
    }
  },
};

type Headers = Readonly<Record<string, string>>;

/** Headers for the program that runs, which knows the people. */
type ToHeaders = () => Promise<Headers>;

interface Ground {
  readonly config: Config;
  readonly log: Log;
  /** For a program that is opened here, when it is told to reload. */
  readConfig(): Promise<Config>;
  /** Programs that were opened here, to be closed at the end. */
  readonly own: App[];
}

/** How often to try to become the program, and how long to wait in between for another that is starting or ending. */
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 3_000;

/** The program that runs with this data folder, or else one of our own. */
async function reachProgram(ground: Ground, toHeaders: ToHeaders): Promise<Duplex> {
  for (let attempt = 1; ; attempt += 1) {
    const socket = await awaitRunning(ground.config, toHeaders, attempt === 1 ? 0 : TIMEOUT_MS);
    if (socket) return socket;
    try {
      return await openOwn(ground, toHeaders);
    } catch (error) {
      // Two hosts may start at the same moment: one of them finds the folder in use.
      const mayPass = error instanceof EarshotError && error.obstacle === "folder_locked";
      if (!mayPass || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

async function openOwn(ground: Ground, toHeaders: ToHeaders): Promise<Duplex> {
  const { config, log, own } = ground;
  const { configuredAddress } = await import("../app/connect-discord.ts");
  if (configuredAddress(config) === null)
    log.info(
      { dataDir: resolve(config.dataDir) },
      "no Earshot runs with this data folder and no token is set: starting a sample community",
    );
  const app = await openAnywhere(ground);
  own.push(app);
  const access = await readOperatorAccess(config.dataDir, "operator");
  return connect(app.url, { ...(await toHeaders()), authorization: `Bearer ${access?.token}` });
}

async function awaitRunning(config: Config, toHeaders: ToHeaders, milliseconds: number): Promise<Duplex | null> {
  for (const end = Date.now() + milliseconds; ; await sleep(250)) {
    const socket = await reachRunning(config, toHeaders);
    if (socket || Date.now() >= end) return socket;
  }
}

/** Null if no program answers there, or another one does. */
async function reachRunning(config: Config, toHeaders: ToHeaders): Promise<Duplex | null> {
  const access = await readOperatorAccess(config.dataDir, "operator");
  if (!access || !(await isAlive(access.url))) return null;
  const headers = await toHeaders().catch((error: unknown) => {
    if (error instanceof EarshotError && error.code === "unauthenticated") return null;
    throw error;
  });
  if (headers === null) return null;
  try {
    return await connect(access.url, { ...headers, authorization: `Bearer ${access.token}` });
  } catch (error) {
    if (error instanceof EarshotError && error.code === "unavailable") return null;
    throw error;
  }
}

/** False while it is starting, because it knows no people yet. */
async function isAlive(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3_000) }).catch(() => null);
  const health = (await response?.json().catch(() => null)) as { readonly discord?: unknown } | null | undefined;
  return response !== null && health?.discord !== "starting";
}

/** On any free port; the sandbox where it is looked for, if it can be there. */
async function openAnywhere({ config, log, readConfig }: Ground): Promise<App> {
  // Loaded only when no other Earshot runs: it takes half a second.
  const { openApp } = await import("../app/app.ts");
  const open = ({ sandbox }: Pick<Config, "sandbox">) => {
    const withPorts = (read: Config) => ({ ...read, server: { ...read.server, port: 0 }, sandbox });
    return openApp(withPorts(config), log, { readConfig: async () => withPorts(await readConfig()) });
  };
  try {
    return await open(config);
  } catch (error) {
    const isTaken = error instanceof EarshotError && error.obstacle === "port_taken";
    if (!isTaken) throw error;
    return open({ sandbox: { ...config.sandbox, port: 0 } });
  }
}

/** A socket that speaks the stdio wire. Throws `unavailable` where no such program is, and with the program's own words when it refuses. */
function connect(url: string, headers: Headers): Promise<Duplex> {
  const { promise, resolve: accept, reject } = Promise.withResolvers<Duplex>();
  const asking = request(`${url}/mcp`, { headers: { ...headers, connection: "Upgrade", upgrade: "earshot-mcp" } });
  asking.on("upgrade", (_response, socket, head) => {
    socket.unshift(head);
    accept(socket);
  });
  asking.on("response", async (response) => {
    const words = (await response.toArray()).join("").slice(0, 500);
    const isAnother = response.statusCode === 401 || response.statusCode === 404;
    reject(new EarshotError(isAnother ? "unavailable" : "forbidden", `The running Earshot refused: ${words}`));
  });
  asking.on("error", (cause) => {
    reject(new EarshotError("unavailable", "The running Earshot does not answer.", { cause }));
  });
  asking.end();
  return promise;
}
