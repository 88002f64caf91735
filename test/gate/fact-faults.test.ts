import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { FactChange, FactStore } from "../../src/ports/fact-store.ts";
import type { KeyStore } from "../../src/ports/key-store.ts";
import { assertUntil } from "../support/assert-until.ts";
import {
  afterStep,
  FACT_STEPS,
  type FactStep,
  hearFacts,
  listFacts,
  openFacts,
  type PlainFacts,
  takeStep,
  timeOf,
} from "../support/fact-steps.ts";
import { FailingStores, failure, override } from "../support/failing-stores.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { watchSqlite } from "../support/watch-sqlite.ts";

const NUM_RUNS = Number(process.env["SOAK_RUNS"] ?? 6);

const step = fc.record({
  kind: fc.constantFrom("remember" as const, ...FACT_STEPS),
  who: fc.constantFrom(ADA, BO),
  key: fc.constantFrom("boat", "port"),
  isShared: fc.boolean(),
});
const fault = fc.record({
  /** Which call of a store fails, if that many are made. */
  call: fc.nat(40),
  isKilled: fc.boolean(),
  moment: fc.constantFrom("before", "after"),
  /** By how many pages each file may still grow; null: the disk has room. */
  pages: fc.option(fc.nat(2), { freq: 3 }),
});
const plan = fc.array(fc.tuple(step, fault), { minLength: 6, maxLength: 12 });

type Plan = typeof plan extends fc.Arbitrary<infer One> ? One : never;
type Facts = Awaited<ReturnType<typeof openFacts>>;

interface Reads {
  readonly step: FactStep;
  readonly before: PlainFacts;
  readonly isDone: boolean;
}

/** Whatever happened: all of it was done, or nothing, what was reported as done is, and others hear what follows from that. */
async function readAfter(facts: Facts, { step, before, isDone }: Reads): Promise<PlainFacts> {
  const now = await listFacts(facts);
  const after = afterStep(before, step);
  if (isDone) expect([step.kind, now]).toEqual([step.kind, after]);
  else expect([before, after].map(String)).toContain(String(now));
  expect(await hearFacts(facts)).toEqual(now.filter((one) => one.includes(" org ")));
  return now;
}

const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-faults-"));
  return work(folder).finally(() => rmSync(folder, { recursive: true }));
}

/** Each step in a program of its own, in which one call of a store fails or is the last; how many steps failed. */
async function playFaults(folder: string, steps: Plan): Promise<number> {
  let [ahead, failed] = [0, 0];
  let plain: PlainFacts = [];
  for (const [index, [one, { call, isKilled, moment }]] of steps.entries()) {
    const step = { ...one, value: `v${index}` };
    ahead += timeOf(step);
    const stores = new FailingStores(call, { isKilled, moment });
    const opened = await openFacts(folder, ahead, stores.wrap.bind(stores)).catch(() => null);
    const hasWorked = opened !== null && (await isDone(takeStep(opened, step, plain)));
    await opened?.close();
    if (!hasWorked) failed += 1;
    const facts = await openFacts(folder, ahead);
    // What has expired is not read, whatever became of the step.
    const before = step.kind === "expire" ? [] : plain;
    plain = await readAfter(facts, { step, before, isDone: hasWorked });
    await facts.close();
  }
  return failed;
}

/** With the small pages of an older version: then the file grows at most steps. */
function createOlderFile(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
  database.close();
}

/** One program whose disk is full now and then, and is started again at the end; how many steps failed. */
async function playFullDisk(folder: string, steps: Plan): Promise<number> {
  createOlderFile(join(folder, "earshot.db"));
  const databases = new Set<DatabaseSync>();
  const stop = watchSqlite((database) => databases.add(database));
  onTestFinished(stop);
  let [ahead, failed] = [0, 0];
  let plain: PlainFacts = [];
  const first = await openFacts(folder, ahead);
  stop();
  const setRoom = (pages: number | null) => {
    for (const database of databases) {
      if (!database.isOpen) continue;
      const count = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
      database.exec(`PRAGMA max_page_count = ${pages === null ? 1_000_000 : count + pages}`);
    }
  };
  for (const [index, [one, { pages }]] of steps.entries()) {
    const step = { ...one, value: `v${index} ${"long ".repeat(300)}`.trim() };
    ahead += timeOf(step);
    first.clock.ahead = ahead;
    setRoom(pages);
    const hasWorked = await isDone(takeStep(first, step, plain));
    if (!hasWorked) failed += 1;
    const before = step.kind === "expire" ? [] : plain;
    plain = await readAfter(first, { step, before, isDone: hasWorked });
  }
  setRoom(null);
  await first.close();
  const again = await openFacts(folder, ahead);
  expect(await listFacts(again)).toEqual(plain);
  expect(await hearFacts(again)).toEqual(plain.filter((one) => one.includes(" org ")));
  await again.close();
  return failed;
}

describe.each([
  ["whichever write fails or is the last", playFaults],
  ["while SQLite finds the disk full", playFullDisk],
] as const)("%s", (_, play) => {
  it.skipIf(IS_ON_POSTGRES && play === playFullDisk)(
    "facts are as before or as wanted, and heard accordingly, also after a start",
    async () => {
      let failed = 0;
      const holds = fc.asyncProperty(plan, async (steps) => {
        failed += await inFolder((folder) => play(folder, steps));
      });
      await assertUntil(holds, () => expect(failed).toBeGreaterThan(2), { numRuns: NUM_RUNS });
    },
  );
});

it("a value that its owner has end with a new one is never read beside it, whichever call of a store is the last", async () => {
  const old = { kind: "remember", who: ADA, key: "boat", isShared: true, value: "Gull" } as const;
  const step = { kind: "narrowAndEnd", who: ADA, key: "boat", isShared: true, value: "Heron" } as const;
  let call = 0;
  for (let hasFailed = true; hasFailed; )
    await inFolder(async (folder) => {
      const first = await openFacts(folder, 0);
      await takeStep(first, old, []);
      await first.close();
      call += 1;
      const stores = new FailingStores(call, { isKilled: true, moment: "before" });
      const killed = await openFacts(folder, 1_000, stores.wrap.bind(stores)).catch(() => null);
      const before = afterStep([], old);
      const hasWorked = killed !== null && (await isDone(takeStep(killed, step, before)));
      await killed?.close();
      hasFailed = stores.hasFailed;
      const facts = await openFacts(folder, 2_000);
      await readAfter(facts, { step, before, isDone: hasWorked });
      await facts.close();
    });
  expect(call).toBeGreaterThan(20);
});

it.each(["remember", "narrowAndEnd"] as const)(
  "a value is said no more by who has read it once it is not heard any more, whichever call of a store fails: %s",
  async (kind) => {
    const old = { kind: "remember", who: ADA, key: "boat", isShared: true, value: "Gull" } as const;
    const scopes = { scopes: ["memory:read_project", "discord:send"] } as never;
    /** How many calls there were before and after the step. */
    const play = (call: number) =>
      inFolder(async (folder) => {
        const stores = new FailingStores(call, { isKilled: false, moment: "before" });
        const facts = await openFacts(folder, 0, stores.wrap.bind(stores));
        await takeStep(facts, old, []);
        const operation = await facts.open(CEM, PLACE.general, scopes);
        await facts.call(operation, "memory_read.get_user_facts", { user: ADA });
        const from = stores.calls;
        await isDone(takeStep(facts, { ...old, kind, value: "Heron" }, afterStep([], old)));
        const to = stores.calls;
        const sent = await facts.call(operation, "discord.send", {
          channel_id: PLACE.general,
          text: "her boat is Gull",
        });
        expect([call, sent.ok]).toEqual([call, String(await hearFacts(facts)).endsWith("Gull")]);
        await facts.close();
        return { from, to };
      });
    const { from, to } = await play(Number.POSITIVE_INFINITY);
    expect(to - from).toBeGreaterThan(5);
    for (let call = from + 1; call <= to; call += 1) await play(call);
  },
);

describe("an older value stays with those who hear it when a later one ends that they may not hear,", () => {
  const staff = { type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" } as const;
  const heard = async (facts: Facts, who: string, channelId: string) => {
    const operation = await facts.open(who, channelId, { scopes: ["memory:read_project"] } as never);
    const outcome = await facts.call(operation, "memory_read.get_user_facts", { user: ADA });
    return outcome.ok ? (outcome.value["facts"] as { value: string }[]).map(({ value }) => value) : outcome.message;
  };
  /** `sweep` ends the later one, and tells whether anything can be read after that. */
  const play = (wrap: Parameters<typeof openFacts>[2], sweep: (facts: Facts) => Promise<boolean>) =>
    inFolder(async (folder) => {
      const facts = await openFacts(folder, 0, wrap);
      await takeStep(facts, { kind: "remember", who: ADA, key: "boat", isShared: true, value: "Gull" }, []);
      const [gull] = (await facts.own.list(ADA as UserId)).map(({ fact }) => fact);
      if (!gull) throw new Error("it was remembered");
      const later = { createdBy: ADA as UserId, expiresAt: facts.clock.now() + 1_000, basis: [staff], ends: [] };
      await facts.memory.remember({ ...gull, ...later, value: "Heron" });
      expect(await heard(facts, CEM, PLACE.general)).toEqual(["Gull"]);
      expect(await heard(facts, BO, PLACE.staff)).toEqual(["Heron"]);
      facts.clock.ahead += 2_000;
      if (await sweep(facts)) expect(await heard(facts, CEM, PLACE.general)).toEqual(["Gull"]);
      await facts.close();
      const again = await openFacts(folder, facts.clock.ahead);
      expect(await heard(again, CEM, PLACE.general)).toEqual(["Gull"]);
      await again.close();
    });

  it("whichever call of a store fails or is the last", async () => {
    const calls = { before: 0, after: 0 };
    const playAt = (call: number, isKilled: boolean) => {
      const stores = new FailingStores(call, { isKilled, moment: "before" });
      return play(stores.wrap.bind(stores), async ({ memory }) => {
        calls.before = stores.calls;
        await isDone(memory.sweep());
        if (call === Number.POSITIVE_INFINITY) calls.after = stores.calls;
        return !isKilled;
      });
    };
    await playAt(Number.POSITIVE_INFINITY, false);
    expect(calls.after - calls.before).toBeGreaterThan(5);
    for (let call = calls.before + 1; call <= calls.after; call += 1)
      for (const isKilled of [false, true]) await playAt(call, isKilled);
  });

  it("while earshot.db cannot be written and keys.db can", async () => {
    let isFull = false;
    const wrap = <Store extends object>(store: Store): Store => {
      const { change } = store as Partial<FactStore>;
      if (!change) return store;
      const changeOrFail = (given: FactChange) => (isFull ? Promise.reject(failure()) : change.call(store, given));
      return override(store, { change: changeOrFail } as never);
    };
    await play(wrap, async ({ memory }) => {
      isFull = true;
      return isDone(memory.sweep());
    });
  });
});

it("a fact that is forgotten while keys.db fails is told to nobody, and its key goes with the next sweep; while earshot.db fails too, nothing is claimed", async () => {
  const failing = new Set<string>();
  const keys: KeyStore[] = [];
  const wrap = <Store extends object>(store: Store): Store => {
    const { change } = store as Partial<FactStore>;
    const { delete: remove } = store as Partial<KeyStore>;
    if (remove) keys.push(store as unknown as KeyStore);
    return override(store, {
      ...(change && {
        change: (given: FactChange) => (failing.has("facts") ? Promise.reject(failure()) : change.call(store, given)),
      }),
      ...(remove && {
        delete: (names: string[]) => (failing.has("keys") ? Promise.reject(failure()) : remove.call(store, names)),
      }),
    } as never);
  };
  await inFolder(async (folder) => {
    const facts = await openFacts(folder, 0, wrap);
    await takeStep(facts, { kind: "remember", who: ADA, key: "boat", isShared: true, value: "Gull" }, []);
    const [gull] = (await facts.own.list(ADA as UserId)).map(({ fact }) => fact);
    const keyNames = () => keys[0]?.names("fact:", { limit: 9 });
    for (const one of ["facts", "keys"]) failing.add(one);
    await expect(facts.own.forget(ADA as UserId, gull?.id ?? "")).rejects.toMatchObject({ code: "unavailable" });
    failing.delete("facts");
    expect(await facts.own.forget(ADA as UserId, gull?.id ?? "")).toMatchObject({ facts: 1, areKeysDeleted: false });
    expect([await listFacts(facts), await hearFacts(facts)]).toEqual([[], []]);
    expect(await keyNames()).toEqual([`fact:${gull?.id}`]);
    failing.clear();
    await facts.memory.sweep();
    expect(await keyNames()).toEqual([]);
    await facts.close();
  });
});
