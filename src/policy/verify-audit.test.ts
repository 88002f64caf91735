import { describe, expect, it } from "vitest";
import { AUDIT_KINDS } from "../ports/audit-columns.ts";
import type { AuditKind, AuditSnapshot, ChainEnds, RowText } from "../ports/audit-store.ts";
import { createAuditChain } from "./audit-chain.ts";
import { verifyAudit } from "./verify-audit.ts";

const KEY = new Uint8Array(32).fill(7);
const [FIRST, SECOND] = AUDIT_KINDS as [AuditKind, AuditKind];

/** A chain as it lies in a file, open to any hand. */
interface Lying {
  ends: ChainEnds | null;
  rows: Map<AuditKind, RowText[]>;
}

/** This many rows after the base, of two kinds by turns. */
function lay(count: number, base = { seq: 4, hash: "ab".repeat(32) }): Lying {
  const chain = createAuditChain(KEY);
  const lying: Lying = { ends: null, rows: new Map() };
  let hash = base.hash;
  for (let seq = base.seq + 1; seq <= base.seq + count; seq += 1) {
    const kind = seq % 2 ? FIRST : SECOND;
    const text = JSON.stringify([seq, `row ${seq}`]);
    hash = chain.link(hash, kind, text);
    lying.rows.set(kind, [...(lying.rows.get(kind) ?? []), [seq, text, hash]]);
  }
  lying.ends = chain.seal(base, { seq: base.seq + count, hash });
  return lying;
}

function verify(lying: Lying, head?: string) {
  const within = <Item extends readonly [number, ...unknown[]]>(items: readonly Item[], from: number, to: number) =>
    items.filter(([seq]) => seq >= from && seq <= to);
  let closed = 0;
  const snapshot: AuditSnapshot = {
    allEnds: lying.ends ? [lying.ends] : [],
    thinned: async () => [],
    rows: async (kind, from, to) => within(lying.rows.get(kind) ?? [], from, to),
    async close() {
      closed += 1;
    },
  };
  const verified = verifyAudit({ openSnapshot: async () => snapshot }, { key: KEY, ...(head && { head }) });
  return verified.finally(() => expect(closed).toBe(1));
}

const problem = (at: number, words: string) => ({ ok: false, at, problem: words });

describe("verifying a chain", () => {
  it("returns the number of rows and the head when the chain is intact", async () => {
    const lying = lay(7);
    expect(await verify(lying)).toEqual({ ok: true, rows: 7, thinned: 0, head: lying.ends?.head.hash });
    expect(await verify(lay(0))).toEqual({ ok: true, rows: 0, thinned: 0, head: "ab".repeat(32) });
  });

  it("checks whether a noted head is in the chain, including its base", async () => {
    const lying = lay(7);
    for (const noted of [lying.rows.get(SECOND)?.[1]?.[2], lying.ends?.head.hash.toUpperCase(), lying.ends?.base.hash])
      expect(await verify(lying, noted)).toMatchObject({ ok: true });
    const causes = "the file was put back to an older or another one, or what stood there has been pruned or thinned";
    const unknown = problem(11, `The head that was noted is not in the chain: ${causes}.`);
    expect(await verify(lying, "cd".repeat(32))).toEqual(unknown);
  });

  it("fails when the ends are missing or do not match their seal", async () => {
    expect(await verify({ ...lay(3), ends: null })).toEqual(
      problem(0, "The ends of the chain are missing, or doubled."),
    );
    const { ends, ...lying } = lay(3);
    if (!ends) throw new Error("there are ends");
    const words = "The ends of the chain were altered, or the key is not the one it was made with.";
    expect(await verify({ ...lying, ends: { ...ends, seal: "00" } })).toEqual(problem(7, words));
    expect(await verify({ ...lying, ends: { ...ends, base: { ...ends.base, seq: 5 } } })).toEqual(problem(7, words));
  });

  it("names the position where something is missing, changed or added", async () => {
    const robbed = lay(6);
    robbed.rows.get(FIRST)?.splice(1, 1);
    expect(await verify(robbed)).toEqual(problem(7, "The row that belongs there is missing."));
    const short = lay(6);
    short.rows.get(SECOND)?.pop();
    expect(await verify(short)).toEqual(problem(10, "The row that belongs there is missing."));
    const changed = lay(6);
    changed.rows.get(FIRST)?.splice(1, 1, [7, '[7,"another"]', "00"]);
    expect(await verify(changed)).toEqual(problem(7, "What stands there is not what was written."));
    const stranger = lay(6);
    stranger.rows.get(SECOND)?.splice(1, 0, [7, '[7,"too much"]', "00"]);
    expect(await verify(stranger)).toEqual(problem(7, "A row stands there that the chain does not know."));
    const before = lay(6);
    before.rows.get(FIRST)?.unshift([2, "[2]", "00"]);
    expect(await verify(before)).toEqual(problem(2, "A row stands there that the chain does not know."));
    const after = lay(6);
    after.rows.get(FIRST)?.push([99, "[99]", "00"]);
    expect(await verify(after)).toEqual(problem(99, "A row stands there that the chain does not know."));
  });

  it("detects a chain that was rebuilt without the key", async () => {
    const lying = lay(3);
    const forged = createAuditChain(new Uint8Array(32).fill(8));
    const text = '[6,"forged"]';
    const before = lying.rows.get(FIRST)?.[0]?.[2] ?? "";
    lying.rows.set(SECOND, [[6, text, forged.link(before, SECOND, text)]]);
    expect(await verify(lying)).toEqual(problem(6, "What stands there is not what was written."));
  });

  it("reports unreadable rows as a problem, and rethrows every other error", async () => {
    const lying = lay(3);
    const broken = async (): Promise<never> => {
      throw new Error("disk");
    };
    const snapshot = {
      allEnds: lying.ends ? [lying.ends] : [],
      thinned: async () => [],
      rows: broken,
      close: async () => {},
    };
    const unreadable = problem(0, "What stands there or soon after cannot be read.");
    expect(await verifyAudit({ openSnapshot: async () => snapshot }, { key: KEY })).toEqual(unreadable);
    const late = { ...snapshot, rows: async (_: AuditKind, from: number) => (from > 4 ? broken() : []) };
    const ends = createAuditChain(KEY).seal({ seq: 4, hash: "ab" }, { seq: 4, hash: "ab" });
    expect(await verifyAudit({ openSnapshot: async () => ({ ...late, allEnds: [ends] }) }, { key: KEY })).toEqual(
      problem(5, "What stands there or soon after cannot be read."),
    );
    const odd = {
      ...snapshot,
      get allEnds(): never {
        throw new TypeError("a fault of our own");
      },
    };
    await expect(verifyAudit({ openSnapshot: async () => odd }, { key: KEY })).rejects.toThrow("a fault of our own");
  });
});
