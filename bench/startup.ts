import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, printTable } from "../test/support/table.ts";

const RUNS = 5;
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "earshot-startup-"));

/** The program as it is in an installed package, which has no sources. */
function build(): string {
  execFileSync("npm", ["run", "build"], { cwd: root, stdio: "ignore" });
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  symlinkSync(join(root, "dist"), join(folder, "dist"));
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  return join(folder, "bin", "earshot.js");
}

/** Milliseconds until the program prints the given text. */
async function timeUntil(args: readonly string[], text: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      EARSHOT_DATA_DIR: join(folder, "data"),
      NODE_COMPILE_CACHE: join(folder, "compiled"),
      EARSHOT_PORT: "0",
      EARSHOT_SANDBOX_PORT: "0",
      EARSHOT_SANDBOX_TALK_SECONDS: "0",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes(text)) break;
  }
  const elapsed = performance.now() - start;
  if (!printed.includes(text)) throw new Error(`never printed "${text}"`);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("close", resolve));
  return elapsed;
}

/** The first run of all fills Node's cache of compiled code, and does not count. */
async function repeat(args: readonly string[], text: string): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) times.push(await timeUntil(args, text));
  return `${Math.round(median(times.slice(1)))} ms`;
}

try {
  const [installed, checkout, sources] = [build(), join(root, "bin", "earshot.js"), join(root, "src", "main.ts")];
  printTable(`Start-up, median of ${RUNS}`, [
    {
      what: "earshot start, until ready",
      figure: await repeat([installed, "start"], "Stop with Ctrl-C"),
      note: "sandbox with 2,000 messages, gateway session, directory; at most 1,200 ms",
    },
    {
      what: "npm start in a checkout",
      figure: await repeat([checkout, "start"], "Stop with Ctrl-C"),
      note: "as `npm ci` left it; at most 1,200 ms",
    },
    {
      what: "the same from the sources",
      figure: await repeat([sources, "start"], "Stop with Ctrl-C"),
      note: "after one was changed",
    },
    { what: "earshot --version", figure: await repeat([installed, "--version"], "."), note: "at most 200 ms" },
    { what: "earshot --help", figure: await repeat([installed, "--help"], "Settings"), note: "at most 200 ms" },
    { what: "--help from the sources", figure: await repeat([sources, "--help"], "Settings") },
    { what: "a bare Node process", figure: await repeat(["-e", 'console.log("ready")'], "ready") },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
