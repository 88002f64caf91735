import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../../src/command-line.ts";
import type { Log } from "../../src/ports/log.ts";
import { createSchemas } from "./create-schemas.ts";
import { until } from "./edge.ts";
import { databaseSettings } from "./test-database.ts";

/** Half of what a short command costs is reading its own source; Node keeps the result here. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), "earshot-compile-cache") };
const EARSHOT = fileURLToPath(new URL("../../bin/earshot.js", import.meta.url));
const CREATE_SCHEMAS = new URL("./create-schemas.ts", import.meta.url).href;

export interface Printed {
  /** What it printed so far. */
  readonly out: string;
  readonly err: string;
  /** Waits for a text in its output or log. */
  prints(text: string | RegExp): Promise<void>;
}

export interface Program extends Printed {
  readonly process: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export interface RunningCommand extends Printed {
  /** What SIGTERM does to a process. */
  stop(): void;
  /** The exit code. */
  readonly ended: Promise<number>;
}

/** The program as a person would start it, in a process of its own. It is killed after the test. */
export function runEarshot(args: readonly string[], env: Record<string, string> = {}, folder?: string): Program {
  const child = spawn(process.execPath, ...toProcess(args, env, folder));
  const printed = new Output();
  child.stdout.on("data", (chunk) => {
    printed.out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    printed.err += String(chunk);
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal ?? "?")),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return Object.assign(printed, { process: child, ended });
}

/** The program in a process of its own: arguments of Node.js, and options. */
export function toProcess(args: readonly string[], env: Record<string, string>, folder?: string) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("EARSHOT_"));
  const kept = settingsFor(env, folder);
  const preload = Object.keys(kept).length > 0 ? ["--import", CREATE_SCHEMAS] : [];
  const all = { ...(Object.fromEntries(own) as Record<string, string>), ...COMPILE_CACHE, ...kept, ...env };
  return [[...preload, EARSHOT, ...args], { env: all, ...(folder ? { cwd: folder } : {}) }] as const;
}

/** On PostgreSQL, unless the test says itself where. */
function settingsFor(env: Record<string, string>, folder?: string): Readonly<Record<string, string>> {
  const data = env["EARSHOT_DATA_DIR"] ?? (folder && ".earshot");
  if (data === undefined || env["EARSHOT_KEYS_SECRET"] !== undefined) return {};
  return databaseSettings(resolve(folder ?? "", data));
}

class Output implements Printed {
  out = "";
  err = "";

  async prints(text: string | RegExp): Promise<void> {
    const has = () =>
      [this.out, this.err].some((all) => (typeof text === "string" ? all.includes(text) : text.test(all)));
    await until(has, "").catch(() => {
      throw new Error(`never printed ${text}; printed:\n${this.out}\n${this.err}`);
    });
  }
}

export interface Ended {
  /** The exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command as the program runs it, in this process, until it ends. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  folder?: string,
  elapsedMs?: number,
): Promise<Ended> {
  const running = startCommand(args, env, folder, elapsedMs);
  const code = await running.ended;
  return { code, out: running.out, err: running.err };
}

/**
 * A command in this process, such as `start`, which runs until it is stopped; at the latest after the test. A process of its own takes a third of a
 * second to compile for a short command, and two for `start`. What only a process has, such as signals and pipes, is for `runEarshot`.
 * Relative paths in options are not below the folder here.
 */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  folder?: string,
  elapsedMs = 0,
): RunningCommand {
  const printed = new Output();
  const complain = (line: string) => {
    printed.err += `${line}\n`;
  };
  const controller = new AbortController();
  const stop = () => controller.abort();
  const kept = settingsFor(env, folder);
  const io = {
    env: { ...(folder && { EARSHOT_DATA_DIR: join(folder, ".earshot") }), ...kept, ...env },
    folder: folder ?? process.cwd(),
    isTerminal: false,
    print(line: string) {
      printed.out += `${line}\n`;
    },
    complain,
    note: complain,
    openLog: async (level: Parameters<typeof createTextLog>[0]) => createTextLog(level, complain),
    endSignal: () => controller.signal,
    openPrompts: () => null,
    onReload() {},
    elapsedMs: () => elapsedMs,
  };
  const ended = createSchemas(kept).then(() => runCommandLine(args, io));
  onTestFinished(async () => {
    stop();
    await ended;
  });
  return Object.assign(printed, { stop, ended });
}

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** Writes a line of JSON per entry, as the program's log does. */
function createTextLog(level: (typeof LEVELS)[number] | "silent", write: (line: string) => void): Log {
  const enabled = level === "silent" ? [] : LEVELS.slice(LEVELS.indexOf(level));
  const toWriter = (name: (typeof LEVELS)[number]) => (fields: object, msg: string) => {
    if (enabled.includes(name)) write(JSON.stringify({ ...fields, msg }));
  };
  return { debug: toWriter("debug"), info: toWriter("info"), warn: toWriter("warn"), error: toWriter("error") };
}
