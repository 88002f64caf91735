import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median, printTable } from "../test/support/table.ts";

const EARSHOT = fileURLToPath(new URL("../bin/earshot.js", import.meta.url));

/** Milliseconds until the program prints the given text. */
async function timeUntil(args: readonly string[], text: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" },
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

async function repeat(args: readonly string[], text: string): Promise<string> {
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) times.push(await timeUntil(args, text));
  return `${Math.round(median(times))} ms`;
}

printTable("Start-up, median of 5", [
  {
    what: "earshot start, until ready",
    figure: await repeat([EARSHOT, "start"], "Stop with Ctrl-C"),
    note: "sandbox with 2,000 messages, gateway session, directory",
  },
  { what: "earshot --version", figure: await repeat([EARSHOT, "--version"], ".") },
  { what: "a bare Node process", figure: await repeat(["-e", 'console.log("ready")'], "ready") },
]);
