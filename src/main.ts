import { parseArgs } from "node:util";
import type { Arguments, Command } from "./cli/command.ts";
import { doctor } from "./cli/doctor.ts";
import { sandbox } from "./cli/sandbox.ts";
import { say } from "./cli/say.ts";
import { start } from "./cli/start.ts";
import { tail } from "./cli/tail.ts";
import { CONFIG_FILE, describeSettings, readConfig } from "./config.ts";
import { EarshotError } from "./domain/errors.ts";
import { createLog } from "./log.ts";
import { VERSION } from "./version.ts";

const COMMANDS: readonly Command[] = [start, tail, say, doctor, sandbox];
/** After being asked to end, so long for a clean goodbye. */
const LONGEST_GOODBYE = 4_500;

/** Runs one command; resolves to the exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    print(help());
    return name === undefined ? 1 : 0;
  }
  if (name === "--version" || name === "-v") {
    print(VERSION);
    return 0;
  }
  try {
    const command = COMMANDS.find((one) => one.name === name);
    if (!command) throw new EarshotError("invalid", `There is no command "${name}". See earshot --help.`);
    if (rest.includes("--help") || rest.includes("-h")) {
      print(commandHelp(command));
      return 0;
    }
    const args = readArguments(command, rest);
    const config = await readConfig(env, process.cwd());
    const log = createLog(config.logLevel, process.stderr.isTTY === true);
    return await command.run(args, { config, log, signal: endSignal(), self: "npx earshot", print });
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
      allowPositionals: command.name === "say",
    });
    return { values: values as Arguments["values"], positionals };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split(/[.\n]/)[0] : "";
    throw new EarshotError("invalid", `${reason}. Usage: earshot ${command.name} ${command.usage}`, { cause });
  }
}

/** Aborted at the first SIGINT or SIGTERM. A second one, or a goodbye that takes too long, ends the program at once. */
function endSignal(): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    setTimeout(() => process.exit(1), LONGEST_GOODBYE).unref();
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return controller.signal;
}

function help(): string {
  const commands = COMMANDS.map((command) => `  ${command.name.padEnd(9)} ${command.about}`);
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
