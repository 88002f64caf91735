import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
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
import { watchSqlite } from "../support/watch-sqlite.ts";

const PROGRAM = fileURLToPath(new URL("../support/facts-until-killed.ts", import.meta.url));
/** At how many writes the program is killed: once in the suite, where each start of the program takes a second. From as many on as there are writes: at every one. */
const KILLS = Number(process.env["SOAK_RUNS"] ?? 1);

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

it("after kill -9 at any write, each step has been done as a whole or not at all", async () => {
  const inFolder = async (work: (folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-killed-"));
    await work(folder).finally(() => rmSync(folder, { recursive: true }));
  };
  let writes = 0;
  await inFolder(async (folder) => {
    const stop = watchSqlite(() => {
      writes += 1;
    });
    const facts = await openFacts(folder, 0);
    let plain: PlainFacts = [];
    for (const step of STEPS) {
      facts.clock.ahead += timeOf(step);
      await takeStep(facts, step, plain);
      plain = afterStep(plain, step);
    }
    await facts.close();
    stop();
  });
  expect(writes).toBeGreaterThan(100);
  const distance = Math.max(1, writes / KILLS);
  for (let at = 1 + Math.random() * (distance - 1); at <= writes; at += distance)
    await inFolder(async (folder) => {
      const said = await run(folder, Math.floor(at));
      const done = said.match(/done/g)?.length ?? 0;
      const begun = said.match(/begun/g)?.length ?? 0;
      const states = [0, ...STEPS.keys()].map((_, count) => STEPS.slice(0, count).reduce(afterStep, [] as PlainFacts));
      const ahead = STEPS.slice(0, begun).reduce((sum, step) => sum + timeOf(step), 0);
      const now = await read(folder, ahead);
      expect([Math.floor(at), [states[done], states[begun]].map(String)]).toEqual([
        Math.floor(at),
        expect.arrayContaining([String(now)]),
      ]);
    });
});
