import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FailingDatabases, type FaultMoment } from "../../test/support/failing-database.ts";
import { FailingStores } from "../../test/support/failing-stores.ts";
import { toNewFact } from "../../test/support/new-fact.ts";
import { COMPILE_CACHE } from "../../test/support/program.ts";
import { IS_ON_POSTGRES } from "../../test/support/test-database.ts";
import { expectInStep, type OpenStores, readAll, VaultFolder } from "../../test/support/vault-folder.ts";
import { type FactVault, openFactVault } from "./fact-vault.ts";

/** Values that a fact may have when the program has been started again; undefined: it is gone. */
type Expected = Map<string, readonly unknown[]>;

/** Ids as they are given by the chance of the folder. */
const [A, B, C, D] = ["fact 1", "fact 2", "fact 3", "fact 4"] as const;

/** Some of every change. Notes what may be left, by what has returned and what has thrown. */
async function work(vault: FactVault, expected: Expected): Promise<void> {
  const attempt = async (id: string, value: unknown, run: () => Promise<unknown>) => {
    const before = expected.get(id) ?? [undefined];
    expected.set(id, [...before, value]);
    try {
      await run();
      expected.set(id, [value]);
    } catch (error) {
      expect(error).toMatchObject({ code: "unavailable" });
    }
  };
  const add = (id: string, value: string, more: object = {}) =>
    attempt(id, value, async () => {
      const { row } = await vault.add(toNewFact(value, more));
      expect(row.id).toBe(id);
    });
  await add(A, "a");
  await add(B, "b");
  await add(C, "c", { user: "12" });
  await attempt(A, undefined, () => vault.end([A]));
  await add(D, "d", { user: "12" });
  await attempt(D, undefined, () => vault.end([D]));
  await attempt(C, undefined, () => vault.end([C, "nobody"]));
}

async function expectWhole(folder: VaultFolder, expected: Expected): Promise<void> {
  const stores = await folder.open();
  const all = await readAll(stores);
  for (const [id, values] of expected) expect(values).toContain(all.get(id));
  await expectInStep(stores);
  stores.close();
}

/** Nothing that an `end` has returned for can be read by the program that goes on running either. */
async function expectEnded(vault: FactVault, { facts }: OpenStores, expected: Expected): Promise<void> {
  // It may be this very read that fails; then the next one does not.
  const all = await readAll({ vault, facts }).catch(() => readAll({ vault, facts }));
  for (const [id, values] of expected)
    if (values.every((value) => value === undefined)) expect(all.has(id)).toBe(false);
}

/** How many calls there are until none fails any more. Several at once: each waits for a database most of the time. */
async function countCalls(failAt: (call: number) => Promise<boolean>): Promise<number> {
  for (let call = 1; ; call += AT_ONCE) {
    const haveFailed = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => failAt(call + index)));
    if (!haveFailed.every(Boolean)) return call + haveFailed.indexOf(false);
  }
}
const AT_ONCE = 4;

/** Killed after a call, the program leaves the files as it does when it is killed before the next one: that is for the soak. */
const IS_SOAK = process.env["SOAK_RUNS"] !== undefined;
const CASES = (["before", "after"] as const)
  .flatMap((moment) =>
    [true, false].map((isKilled) => [isKilled ? "the program is killed" : "a store fails", moment, isKilled] as const),
  )
  .filter(([, moment, isKilled]) => IS_SOAK || !isKilled || moment === "before");

describe("a vault whose work is interrupted", () => {
  it("ends with exactly the facts that are left when nothing fails", async () => {
    const folder = new VaultFolder();
    const stores = await folder.open();
    const expected: Expected = new Map();
    await work(stores.vault, expected);
    stores.close();
    expect([...expected.values()]).toEqual([[undefined], ["b"], [undefined], [undefined]]);
    await expectWhole(folder, expected);
  });

  it.each(CASES)(
    "has each fact as a whole or not at all when %s %s any call of a store",
    async (_, moment, isKilled) => {
      const calls = await countCalls(async (call) => {
        const folder = new VaultFolder();
        const stores = await folder.openStores();
        const failing = new FailingStores(call, { isKilled, moment });
        const wrapped = { ...stores, facts: failing.wrap(stores.facts), keys: failing.wrap(stores.keys) };
        const expected: Expected = new Map();
        const vault = await openFactVault(folder.toDeps(wrapped)).catch(() => null);
        if (vault) {
          await work(vault, expected);
          if (!isKilled) await expectEnded(vault, stores, expected);
        }
        const hasFailed = failing.hasFailed;
        stores.close();
        await expectWhole(folder, expected);
        return hasFailed;
      });
      expect(calls).toBeGreaterThan(40);
    },
  );

  it.each(CASES)(
    "is brought in order by a later start when %s %s any call at the start",
    async (_, moment, isKilled) => {
      const calls = await countCalls(async (call) => {
        const folder = new VaultFolder();
        const first = await folder.open();
        for (const value of ["a", "b", "c"]) await first.vault.add(toNewFact(value, { user: value }));
        await first.keys.delete(["fact:fact 1"]);
        await first.facts.change({ beginToEnd: { ids: ["fact 1", "fact 2"], at: 1 } });
        await first.keys.add(new Map([["fact:nobody", new Uint8Array(32)]]));
        const failing = new FailingStores(call, { isKilled, moment });
        const wrapped = { ...first, facts: failing.wrap(first.facts), keys: failing.wrap(first.keys) };
        await openFactVault(folder.toDeps(wrapped)).catch(() => null);
        const hasFailed = failing.hasFailed;
        first.close();
        await expectWhole(
          folder,
          new Map([["fact 1", [undefined]] as const, ["fact 2", [undefined]] as const, ["fact 3", ["c"]] as const]),
        );
        return hasFailed;
      });
      expect(calls).toBeGreaterThan(10);
    },
  );

  it.skipIf(IS_ON_POSTGRES).each(["before", "after"] satisfies FaultMoment[])(
    "has each fact as a whole or not at all when SQLite fails %s any call for keys.db",
    async (moment) => {
      let call = 0;
      for (let hasFailed = true; hasFailed; ) {
        call += 1;
        const folder = new VaultFolder();
        const databases = new FailingDatabases();
        const stores = await folder.open(databases.connect);
        const first = databases.calls;
        databases.failAt(first + call, { moment, errcode: 10 });
        const expected: Expected = new Map();
        await work(stores.vault, expected);
        hasFailed = databases.calls >= first + call;
        databases.heal();
        await expectEnded(stores.vault, stores, expected);
        stores.close();
        await expectWhole(folder, expected);
      }
      expect(call).toBeGreaterThan(40);
    },
  );

  it("has every fact that was added and none that was ended after the program was really killed", async () => {
    const folder = new VaultFolder();
    const [added, ending] = [new Map<string, string>(), new Set<string>()];
    for (let round = 0; round < 6; round += 1) {
      const stdout = await runAndKill(folder, round * 13);
      for (const line of stdout.split("\n")) {
        const [what, id = "", value = ""] = line.split(" ");
        if (what === "added") added.set(id, value);
        if (what === "ending") ending.add(id);
        if (what === "ended") added.delete(id);
      }
      const stores = await folder.open();
      const all = await readAll(stores);
      for (const [id, value] of added) if (!ending.has(id) || all.has(id)) expect(all.get(id)).toBe(value);
      for (const id of ending) if (!added.has(id)) expect(all.has(id)).toBe(false);
      await expectInStep(stores);
      stores.close();
      for (const id of ending) if (!all.has(id)) added.delete(id);
    }
    expect(ending.size).toBeGreaterThan(0);
  });
});

/** The program's output until it was killed, some time after it had ended a fact for the first time. */
async function runAndKill({ path }: VaultFolder, delayMs: number): Promise<string> {
  const script = fileURLToPath(new URL("../../test/support/vault-until-killed.ts", import.meta.url));
  const program = spawn(process.execPath, [script, path], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let written = "";
  let isDue = false;
  for await (const chunk of program.stdout) {
    written += chunk;
    if (isDue || !written.includes("ended")) continue;
    isDue = true;
    setTimeout(() => program.kill("SIGKILL"), delayMs);
  }
  expect(program.signalCode ?? (await once(program, "exit"))[1]).toBe("SIGKILL");
  return written;
}
