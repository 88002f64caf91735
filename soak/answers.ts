import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import { onInterrupt } from "./on-interrupt.ts";

/**
 * Kills the program (SIGKILL) at any moment while it answers, starts it again, and counts: each question must be answered exactly once.
 * `npm run soak -- answers --runs 50`.
 */
const { values } = parseArgs({ options: { runs: { type: "string", default: "20" } } });
const EARSHOT = fileURLToPath(new URL("../bin/earshot.js", import.meta.url));
const MAX_DELAY_MS = 300;
const WAIT_MS = 60_000;

const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
const folder = mkdtempSync(join(tmpdir(), "earshot-answers-"));
const bot = sandbox.community.people.get("earshot") ?? "";
const general = sandbox.community.channels.get("general") ?? "";

function start(): ChildProcess {
  return spawn(process.execPath, [EARSHOT, "start"], {
    env: {
      ...process.env,
      EARSHOT_DISCORD_TOKEN: sandbox.token,
      EARSHOT_DISCORD_API: sandbox.api,
      EARSHOT_DATA_DIR: folder,
      EARSHOT_PORT: "0",
      EARSHOT_TIMELINE_PAGES: "0",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function untilReady(program: ChildProcess): Promise<void> {
  // The program ends when nobody reads its output any more.
  const output = program.stdout?.iterator({ destroyOnReturn: false }) ?? [];
  for await (const chunk of output) if (String(chunk).includes("Stop with")) return void program.stdout?.resume();
  throw new Error("the program ended before it was ready");
}

async function kill(program: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => program.once("exit", resolve));
  program.kill("SIGKILL");
  await ended;
}

const answersTo = (question: string) =>
  [...(sandbox.world.channels.get(general)?.messages ?? [])].filter(
    ({ authorId, more }) => authorId === bot && more?.reference?.messageId === question,
  ).length;

async function untilAnswered(question: string): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; answersTo(question) === 0; ) {
    if (Date.now() > deadline) throw new Error(`question ${question} was never answered`);
    await sleep(10);
  }
}

let [cut, whole, done] = [0, 0, 0];
let program = start();
await untilReady(program);
const second = start();
const code = await new Promise((resolve) => second.once("exit", resolve));
if (code === 0) throw new Error("a second program worked with the same folder");
onInterrupt(() => {
  program.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  printTally();
});
for (let run = 0; run < Number(values.runs); run += 1) {
  const { id } = sandbox.as("sarah").say("general", `<@${bot}> what did mark say about the kettle? (${run})`);
  await sleep(Math.random() * MAX_DELAY_MS);
  if (answersTo(id) === 0) cut += 1;
  else whole += 1;
  await kill(program);
  program = start();
  await untilReady(program);
  await untilAnswered(id);
  // What came later would be answered later, too.
  const marker = sandbox.as("mark").say("general", `<@${bot}> hello`);
  await untilAnswered(marker.id);
  const count = answersTo(id);
  if (count !== 1) throw new Error(`question ${id} was answered ${count} times`);
  done += 1;
}
await kill(program);
await sandbox.close();
rmSync(folder, { recursive: true });
printTally();
process.exit(0);

function printTally(): void {
  console.log(`${done} kills: ${cut} before the answer was there, ${whole} after; each question was answered once.`);
}
