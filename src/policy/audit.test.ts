import { createHmac } from "node:crypto";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { anyEntries } from "../../test/audit/any-entries.ts";
import { aDecision, anEvent, anOperation, aSource } from "../../test/audit/entries.ts";
import { fillDisk } from "../../test/audit/fill-disk.ts";
import { emptyFolder, KEY, openTestAudit } from "../../test/audit/open-test-audit.ts";
import { breakLock, openTestDatabase } from "../../test/support/test-database.ts";
import type { AuditStore } from "../ports/audit-store.ts";
import { toShown } from "../ports/packed-reads.ts";
import { createKeyedHash } from "./audit-chain.ts";
import { verifyAudit } from "./verify-audit.ts";

async function open(more: Parameters<typeof openTestAudit>[1] = {}, file = join(emptyFolder(), "earshot.db")) {
  const test = await openTestAudit(file, more);
  onTestFinished(() => test.close());
  return { ...test, file, verified: () => verifyAudit(test.store, { key: KEY }) };
}

/** Everything that is logged, a line each. */
function collectLog() {
  const lines: string[] = [];
  const line = (level: string) => (fields: object, words: string) =>
    void lines.push(`${level}: ${words} ${JSON.stringify(fields)}`);
  return { lines, log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") } };
}

function countWrites(store: AuditStore): { count: number } {
  const writes = { count: 0 };
  const { write } = store;
  store.write = (change) => {
    writes.count += 1;
    return write.call(store, change);
  };
  return writes;
}

/** More than a page of the database. */
const BIG = "x".repeat(100_000);
const big = (id: string) => anOperation({ id, purpose: BIG });

describe("the audit", () => {
  it("stores entries in the order of the calls", async () => {
    const { audit, store, verified } = await open();
    const entries = [anOperation(), aDecision(), aSource(), aSource({ source_ref: "7/101" }), anEvent()];
    for (const entry of entries) audit.note(entry);
    await audit.settled();
    expect(await store.operation("operation-1")).toEqual(entries.flatMap(toShown));
    expect(await verified()).toMatchObject({ ok: true, rows: 5 });
  });

  it("stores an entry soon, even when nobody waits for it", async () => {
    const { audit, store } = await open();
    audit.note(anOperation());
    await expect.poll(async () => (await store.operation("operation-1")).length).toBe(1);
  });

  it("stores an entry noted ahead together with what somebody waits for", async () => {
    const { audit, store } = await open();
    const writes = countWrites(store);
    const entries = [anOperation(), aDecision(), anEvent()];
    for (const entry of entries) {
      audit.note(entry, { isAhead: true });
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    }
    expect(writes.count).toBe(0);
    await audit.settled();
    expect(writes.count).toBe(1);
    expect(await store.operation("operation-1")).toEqual(entries);
  });

  it("stores an entry noted ahead within five seconds, even when nobody waits for it, or when it is closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { audit, store, file, close } = await open();
    const writes = countWrites(store);
    audit.note(anOperation(), { isAhead: true });
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    await expect.poll(() => writes.count).toBe(1);
    audit.note(aDecision(), { isAhead: true });
    await close();
    const again = await open({}, file);
    expect(await again.store.operation("operation-1")).toHaveLength(2);
  });

  it("stores entries of many callers in the same turn in one transaction", async () => {
    const { audit, store } = await open();
    const writes = countWrites(store);
    const callers = Array.from({ length: 50 }, async (_, index) => {
      audit.note(anOperation({ id: `operation-${index}` }));
      await audit.settled();
    });
    await Promise.all(callers);
    expect(writes.count).toBe(1);
    expect(await store.latest(100)).toHaveLength(50);
  });

  it("settles only when every earlier entry is stored", async () => {
    const { audit, store } = await open();
    const run = fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }), async (turns) => {
      const callers = turns.map(async (wait, index) => {
        const id = `${index} ${Math.random()}`;
        for (let turn = 0; turn < wait; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        audit.note(anOperation({ id }));
        await audit.settled();
        expect(await store.operation(id)).toHaveLength(1);
      });
      await Promise.all(callers);
    });
    await fc.assert(run, { numRuns: 50 });
  });

  it("continues its chain after a restart", async () => {
    const first = await open();
    await first.keep([anOperation(), aDecision()]);
    await first.close();
    const again = await open({}, first.file);
    await again.keep([aSource()]);
    expect(await again.verified()).toMatchObject({ ok: true, rows: 3 });
  });

  it("stores the last entries when it is closed, and refuses entries after that", async () => {
    const { audit, close, file } = await open();
    audit.note(anOperation());
    await close();
    const late = expect.objectContaining({ code: "unavailable", message: expect.stringContaining("closed") });
    expect(() => audit.note(anOperation())).toThrow(late);
    const again = await open({}, file);
    expect(await again.store.latest(5)).toHaveLength(1);
  });

  it("refuses a row that could not be read back unchanged", async () => {
    const { audit, verified } = await open();
    for (const bad of [Number.NaN, 1.5, 2 ** 60, undefined, "1"])
      expect(() => audit.note(anOperation({ opened_at: bad as number }))).toThrow("opened_at");
    expect(() => audit.note(anOperation({ client: null as unknown as string }))).toThrow("client");
    expect(() => audit.note(aDecision({ allowed: 1 as unknown as boolean }))).toThrow("allowed");
    await audit.settled();
    expect(await verified()).toMatchObject({ ok: true, rows: 0 });
  });

  it("reports a failing store to every waiting caller, and stores the entries in order once the store works again", async () => {
    const { audit, store, database, verified } = await open();
    const makeRoom = await fillDisk(database);
    audit.note(big("a"));
    const together = [audit.settled(), audit.settled()];
    for (const each of together) await expect(each).rejects.toMatchObject({ code: "unavailable" });
    audit.note(big("b"));
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    await expect(audit.settled()).rejects.toThrow(/audit.*disk is full/);
    expect(await verified()).toMatchObject({ ok: true, rows: 0 });
    await makeRoom();
    audit.note(big("c"));
    await audit.settled();
    expect((await store.latest(9)).map(({ operation }) => operation.id)).toEqual(["c", "b", "a"]);
    expect(await verified()).toMatchObject({ ok: true, rows: 3 });
  });

  it("keeps failing after entries were lost because too many were waiting", async () => {
    const { audit, store, database, verified } = await open({ mostWaiting: 2 });
    const makeRoom = await fillDisk(database);
    for (const id of ["a", "b"]) {
      audit.note(anEvent({ name: id, detail_json: JSON.stringify(BIG) }));
      await expect(audit.settled()).rejects.toThrow("disk is full");
    }
    expect(() => audit.note(big("refused"))).toThrow("disk is full");
    audit.note(anEvent({ name: "c" }));
    await expect(audit.settled()).rejects.toThrow("lost");
    await makeRoom();
    audit.note(anEvent({ name: "d" }));
    await expect(audit.settled()).rejects.toThrow("lost");
    await expect.poll(async () => (await store.operation("operation-1")).length).toBe(2);
    await expect(audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    expect(await verified()).toMatchObject({ ok: true, rows: 2 });
  });

  it("logs once that it fails, once that it works again, and on closing how many entries were lost", async () => {
    const { lines, log } = collectLog();
    const { audit, store } = await open({ log });
    const { write } = store;
    let isBroken = true;
    store.write = (change) => (isBroken ? Promise.reject(new Error("worn out")) : write.call(store, change));
    for (const id of ["a", "b"]) {
      audit.note(anOperation({ id }));
      const failure = {
        code: "unavailable",
        message: expect.stringMatching(/audit does not keep\. It cannot be written\.$/),
      };
      await expect(audit.settled()).rejects.toMatchObject({ ...failure, cause: { message: "worn out" } });
    }
    expect(lines).toEqual(['error: the audit cannot be kept {"waiting":1,"error":"It cannot be written."}']);
    isBroken = false;
    for (const id of ["c", "d"]) {
      audit.note(anOperation({ id }));
      await audit.settled();
    }
    expect(lines.slice(1)).toEqual(["info: the audit can be kept again {}"]);
    isBroken = true;
    audit.note(anOperation({ id: "e" }));
    await expect(audit.settled()).rejects.toThrow();
    await audit.close();
    await audit.close();
    expect(lines.slice(2)).toEqual([
      'error: the audit cannot be kept {"waiting":1,"error":"It cannot be written."}',
      'error: the audit was closed with entries that could not be kept {"lost":1}',
    ]);
    const quietly = collectLog();
    const well = await open({ log: quietly.log });
    await well.keep([anOperation()]);
    await well.close();
    expect(quietly.lines).toEqual([]);
  });

  it("writes at most a thousand rows at once", async () => {
    const { audit, store, verified } = await open();
    const sizes: number[] = [];
    const { write } = store;
    store.write = (change) => {
      sizes.push(change.rows.length);
      return write.call(store, change);
    };
    for (let index = 0; index < 2_500; index += 1) audit.note(anOperation({ id: `operation-${index}` }));
    await audit.settled();
    expect(sizes).toEqual([1_000, 1_000, 500]);
    expect(await verified()).toMatchObject({ ok: true, rows: 2_500 });
  });

  it("accepts any number of entries at once while the store works", async () => {
    const { audit, verified } = await open({ mostWaiting: 2 });
    for (let index = 0; index < 5_500; index += 1) audit.note(anOperation({ id: `operation-${index}` }));
    await audit.settled();
    expect(await verified()).toMatchObject({ ok: true, rows: 5_500 });
  });

  it("stops pruning when it is closed, and leaves a chain that verifies", async () => {
    const first = await open();
    const many = Array.from({ length: 11_000 }, (_, index) => anOperation({ id: `operation-${index}` }));
    await first.keep(many);
    const pruning = first.audit.prune(5_000);
    await first.close();
    expect(await pruning).toBeLessThan(11_000);
    expect(await (await open({}, first.file)).verified()).toMatchObject({ ok: true });
  });

  it("fails instead of forking the chain when another program writes to it", async () => {
    const first = await open();
    await first.keep([anOperation()]);
    await breakLock(first.file);
    const second = await open({}, first.file);
    await second.keep([anOperation({ id: "operation-2" })]);
    first.audit.note(anOperation({ id: "operation-3" }));
    await expect(first.audit.settled()).rejects.toThrow("another Earshot");
    await expect(first.audit.settled()).rejects.toMatchObject({ code: "unavailable" });
    await second.keep([anOperation({ id: "operation-4" })]);
    expect(await second.verified()).toMatchObject({ ok: true, rows: 3 });
  });

  it("refuses a chain that was made with another key", async () => {
    const first = await open();
    await first.keep([anOperation()]);
    await first.close();
    const key = Buffer.alloc(32, 8);
    const words = expect.stringMatching(
      /made with another key, or its ends were altered\. Put back the key that belongs/,
    );
    await expect(openTestAudit(first.file, { key })).rejects.toMatchObject({ code: "misconfigured", message: words });
    await expect(open({}, first.file)).resolves.toBeDefined();
  });

  it("refuses to start a chain beside existing rows", async () => {
    const first = await open();
    await first.keep([anOperation()]);
    await first.close();
    const database = await openTestDatabase(first.file);
    await database.transaction((change) => change.run("DELETE FROM audit_ends"));
    await database.close();
    await expect(openTestAudit(first.file)).rejects.toMatchObject({ code: "misconfigured" });
  });

  it("hashes a text to the same value with the same key and to another value with another key", async () => {
    const { audit } = await open();
    const other = await open({ key: Buffer.alloc(32, 8) });
    expect(audit.hash("hello")).toBe(audit.hash("hello"));
    expect(audit.hash("hello")).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([audit.hash("hello"), audit.hash("hello "), other.audit.hash("hello")]).size).toBe(3);
  });

  it("hashes text with HMAC-SHA256", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.string(),
        fc.string({ unit: "binary" }),
        (key, purpose, text) => {
          const own = createHmac("sha256", key).update(purpose).digest("hex");
          expect(createKeyedHash(key, purpose)(text)).toBe(createHmac("sha256", own).update(text).digest("hex"));
        },
      ),
    );
  });
});

describe("pruning the audit", () => {
  const operation = (id: string, time: number) => [
    anOperation({ id, opened_at: time, expires_at: time + 10 }),
    aDecision({ operation_id: id, decided_at: time + 1 }),
    aSource({ operation_id: id, loaded_at: time + 2 }),
  ];

  it("erases whole operations that are older, records that, and leaves a chain that verifies", async () => {
    const { audit, store, keep, verified } = await open();
    await keep([...operation("old", 1_000), ...operation("older", 500), ...operation("new", 9_000)]);
    expect(await audit.prune(5_000)).toBe(6);
    expect(await verified()).toMatchObject({ ok: true, rows: 4 });
    expect(await store.operation("old")).toEqual([]);
    expect(await store.operation("new")).toHaveLength(3);
    const [note] = await store.operation("");
    const detail = expect.stringMatching(/^\{"before":5000,"from":1,"to":6,"hash":"\S{20,}"\}$/);
    expect(note?.row).toMatchObject({ name: "pruned", happened_at: 50_000, detail_json: detail });
    expect(await audit.prune(5_000)).toBe(0);
    await keep(operation("newer", 10_000));
    expect(await verified()).toMatchObject({ ok: true, rows: 7 });
  });

  it("keeps an operation with recent entries, and everything written after it began", async () => {
    const { audit, store, keep } = await open();
    await keep([...operation("a", 1), ...operation("b", 2), ...operation("c", 3)]);
    await keep([anEvent({ operation_id: "b", happened_at: 9_000 })]);
    expect(await audit.prune(5_000)).toBe(3);
    expect(await store.operation("b")).toHaveLength(4);
    expect(await store.operation("c")).toHaveLength(3);
  });

  it("ends even when every row is older", async () => {
    const { audit, keep, verified } = await open();
    await keep([...operation("a", 1), ...operation("b", 2)]);
    expect(await audit.prune(Number.MAX_SAFE_INTEGER)).toBe(6);
    expect(await audit.prune(Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(await verified()).toMatchObject({ ok: true, rows: 1 });
  });

  it("works in several portions while new entries are added", async () => {
    const { audit, keep, verified, store } = await open();
    await keep(Array.from({ length: 4_000 }, (_, index) => operation(`old ${index}`, index)).flat());
    const pruning = audit.prune(10_000_000);
    for (let index = 0; index < 20; index += 1) {
      await keep(operation(`new ${index}`, 20_000_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await pruning).toBe(12_000);
    expect(await store.operation("")).toHaveLength(3);
    expect(await verified()).toMatchObject({ ok: true, rows: 63 });
  });

  it("leaves a chain that verifies, whatever was stored and whatever the cut-off time", async () => {
    const run = fc.asyncProperty(anyEntries(0), anyEntries(0), fc.maxSafeNat(), async (before, after, time) => {
      const folder = emptyFolder();
      const test = await openTestAudit(join(folder, "earshot.db"));
      await test.keep(before);
      await test.audit.prune(time);
      await test.keep(after);
      expect(await verifyAudit(test.store, { key: KEY })).toMatchObject({ ok: true });
      await test.close();
    });
    await fc.assert(run, { numRuns: 60 });
  });
});
