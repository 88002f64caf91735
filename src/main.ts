import { createPrompts } from "./cli/prompts.ts";
import { createTerminal } from "./cli/terminal.ts";
import { runCommandLine } from "./command-line.ts";
import type { Config } from "./config/config.ts";

/** How long a shutdown may take before the process exits anyway. */
const MAX_SHUTDOWN_MS = 4_500;
/** What has not ended this long after the command, such as an answer that is still waited for, does not keep the process alive. */
const MAX_LINGER_MS = 1_000;

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

/** Only a person at a terminal is asked, and not in CI, where a terminal may be simulated. */
function openPrompts(signal: AbortSignal) {
  if (!process.stdin.isTTY || !process.stderr.isTTY || process.env["CI"]) return null;
  const hangUp = new AbortController();
  for (const name of ["SIGHUP", "SIGQUIT"]) process.once(name, () => hangUp.abort());
  return createPrompts(process.stdin, process.stderr, AbortSignal.any([signal, hangUp.signal]));
}

// A reader such as `head` may leave before everything is printed.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
const terminal = createTerminal(process.stdout, process.stderr);
// The command ends the process, not an event loop in which nothing is left but a pause that keeps nobody alive.
const running = setInterval(() => {}, 2 ** 30);
process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  ...terminal,
  openLog,
  endSignal,
  openPrompts,
  onReload: (listener) => void process.on("SIGHUP", listener),
  elapsedMs: () => performance.now(),
});
clearInterval(running);
terminal.end();
setTimeout(() => process.exit(), MAX_LINGER_MS).unref();
