import { execFileSync, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { until } from "./edge.ts";
import { COMPILE_CACHE } from "./program.ts";

const EARSHOT = fileURLToPath(new URL("../../bin/earshot.js", import.meta.url));

/** `script` of util-linux gives a pseudo terminal, `stty` says whether it echoes. */
export const HAS_TERMINAL =
  spawnSync("script", ["-qfc", "tty && stty -a", "/dev/null"], { input: "", encoding: "utf8" }).stdout?.includes(
    "/dev/",
  ) ?? false;

export interface TerminalProgram {
  /** What the person has seen so far. */
  readonly shown: string;
  shows(text: string | RegExp): Promise<void>;
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Whether the terminal shows what is typed, now. */
  echoes(): boolean;
  /** The exit code, and whether the terminal shows what is typed afterwards. */
  readonly ended: Promise<{ readonly code: number; readonly echoes: boolean }>;
}

/** The program at a terminal of its own, as a person would start it. It is killed after the test. */
export function runInTerminal(args: readonly string[], env: Record<string, string>, folder: string): TerminalProgram {
  const command = `sh -c 'echo "pid $$ at $(tty)"; exec "$@"' sh '${process.execPath}' '${EARSHOT}' ${args.join(" ")}`;
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("EARSHOT_") && name !== "CI"),
  );
  const child = spawn("script", ["-qfc", `trap : INT; ${command}; echo "ended with $?"; stty -a`, "/dev/null"], {
    cwd: folder,
    env: { ...own, ...COMPILE_CACHE, SHELL: "/bin/sh", ...env },
  });
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += String(chunk);
  });
  const find = (pattern: RegExp) => pattern.exec(shown)?.[1] ?? "";
  onTestFinished(() => {
    // The end of its terminal would not end it: that signal also means to read the configuration again.
    if (find(/pid (\d+)/) !== "" && !shown.includes("ended with")) process.kill(Number(find(/pid (\d+)/)), "SIGKILL");
    child.kill("SIGKILL");
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve())).then(() => ({
    code: Number(find(/ended with (\d+)/)),
    echoes: isEchoing(shown.slice(shown.lastIndexOf("ended with"))),
  }));
  return {
    get shown() {
      return shown;
    },
    async shows(text) {
      const has = () => (typeof text === "string" ? shown.includes(text) : text.test(shown));
      await until(has, `never showed ${text}`);
    },
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void process.kill(Number(find(/pid (\d+)/)), signal),
    echoes: () => isEchoing(execFileSync("stty", ["-F", find(/ at (\S+)/), "-a"], { encoding: "utf8" })),
    ended,
  };
}

function isEchoing(settings: string): boolean {
  return /(?<=\s)echo(?=\s)/.test(settings);
}
