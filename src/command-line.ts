import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Arguments, Command, Context } from "./cli/command.ts";
import { COMMANDS } from "./cli/commands.ts";
import type { Prompts } from "./cli/prompts.ts";
import type { Config } from "./config/config.ts";
import { EarshotError } from "./domain/errors.ts";
import { describeFileError } from "./domain/file-errors.ts";
import { nearestNames } from "./domain/text/unknown-name.ts";
import { EXIT_CODES, toExitCode } from "./exit-codes.ts";
import type { Log } from "./ports/log.ts";
import { VERSION } from "./version.ts";

/** The process around a command. */
export interface Surroundings extends Pick<Context, "isTerminal" | "print" | "note" | "onReload" | "elapsedMs"> {
  readonly env: NodeJS.ProcessEnv;
  /** Where the configuration is looked for. */
  readonly folder: string;
  /** Tells why the command failed. */
  complain(line: string): void;
  openLog(level: Config["logLevel"]): Promise<Log>;
  /** Aborted when the person or the system wants the program to end. */
  endSignal(): AbortSignal;
  /** For questions to the person at the terminal; null where nobody could answer them. Stops asking when the signal is aborted. */
  openPrompts(signal: AbortSignal): Prompts | null;
}

/** Runs one command; resolves to the exit code. */
export async function runCommandLine(argv: readonly string[], around: Surroundings): Promise<number> {
  const { print, note, isTerminal } = around;
  const [name = "start", ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") {
    print(await help());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    print(
      `${VERSION}\nWhat each version changes stands in its CHANGELOG.md; whether there is a newer one: npm view earshot version`,
    );
    return 0;
  }
  let dataDir: string | null = null;
  try {
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!entry) throw new EarshotError("invalid", `There is no command "${name}"${similarTo(name)}`);
    const command = await entry.load();
    if (rest.includes("--help") || rest.includes("-h")) {
      print(commandHelp(entry.about, command));
      return 0;
    }
    const args = readArguments(command, rest);
    const { readConfig } = await import("./config/config.ts");
    const read = () => readConfig(around.env, around.folder);
    let config = await read();
    dataDir = resolve(config.dataDir);
    const log = await around.openLog(config.logLevel);
    const { onReload, elapsedMs } = around;
    const signal = around.endSignal();
    const ask = async (question: string) => (await around.openPrompts(signal)?.ask(question)) ?? null;
    if (argv.length === 0 && (await askHowToStart(config, around, { log, signal }))) config = await read();
    const { findConfigOrigin } = await import("./config/config-origin.ts");
    const origin = findConfigOrigin(around.env, around.folder);
    const self = "npx earshot";
    const speaking = { elapsedMs, isTerminal, print, note, ask };
    return await command.run(args, { config, origin, log, signal, self, readConfig: read, onReload, ...speaking });
  } catch (error) {
    const problem = error instanceof EarshotError ? error.message : describeFileError(error);
    if (problem === null) throw error;
    around.complain(withFolder(problem, dataDir));
    return error instanceof EarshotError ? toExitCode(error) : EXIT_CODES.misconfigured;
  }
}

/** Without a command, and without anything that says how to start. False where there is nothing to ask. */
async function askHowToStart(
  config: Config,
  { folder, openPrompts }: Surroundings,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<boolean> {
  const { findConfigFile } = await import("./config/config-file.ts");
  if (config.discord.token !== undefined || findConfigFile(folder) !== null) return false;
  const prompts = openPrompts(signal);
  if (!prompts)
    throw new EarshotError(
      "misconfigured",
      'Without a command, earshot asks how to start, and here nobody can answer: run "earshot start" for the sandbox, or set EARSHOT_DISCORD_TOKEN first for your server.',
    );
  const [{ setUp }, { openFirstLookOf }] = await Promise.all([
    import("./cli/set-up.ts"),
    import("./app/connect-discord.ts"),
  ]);
  await setUp({ config, folder, prompts, openFirstLook: (token) => openFirstLookOf(token, config, log) });
  return true;
}

/** An error about the data folder, or about a file in it, says which folder that is. */
function withFolder(message: string, dataDir: string | null): string {
  const isAboutIt = /\bdata folder\b|\b(earshot|keys)\.db\b|\baudit\.key\b/.test(message);
  return dataDir === null || !isAboutIt || message.includes(dataDir)
    ? message
    : `${message} The data folder is ${dataDir}.`;
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

async function help(): Promise<string> {
  const [{ describeSettings }, { CONFIG_FILE }] = await Promise.all([
    import("./config/config.ts"),
    import("./config/config-file.ts"),
  ]);
  const commands = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`);
  return `Earshot ${VERSION}: a Discord community's context and memory for AI agents.

Usage: earshot [<command> [options]]

  Without a command, starts; where nothing is configured, asks for the sandbox or your server first.

${commands.join("\n")}

  earshot <command> --help describes one command.

Settings, from the environment or ${CONFIG_FILE}:
${describeSettings().join("\n")}`;
}

function commandHelp(about: string, command: Command): string {
  const details = command.details ? `\n\n${command.details.map((line) => `  ${line}`).join("\n")}` : "";
  return `${about}.\n\nUsage: earshot ${command.name} ${command.usage}${details}`;
}
