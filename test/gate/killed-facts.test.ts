import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import {
  afterStep,
  type FactStep,
  hearFacts,
  listFacts,
  openFacts,
  type PlainFacts,
  takeStep,
  timeOf,
} from "../support/fact-steps.ts";
import { COMPILE_CACHE } from "../support/program.ts";
import { ADA, BO } from "../support/small-world.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { watchSqlite } from "../support/watch-sqlite.ts";

const PROGRAM = fileURLToPath(new URL("../support/facts-until-killed.ts", import.meta.url));
/**
 * The suite copies the files before a write, which is what a kill there would leave behind: starting a program for each would take a second. The soak
 * really kills it, at this many writes; from as many on as there are writes, at every one.
 */
const KILLS = Number(process.env["SOAK_RUNS"] ?? 0);
const COPY_EVERY = 10;

/** Before which write the program was killed, and how many steps it had done and begun. */
interface Killed {
  readonly write: number;
  readonly done: number;
  readonly begun: number;
}

const toStep = (kind: FactStep["kind"], who: string, isShared: boolean, value: string): FactStep => {
  return { kind, who, key: "boat", isShared, value };
};
/** Every kind, and each value replaced, narrowed, forgotten, erased or expired. */
const STEPS: readonly FactStep[] = [
  toStep("remember", ADA, true, "v0"),
  toStep("propose", ADA, true, "v1"),
  toStep("remember", BO, false, "v2"),
  toStep("narrow", ADA, true, "v3"),
  toStep("narrowAndEnd", ADA, true, "v4"),
  toStep("remember", BO, true, "v5"),
  toStep("forget", BO, true, ""),
  toStep("propose", BO, true, "v6"),
  toStep("erase", ADA, true, ""),
  toStep("expire", BO, true, ""),
  toStep("remember", BO, true, "v7"),
];

/** Runs the program until it has killed itself, or has taken all steps; what it said. */
async function run(folder: string, write: number): Promise<string> {
  const plan = JSON.stringify({ steps: STEPS, plain: [], ahead: 0, write });
  const child = spawn(process.execPath, [PROGRAM, folder, plan], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  for await (const chunk of child.stdout) out += String(chunk);
  const [code, signal] = child.signalCode ? [null, child.signalCode] : await once(child, "exit");
  expect([code, signal]).toEqual(out.includes("all") ? [0, null] : [null, "SIGKILL"]);
  return out;
}

/** What is read through the gate after another start. */
async function read(folder: string, ahead: number): Promise<PlainFacts> {
  const facts = await openFacts(folder, ahead);
  const listed = await listFacts(facts);
  expect(await hearFacts(facts)).toEqual(listed.filter((one) => one.includes(" org ")));
  await facts.close();
  return listed;
}

/** Each step that was done is there, and of one that was only begun either all or nothing. */
async function expectWhole(folder: string, { write, done, begun }: Killed): Promise<void> {
  const states = [done, begun].map((count) => String(STEPS.slice(0, count).reduce(afterStep, [] as PlainFacts)));
  const ahead = STEPS.slice(0, begun).reduce((sum, step) => sum + timeOf(step), 0);
  const now = String(await read(folder, ahead));
  expect([write, states]).toEqual([write, expect.arrayContaining([now])]);
}

// Kills the program at writes to files; for PostgreSQL, the writers in postgres-writers.test.ts are killed.
it.skipIf(IS_ON_POSTGRES)("after kill -9 at any write, each step has been done as a whole or not at all", async () => {
  const root = mkdtempSync(join(tmpdir(), "earshot-killed-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const killed: Killed[] = [];
  const count = { write: 0, done: 0, begun: 0 };
  const toFolder = ({ write }: Killed) => join(root, `copy-${write}`);
  const firstCopy = Math.floor(Math.random() * COPY_EVERY);
  const stop = watchSqlite(() => {
    count.write += 1;
    if (count.write % COPY_EVERY !== firstCopy) return;
    killed.push({ ...count });
    cpSync(join(root, "files"), toFolder(count), { recursive: true });
  });
  mkdirSync(join(root, "files"));
  const facts = await openFacts(join(root, "files"), 0);
  let plain: PlainFacts = [];
  for (const step of STEPS) {
    facts.clock.ahead += timeOf(step);
    count.begun += 1;
    await takeStep(facts, step, plain);
    plain = afterStep(plain, step);
    count.done += 1;
  }
  await facts.close();
  stop();
  expect(count.write).toBeGreaterThan(100);
  for (const one of killed) await expectWhole(toFolder(one), one);

  const distance = Math.max(1, count.write / KILLS);
  for (let at = 1 + Math.random() * (distance - 1); at <= count.write; at += distance) {
    const write = Math.floor(at);
    const folder = join(root, `killed-${write}`);
    mkdirSync(folder);
    const said = await run(folder, write);
    const [done = 0, begun = 0] = [/done/g, /begun/g].map((word) => said.match(word)?.length);
    await expectWhole(folder, { write, done, begun });
  }
});
