import { execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, printTable } from "../test/support/table.ts";

const RUNS = 5;
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "earshot-startup-"));

/** The program as people install it: packed, and without development packages. Returns its `node_modules`. */
function install(): string {
  const npm = (cwd: string, ...args: string[]) =>
    String(execFileSync("npm", [...args, "--silent"], { cwd, stdio: ["ignore", "pipe", "ignore"] }));
  npm(root, "run", "build");
  const packed = npm(root, "pack", "--pack-destination", folder).trim();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  npm(folder, "install", "--omit=dev", "--no-audit", "--no-fund", `./${packed.split("\n").at(-1)}`);
  return join(folder, "node_modules");
}

/** Space on disk, as `du` counts it: in whole blocks, folders too. */
function megabytesOf(path: string): number {
  const below = lstatSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  const bytes = ["", ...below].reduce((sum, each) => sum + (lstatSync(join(path, each)).blocks ?? 0) * 512, 0);
  return bytes / 1024 ** 2;
}

function describeLargest(modules: string): string {
  const sizes = readdirSync(modules).map((name) => ({ name, megabytes: megabytesOf(join(modules, name)) }));
  const largest = sizes.sort((a, b) => b.megabytes - a.megabytes).slice(0, 4);
  return largest.map(({ name, megabytes }) => `${name} ${megabytes.toFixed(1)}`).join(", ");
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
  const modules = install();
  const installed = join(modules, "earshot", "bin", "earshot.js");
  const [checkout, sources] = [join(root, "bin", "earshot.js"), join(root, "src", "main.ts")];
  printTable(`The installed package, and start-up (median of ${RUNS})`, [
    {
      what: "npm install --omit=dev, on disk",
      figure: `${megabytesOf(modules).toFixed(1)} MiB`,
      note: `at most 57.2 MiB (60 MB); largest: ${describeLargest(modules)}`,
    },
    {
      what: "earshot start, until ready",
      figure: await repeat([installed, "start"], "Stop with Ctrl-C"),
      note: "sandbox with 2,000 messages, gateway session, directory; at most 1,000 ms",
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
