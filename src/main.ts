import { runCommandLine } from "./command-line.ts";
import type { Config } from "./config.ts";

/** How long a shutdown may take before the process exits anyway. */
const MAX_SHUTDOWN_MS = 4_500;

/** On a terminal a note overwrites the one before; elsewhere it is a line of its own. */
function note(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
}

async function openLog(level: Config["logLevel"]) {
  const { createLog } = await import("./log.ts");
  return createLog(level, process.stderr.isTTY === true);
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

// A reader such as `head` may leave before everything is printed.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  note,
  openLog,
  endSignal,
});
