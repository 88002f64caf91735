import { parseArgs } from "node:util";
import type { Arguments, Command } from "./cli/command.ts";
import { COMMANDS } from "./cli/commands.ts";
import { EarshotError } from "./domain/errors.ts";
import { nearestNames } from "./domain/text/unknown-name.ts";
import { VERSION } from "./version.ts";

/** How long a shutdown may take before the process exits anyway. */
const MAX_SHUTDOWN_MS = 4_500;

/** Runs one command; resolves to the exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // A reader such as `head` may leave before everything is printed.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
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
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!entry) throw new EarshotError("invalid", `There is no command "${name}"${similarTo(name)}`);
    const command = await entry.load();
    if (rest.includes("--help") || rest.includes("-h")) {
      print(commandHelp(entry.about, command));
      return 0;
    }
    const args = readArguments(command, rest);
    const { readConfig } = await import("./config.ts");
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

function similarTo(name: string): string {
  const [meant] = nearestNames(name, Object.keys(COMMANDS));
  return meant === undefined ? "; earshot --help lists them." : `; did you mean ${meant}?`;
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
    const problem = describeArguments(command, rest, (cause as NodeJS.ErrnoException).code);
    throw new EarshotError("invalid", `${problem} Usage: earshot ${command.name} ${command.usage}`, { cause });
  }
}

function describeArguments({ name, options }: Command, rest: readonly string[], code: string | undefined): string {
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return `earshot ${name} takes no arguments besides its options.`;
  const unknown = rest.find((each) => /^--?[^-]/.test(each) && !Object.hasOwn(options, optionOf(each)));
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || unknown === undefined)
    return "An option lacks its value, or has one that it does not take.";
  const [meant] = nearestNames(optionOf(unknown), Object.keys(options));
  const shown = unknown.split("=")[0]?.slice(0, 50);
  return `There is no option ${shown}${meant === undefined ? "." : `; did you mean --${meant}?`}`;
}

function optionOf(argument: string): string {
  return argument.replace(/^-+/, "").split("=")[0] ?? "";
}

/** On a terminal a note overwrites the one before; elsewhere it is a line of its own. */
function note(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
}

/** Aborted at the first SIGINT or SIGTERM. A second one, or a shutdown that takes too long, ends the program at once. */
function endSignal(): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    setTimeout(() => process.exit(1), MAX_SHUTDOWN_MS).unref();
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return controller.signal;
}

async function help(): Promise<string> {
  const { CONFIG_FILE, describeSettings } = await import("./config.ts");
  const commands = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`);
  return `Earshot ${VERSION}: a Discord community's context and memory for AI agents.

Usage: earshot <command> [options]

${commands.join("\n")}

  earshot <command> --help describes one command.

Settings, from the environment or ${CONFIG_FILE}:
${describeSettings().join("\n")}`;
}

function commandHelp(about: string, command: Command): string {
  const details = command.details ? `\n\n${command.details.map((line) => `  ${line}`).join("\n")}` : "";
  return `${about}.\n\nUsage: earshot ${command.name} ${command.usage}${details}`;
}

process.exitCode = await main(process.argv.slice(2), process.env);
