import { parseArgs } from "node:util";
import type { Arguments, Command } from "./cli/command.ts";
import { CONFIG_FILE, describeSettings, readConfig } from "./config.ts";
import { EarshotError } from "./domain/errors.ts";
import { VERSION } from "./version.ts";

/** Each is loaded only when it is wanted: `--version` need not wait for the sandbox. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import("./cli/start.ts")).start,
  status: async () => (await import("./cli/status.ts")).status,
  tail: async () => (await import("./cli/tail.ts")).tail,
  window: async () => (await import("./cli/window.ts")).window,
  call: async () => (await import("./cli/call.ts")).call,
  mcp: async () => (await import("./cli/mcp.ts")).mcp,
  say: async () => (await import("./cli/say.ts")).say,
  confirm: async () => (await import("./cli/confirm.ts")).confirm,
  audit: async () => (await import("./cli/audit.ts")).audit,
  doctor: async () => (await import("./cli/doctor.ts")).doctor,
  token: async () => (await import("./cli/token.ts")).token,
  sandbox: async () => (await import("./cli/sandbox.ts")).sandbox,
};
/** After being asked to end, so long for a clean goodbye. */
const MAX_GOODBYE_MS = 4_500;

/** Runs one command; resolves to the exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    print(await help());
    return name === undefined ? 1 : 0;
  }
  if (name === "--version" || name === "-v") {
    print(VERSION);
    return 0;
  }
  try {
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!load) throw new EarshotError("invalid", `There is no command "${name}". See earshot --help.`);
    const command = await load();
    if (rest.includes("--help") || rest.includes("-h")) {
      print(commandHelp(command));
      return 0;
    }
    const args = readArguments(command, rest);
    const config = await readConfig(env, process.cwd());
    const { createLog } = await import("./log.ts");
    const log = createLog(config.logLevel, process.stderr.isTTY === true);
    return await command.run(args, { config, log, signal: endSignal(), self: "npx earshot", print, note });
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function readArguments(command: Command, rest: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: command.options,
      allowPositionals: command.takesMore ?? false,
    });
    return { values: values as Arguments["values"], positionals };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split(/[.\n]/)[0] : "";
    throw new EarshotError("invalid", `${reason}. Usage: earshot ${command.name} ${command.usage}`, { cause });
  }
}

/** On a terminal a note overwrites the one before; elsewhere it is a line of its own. */
function note(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
}

/** Aborted at the first SIGINT or SIGTERM. A second one, or a goodbye that takes too long, ends the program at once. */
function endSignal(): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    setTimeout(() => process.exit(1), MAX_GOODBYE_MS).unref();
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return controller.signal;
}

async function help(): Promise<string> {
  const all = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const commands = all.map((command) => `  ${command.name.padEnd(9)} ${command.about}`);
  return `Earshot ${VERSION}: a Discord community's context and memory for AI agents.

Usage: earshot <command> [options]

${commands.join("\n")}

  earshot <command> --help tells more about one command.

Settings, from the environment or ${CONFIG_FILE}:
${describeSettings().join("\n")}`;
}

function commandHelp(command: Command): string {
  const details = command.details ? `\n\n${command.details.map((line) => `  ${line}`).join("\n")}` : "";
  return `${command.about}.\n\nUsage: earshot ${command.name} ${command.usage}${details}`;
}

process.exitCode = await main(process.argv.slice(2), process.env);
