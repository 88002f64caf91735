import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../../src/command-line.ts";
import type { Log } from "../../src/ports/log.ts";
import { until } from "./edge.ts";

/** Half of what a short command costs is reading its own source; Node keeps the result here. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), "earshot-compile-cache") };
const EARSHOT = fileURLToPath(new URL("../../bin/earshot.js", import.meta.url));

export interface Program {
  readonly process: ChildProcess;
  /** What it printed so far. */
  readonly out: string;
  readonly err: string;
  /** Waits for a text in its output or log. */
  prints(text: string | RegExp): Promise<void>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** The program as a person would start it, in a process of its own. It is killed after the test. */
export function runEarshot(args: readonly string[], env: Record<string, string> = {}, folder?: string): Program {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("EARSHOT_")));
  const child = spawn(process.execPath, [EARSHOT, ...args], {
    env: { ...own, ...COMPILE_CACHE, ...env },
    ...(folder ? { cwd: folder } : {}),
  });
  const printed = { out: "", err: "" };
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
  return {
    process: child,
    ended,
    get out() {
      return printed.out;
    },
    get err() {
      return printed.err;
    },
    async prints(text) {
      const has = () =>
        [printed.out, printed.err].some((all) => (typeof text === "string" ? all.includes(text) : text.test(all)));
      await until(has, `never printed ${text}; printed:\n${printed.out}\n${printed.err}`);
    },
  };
}

export interface Ended {
  /** The exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * A command as the program runs it, in this process: a process of its own costs a third of a second to a second for each. What only a
 * process has, such as signals and pipes, is for `runEarshot`. Relative paths in options are not below the folder here.
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  folder?: string,
): Promise<Ended> {
  const printed = { out: "", err: "" };
  const complain = (line: string) => {
    printed.err += `${line}\n`;
  };
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const code = await runCommandLine(args, {
    env: { ...(folder && { EARSHOT_DATA_DIR: join(folder, ".earshot") }), ...env },
    folder: folder ?? process.cwd(),
    print(line) {
      printed.out += `${line}\n`;
    },
    complain,
    note: complain,
    openLog: async (level) => createTextLog(level, complain),
    endSignal: () => controller.signal,
    onReload() {},
  });
  return { code, ...printed };
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
