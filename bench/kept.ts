import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openApp } from "../src/app/app.ts";
import { toConfig } from "../src/config/config.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { since, speed } from "./fast-clock.ts";

/**
 * What the whole program keeps in memory per answer of the built-in agent, after a garbage collection, and its processor time. The sandbox runs in a
 * process of its own. `--answers=2000`; `--speed=30` has everything of a quarter of an hour expire while answers go on, and `NODE_OPTIONS=--max-old-space-size=300` limits the heap.
 */
const QUESTIONS = ["when is the tide?", "what did mark say about the keel?", "who has the keys?", "what did I miss?"];
const EACH = 100;
const answers = Number(process.argv.find((flag) => flag.startsWith("--answers="))?.split("=")[1] ?? 600);

const sandbox = fork(fileURLToPath(new URL("kept-sandbox.ts", import.meta.url)), [
  `--speed=${speed}`,
  `--since=${since}`,
]);
const hear = <Value>() => new Promise<Value>((resolve) => sandbox.once("message", (value) => resolve(value as Value)));
const discord = await hear<{ api: string; token: string }>();
const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const plenty = { actor: 1e9 };
const limits = { callsPerMinute: plenty, scansPerMinute: plenty, summariesPerHour: plenty };
// The channel of the questions grows with each answer. Beyond its share of the memory a question reads on from Discord, which is not measured here.
const timeline = { megabytes: 4_096 };
const app = await openApp(toConfig({ discord, dataDir, server: { port: 0 }, timeline, policy: { limits } }), {
  debug() {},
  info() {},
  warn() {},
  error() {},
});
await app.loadRest();
const answered = new Set<string>();
app.discord.listen((event) => {
  const isOurs = event.type === "message" && event.message.author.id === app.discord.botId;
  if (isOurs && event.message.reply_to) answered.add(event.message.reply_to.message_id);
});

async function ask(index: number): Promise<void> {
  const said = hear<string>();
  sandbox.send({ index, text: `<@${app.discord.botId}> ${QUESTIONS[index % QUESTIONS.length]}` });
  const id = await said;
  while (!answered.delete(id)) await sleep(1);
}

async function heapUsed(): Promise<number> {
  await sleep(50);
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const rows: Row[] = [];
let before = await heapUsed();
let cpu = process.cpuUsage();
for (let index = 1; index <= answers; index += 1) {
  await ask(index);
  if (index % EACH > 0) continue;
  const { user, system } = process.cpuUsage(cpu);
  const after = await heapUsed();
  const figure = `${((after - before) / EACH / 1e3).toFixed(1)} KB each`;
  const note = `${(after / 1e6).toFixed(1)} MB in all, ${((user + system) / EACH / 1e3).toFixed(1)} ms of processor time each`;
  rows.push({ what: `answers ${index - EACH + 1} to ${index}`, figure, note });
  before = after;
  cpu = process.cpuUsage();
}
printTable("memory kept per answer (goal: 20 KB, after the first hundreds)", rows);
await app.close();
sandbox.kill();
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);
