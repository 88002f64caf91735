import type { ParseArgsConfig } from "node:util";
import type { Config } from "../config/config.ts";
import type { ConfigOrigin } from "../config/config-origin.ts";
import type { Log } from "../ports/log.ts";

/** The surroundings of a command. Results go to `print`, everything else to the log. */
export interface Context {
  readonly config: Config;
  readonly origin: ConfigOrigin;
  readonly log: Log;
  /** Aborted when the person or the system wants the program to end. */
  readonly signal: AbortSignal;
  /** How this program was started, for hints such as `npx earshot tail`. */
  readonly self: string;
  /** Reads the configuration again, as it was read for this command. Throws `misconfigured` for one with problems. */
  readConfig(): Promise<Config>;
  /** Calls the listener whenever the system asks the program to read its configuration again (SIGHUP). */
  onReload(listener: () => void): void;
  /** Time since the process was started. */
  elapsedMs(): number;
  /** Output goes to a terminal and is not kept in a log. */
  readonly isTerminal: boolean;
  print(line: string): void;
  /** Says how something long is going, on a terminal in one place. */
  note(line: string): void;
  /** Asks a question that takes a typed line; null without a terminal, or if the person ends the program. */
  ask(question: string): Promise<string | null>;
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Command {
  readonly name: string;
  /** The text after the name, such as `[--in channel]`. */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** Takes words besides options. */
  readonly takesMore?: boolean;
  /** Explains each option, for --help. */
  readonly details?: readonly string[];
  /** Resolves to the exit code. */
  run(args: Arguments, context: Context): Promise<number>;
}

/** Resolves when the program is asked to end. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

export function textOption(args: Arguments, name: string): string | undefined {
  const value = args.values[name];
  return typeof value === "string" ? value : undefined;
}
