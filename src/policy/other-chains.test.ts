import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { anEvent, anOperation, aSource } from "../../test/audit/entries.ts";
import { emptyFolder, KEY, quiet } from "../../test/audit/open-test-audit.ts";
import { openTestDatabase } from "../../test/support/test-database.ts";
import { CHAIN_PLACES, chainOf } from "../ports/audit-store.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import { openAudit } from "./audit.ts";
import { verifyAudit } from "./verify-audit.ts";

const TABLES = ["operations", "policy_decisions", "context_reads", "audit_events"];
const LATE = Number.MAX_SAFE_INTEGER;
const NO_ROOM = { maxBytes: 1, confined: { clients: [], keptMs: 0 } };

/** Several processes on one database, each with a chain of its own. */
async function arrive() {
  const database = await openTestDatabase(join(emptyFolder(), "earshot.db"));
  onTestFinished(() => database.close());
  const store = createAuditStore(database);
  let minted = 0;
  const open = async (chainNumber: number) => {
    const deps = { key: KEY, clock: { now: () => LATE }, log: quiet, mintId: () => `origin ${++minted}` };
    const audit = await openAudit(store, { ...deps, chainNumber });
    const keep = async (id: string) => {
      for (const entry of [anOperation({ id }), aSource({ operation_id: id }), aSource({ operation_id: id })])
        audit.note(entry);
      await audit.settled();
    };
    return { audit, keep };
  };
  /** A hand on the database itself, past the program. */
  const remove = (chain: number, from = 0) =>
    database.transaction(async (change) => {
      const places = { from: chain * CHAIN_PLACES + from, until: (chain + 1) * CHAIN_PLACES };
      for (const table of TABLES) await change.run(`DELETE FROM ${table} WHERE seq >= :from AND seq < :until`, places);
      if (from === 0) await change.run("DELETE FROM audit_ends WHERE seq = :seq", { seq: chain + 1 });
    });
  return { database, store, open, remove, verify: () => verifyAudit(store, { key: KEY }) };
}

describe("the chains of several processes", () => {
  it("verify together, whatever each of them adds, thins and prunes", async () => {
    const { store, open, verify } = await arrive();
    const [one, two] = [await open(0), await open(1)];
    await Promise.all([one.keep("a"), two.keep("b"), one.keep("c"), two.keep("d")]);
    expect(await verify()).toMatchObject({ ok: true, rows: 13, thinned: 0 });
    await two.audit.thin(NO_ROOM);
    expect(await store.operation("a")).toHaveLength(3);
    expect(await store.operation("b")).toHaveLength(0);
    expect(await verify()).toMatchObject({ ok: true });
    await one.audit.prune(LATE);
    expect(await store.operation("a")).toHaveLength(0);
    expect(await verify()).toMatchObject({ ok: true });
    const again = await open(1);
    await again.keep("e");
    expect(await verify()).toMatchObject({ ok: true });
  });

  it("are noticed when they are removed whole: a new chain begins with the heads of the others", async () => {
    const { store, open, remove, verify } = await arrive();
    await (await open(0)).keep("a");
    const { head } = (await store.ends(0)) as NonNullable<Awaited<ReturnType<typeof store.ends>>>;
    await open(1);
    const [first] = await store.housekeeping(1);
    expect(first).toMatchObject({ name: "other_chains", detail_json: JSON.stringify({ heads: [head] }) });
    await remove(0);
    expect(await verify()).toMatchObject({ ok: false, at: head.seq, problem: expect.stringContaining("missing") });
  });

  it("are noticed when they began later, once a running one has noted them, each state once", async () => {
    const { store, open, remove, verify } = await arrive();
    const one = await open(0);
    await one.keep("a");
    const two = await open(1);
    await two.keep("b");
    await one.audit.noteOthers();
    await one.audit.noteOthers();
    const noted = async () => (await store.eventsNamed("other_chains")).length;
    expect(await noted()).toBe(2);
    await two.keep("c");
    await one.audit.noteOthers();
    expect(await noted()).toBe(3);
    expect(await verify()).toMatchObject({ ok: true });
    await remove(1);
    expect(await verify()).toMatchObject({ ok: false, problem: expect.stringContaining("A chain is missing") });
  });

  it("are noticed when one is put back to where it was before another noted it", async () => {
    const { database, store, open, remove, verify } = await arrive();
    const [one, two] = [await open(0), await open(1)];
    await two.keep("a");
    const older = await database.query("SELECT * FROM audit_ends WHERE seq = 2");
    const { head } = (await store.ends(1)) as NonNullable<Awaited<ReturnType<typeof store.ends>>>;
    await two.keep("b");
    await one.audit.noteOthers();
    await remove(1, head.seq - CHAIN_PLACES + 1);
    await database.transaction(async (change) => {
      await change.run("DELETE FROM audit_ends WHERE seq = 2");
      await change.insert("audit_ends", older as never);
    });
    expect(await verify()).toMatchObject({ ok: false, at: head.seq, problem: expect.stringContaining("ends before") });
    expect(chainOf(head.seq)).toBe(1);
  });

  it("tell nothing of others by a row of a client's that only looks like theirs", async () => {
    const { open, verify } = await arrive();
    const { audit } = await open(0);
    const heads = [{ seq: CHAIN_PLACES + 5, hash: "none" }];
    audit.note(anEvent({ operation_id: "a", name: "other_chains", detail_json: JSON.stringify({ heads }) }));
    await audit.settled();
    expect(await verify()).toMatchObject({ ok: true, rows: 1 });
  });
});
