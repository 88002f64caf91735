import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifyAudit } from "../../src/policy/verify-audit.ts";
import type { AuditVerification } from "../../src/ports/audit-reader.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { openDurableDatabaseToRead } from "../../src/stores/sqlite/open-sqlite.ts";
import { assertUntil } from "../support/assert-until.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { anyEntries } from "./any-entries.ts";
import { aDecision, anEvent, anOperation, aSource } from "./entries.ts";
import { emptyFolder, KEY, openTestAudit } from "./open-test-audit.ts";

const ROWS = ["operations", "policy_decisions", "context_reads", "confirmations", "audit_events"];
const TABLES = [...ROWS, "audit_thinned", "audit_ends"];
/** Everything that may be thinned is thinned. */
const NO_ROOM = { maxBytes: 1, confined: { clients: [], keptMs: 0 } };

async function writeChain(
  file: string,
  entries: readonly AuditEntry[],
  { pruneBefore = 0, isThinned = false } = {},
): Promise<void> {
  // Late enough that every operation has ended.
  const { keep, audit, close } = await openTestAudit(file, { clock: { now: () => Number.MAX_SAFE_INTEGER } });
  await keep(entries.slice(0, 3));
  await keep(entries.slice(3));
  if (isThinned) await audit.thin(NO_ROOM);
  if (pruneBefore > 0) await audit.prune(pruneBefore);
  await close();
}

async function verify(file: string, head?: string): Promise<AuditVerification> {
  const database = await openDurableDatabaseToRead(file);
  try {
    return await verifyAudit(createAuditStore(database), head === undefined ? { key: KEY } : { key: KEY, head });
  } finally {
    await database.close();
  }
}

/** A hand on the file itself, past the program. */
class Hand {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec("PRAGMA ignore_check_constraints = ON");
    // It would refuse an event whose details are no JSON.
    this.#database.exec("DROP INDEX audit_events_of_messages");
  }

  run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  all(sql: string, ...values: (string | number | null)[]): Record<string, string | number | null>[] {
    return this.#database.prepare(sql).all(...values) as Record<string, string | number | null>[];
  }

  /** Every row of the tables, as pairs of table and place. */
  places(tables: readonly string[]): { table: string; seq: number }[] {
    return tables.flatMap((table) =>
      this.all(`SELECT seq FROM ${table} ORDER BY seq`).map(({ seq }) => ({ table, seq: Number(seq) })),
    );
  }

  row(table: string, seq: number): Record<string, string | number | null> {
    return this.all(`SELECT * FROM ${table} WHERE seq = ?`, seq)[0] ?? {};
  }

  insert(table: string, row: Record<string, string | number | null>): void {
    const names = Object.keys(row);
    this.run(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")})`, ...Object.values(row));
  }

  close(): void {
    this.#database.close();
  }
}

/** What a tampering may choose by. It returns false where it found nothing to change. */
interface Choice {
  readonly pick: number;
  readonly other: number;
  readonly column: number;
  /** Another chain of the same key, with entries of its own. */
  readonly elsewhere: string;
}

const at = <Value>(values: readonly Value[], index: number): Value | undefined => values[index % values.length];

function changed(value: string | number | null, other: number): string | number {
  if (typeof value === "number") return other % 2 ? value + 1 + other : value === 0 ? 1 : 0;
  if (value === null || value === "") return "x";
  return (
    at(
      [`${value}x`, value.slice(1), `${value}\0`, value.toUpperCase() === value ? `${value} ` : value.toUpperCase()],
      other,
    ) ?? ""
  );
}

const tamperings: Readonly<Record<string, (hand: Hand, choice: Choice) => boolean>> = {
  "edits a column"(hand, { pick, other, column }) {
    const place = at(hand.places(TABLES), pick);
    if (!place) return false;
    const row = hand.row(place.table, place.seq);
    const name = at(Object.keys(row), column) ?? "seq";
    const value = name === "seq" ? 1_000 + other : changed(row[name] ?? null, other);
    return hand.run(`UPDATE ${place.table} SET ${name} = ? WHERE seq = ?`, value, place.seq) > 0;
  },
  "makes a number too large to be read"(hand, { pick }) {
    const place = at(hand.places(["operations"]), pick);
    return (
      place !== undefined && hand.run(`UPDATE operations SET opened_at = ${2n ** 62n} WHERE seq = ?`, place.seq) > 0
    );
  },
  "deletes a row"(hand, { pick }) {
    const place = at(hand.places(TABLES), pick);
    return place !== undefined && hand.run(`DELETE FROM ${place.table} WHERE seq = ?`, place.seq) > 0;
  },
  "swaps the contents of two rows"(hand, { pick, other }) {
    const place = at(hand.places(ROWS), pick);
    const second =
      place &&
      at(
        hand.places([place.table]).filter(({ seq }) => seq !== place.seq),
        other,
      );
    if (!place || !second) return false;
    const { seq: _, ...one } = hand.row(place.table, place.seq);
    const { seq: __, ...two } = hand.row(place.table, second.seq);
    if (JSON.stringify(one) === JSON.stringify(two)) return false;
    const write = (row: Record<string, string | number | null>, seq: number) =>
      hand.run(
        `UPDATE ${place.table} SET ${Object.keys(row).map((name) => `${name} = ?`)} WHERE seq = ?`,
        ...Object.values(row),
        seq,
      );
    write(two, place.seq);
    write(one, second.seq);
    return true;
  },
  "adds a copy of a row"(hand, { pick, other }) {
    const place = at(hand.places(TABLES), pick);
    if (!place) return false;
    const free = [-5, 0, ...Array.from({ length: 30 }, (_, index) => index + 1), 2 ** 40].filter(
      (seq) => !hand.places([place.table]).some((each) => each.seq === seq),
    );
    hand.insert(place.table, { ...hand.row(place.table, place.seq), seq: at(free, other) ?? 99 });
    return true;
  },
  "adds a copy of a row at the end, with another hash"(hand, { pick, other }) {
    const place = at(hand.places(ROWS), pick);
    if (!place) return false;
    const seq = lastOf(hand) + 1;
    const another = at(hand.places(ROWS), other) ?? place;
    const { hash = "" } = hand.row(another.table, another.seq);
    hand.insert(place.table, { ...hand.row(place.table, place.seq), seq, hash });
    if (other % 2) hand.run("UPDATE audit_ends SET head_seq = ?", seq);
    return true;
  },
  "cuts off the end"(hand, { pick, other }) {
    const place = at(hand.places(ROWS), pick);
    if (!place) return false;
    for (const table of ROWS) hand.run(`DELETE FROM ${table} WHERE seq >= ?`, place.seq);
    const last = hand.places(ROWS).find(({ seq }) => seq === lastOf(hand));
    if (other % 2 && last)
      hand.run(
        "UPDATE audit_ends SET head_seq = ?, head_hash = ?",
        last.seq,
        hand.row(last.table, last.seq)["hash"] ?? "",
      );
    return true;
  },
  "cuts off the beginning"(hand, { pick }) {
    const place = at(hand.places(ROWS), pick);
    if (!place) return false;
    const { hash } = hand.row(place.table, place.seq);
    for (const table of ROWS) hand.run(`DELETE FROM ${table} WHERE seq <= ?`, place.seq);
    hand.run("UPDATE audit_ends SET base_seq = ?, base_hash = ?", place.seq, hash ?? "");
    return true;
  },
  "erases rows and claims that Earshot has thinned them"(hand, { pick, other }) {
    const place = at(hand.places(ROWS), pick);
    if (!place) return false;
    const { hash } = hand.row(place.table, place.seq);
    for (const table of ROWS) hand.run(`DELETE FROM ${table} WHERE seq = ?`, place.seq);
    const [record] = hand.all("SELECT * FROM audit_thinned");
    const seal = other % 2 ? record?.["seal"] : hash;
    hand.insert("audit_thinned", { seq: place.seq, last_seq: place.seq, hash: hash ?? "", seal: seal ?? "ab" });
    return true;
  },
  "makes a thinned interval larger"(hand, { pick, other }) {
    const place = at(hand.places(["audit_thinned"]), pick);
    if (!place) return false;
    const { last_seq } = hand.row("audit_thinned", place.seq);
    const next = Number(last_seq) + 1;
    const following = hand.places(ROWS).find(({ seq }) => seq === next);
    if (!following) return false;
    const { hash } = hand.row(following.table, next);
    for (const table of ROWS) hand.run(`DELETE FROM ${table} WHERE seq = ?`, next);
    hand.run("UPDATE audit_thinned SET last_seq = ? WHERE seq = ?", next, place.seq);
    if (other % 2) hand.run("UPDATE audit_thinned SET hash = ? WHERE seq = ?", hash ?? "", place.seq);
    return true;
  },
  "empties everything"(hand) {
    for (const table of TABLES) hand.run(`DELETE FROM ${table}`);
    return true;
  },
  "splices in one row of another chain"(hand, { pick, elsewhere }) {
    const there = new Hand(elsewhere);
    const place = at(hand.places(ROWS), pick);
    const source =
      place &&
      at(
        there.places(ROWS).filter(({ seq }) => seq === place.seq),
        0,
      );
    if (source) moveRow(there, hand, source.seq);
    there.close();
    return source !== undefined;
  },
  "splices in the end of another chain"(hand, { pick, other, elsewhere }) {
    const there = new Hand(elsewhere);
    const place = at(hand.places(ROWS), pick);
    if (!place) return false;
    for (const table of ROWS) hand.run(`DELETE FROM ${table} WHERE seq >= ?`, place.seq);
    const later = there.places(ROWS).filter(({ seq }) => seq >= place.seq);
    for (const { seq } of later) moveRow(there, hand, seq);
    if (other % 2) {
      hand.run("DELETE FROM audit_ends");
      const { base_seq, base_hash } = there.row("audit_ends", 1);
      const isWhole = base_seq === 0 && base_hash !== undefined && place.seq === 1;
      hand.insert("audit_ends", there.row("audit_ends", 1));
      there.close();
      // That would be the other chain as a whole, which only a noted head tells.
      return !isWhole;
    }
    there.close();
    return true;
  },
};

/** The position of the last row. */
const lastOf = (hand: Hand) => Math.max(0, ...hand.places(ROWS).map(({ seq }) => seq));

function moveRow(from: Hand, to: Hand, seq: number): void {
  for (const table of ROWS) {
    to.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
    const row = from.row(table, seq);
    if (row["seq"] === seq) to.insert(table, row);
  }
}

/** An operation that has ended with reads, a refusal and a send: half of it can be thinned. */
const STORY: readonly AuditEntry[] = [
  anOperation(),
  aDecision(),
  aSource(),
  aSource({ source_ref: "7/101" }),
  aDecision({ id: "decision-2", allowed: false, failed_check: "see", reason: "actor_cannot_read" }),
  anEvent({ name: "send_begun" }),
  anEvent({ name: "searched" }),
  anEvent({ name: "send_done" }),
];

const anyChoice = fc.record({ pick: fc.nat(1_000), other: fc.nat(1_000), column: fc.nat(1_000) });

describe.skipIf(IS_ON_POSTGRES)("verifying the audit chain", () => {
  it.each(Object.keys(tamperings))("fails when somebody %s", async (name) => {
    let tried = 0;
    const run = fc.asyncProperty(anyEntries(2), anyEntries(2), anyChoice, async (some, others, choice) => {
      const entries = [...STORY.slice(0, choice.pick % 9), ...some];
      const folder = mkdtempSync(join(tmpdir(), "earshot-audit-"));
      try {
        const [file, elsewhere] = [join(folder, "earshot.db"), join(folder, "elsewhere.db")];
        const pruneBefore = choice.pick % 3 === 0 ? choice.other : 0;
        await writeChain(file, entries, { pruneBefore, isThinned: choice.column % 2 === 0 });
        if (name.startsWith("splices")) await writeChain(elsewhere, choice.column % 3 === 0 ? entries : others);
        expect(await verify(file)).toMatchObject({ ok: true });
        const hand = new Hand(file);
        const hasChanged = tamperings[name]?.(hand, { ...choice, elsewhere });
        hand.close();
        if (!hasChanged) return;
        tried += 1;
        const verified = await verify(file);
        expect(verified).toMatchObject({ ok: false, at: expect.any(Number), problem: expect.any(String) });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
    await assertUntil(run, () => expect(tried).toBeGreaterThan(2), { numRuns: 12 });
  });

  it("names the position of a changed row", async () => {
    const file = join(emptyFolder(), "earshot.db");
    await writeChain(file, [anOperation(), aDecision(), aSource(), aSource({ source_ref: "7/101" })]);
    const hand = new Hand(file);
    hand.run("UPDATE context_reads SET reads_json = replace(reads_json, '100', '101') WHERE seq = 3");
    hand.close();
    expect(await verify(file)).toEqual({ ok: false, at: 3, problem: "What stands there is not what was written." });
  });

  it("names the position of an added row", async () => {
    const file = join(emptyFolder(), "earshot.db");
    await writeChain(file, [anOperation(), aDecision(), aSource(), aSource({ source_ref: "7/101" })]);
    const hand = new Hand(file);
    hand.insert("context_reads", { ...hand.row("context_reads", 4), seq: 2 });
    hand.close();
    const problem = "A row stands there that the chain does not know.";
    expect(await verify(file)).toEqual({ ok: false, at: 2, problem });
  });

  it("detects a file restored from an older copy when a later head was noted", async () => {
    const file = join(emptyFolder(), "earshot.db");
    await writeChain(file, [anOperation(), aDecision()]);
    const early = await verify(file);
    copyFileSync(file, `${file}.old`);
    await writeChain(file, [aSource()]);
    const late = await verify(file);
    if (!early.ok || !late.ok) throw new Error("both are whole");
    expect(await verify(file, early.head)).toMatchObject({ ok: true, rows: 3 });
    expect(await verify(file, late.head.toUpperCase())).toMatchObject({ ok: true });
    copyFileSync(`${file}.old`, file);
    expect(await verify(file)).toEqual(early);
    expect(await verify(file, early.head)).toEqual(early);
    expect(await verify(file, late.head)).toMatchObject({ ok: false, at: 2 });
  });

  it("detects an end taken from a copy that continued differently", async () => {
    const folder = emptyFolder();
    const [file, elsewhere] = [join(folder, "earshot.db"), join(folder, "elsewhere.db")];
    await writeChain(file, [anOperation(), aDecision()]);
    copyFileSync(file, elsewhere);
    await writeChain(file, [aSource({ source_ref: "here" })]);
    await writeChain(elsewhere, [aSource({ source_ref: "there" })]);
    const [hand, there] = [new Hand(file), new Hand(elsewhere)];
    moveRow(there, hand, 3);
    for (const each of [hand, there]) each.close();
    expect(await verify(elsewhere)).toMatchObject({ ok: true });
    expect(await verify(file)).toEqual({ ok: false, at: 3, problem: "The chain does not lead to its end." });
  });

  it("succeeds after thinning, which erases only reads", async () => {
    const file = join(emptyFolder(), "earshot.db");
    await writeChain(file, STORY, { isThinned: true });
    expect(await verify(file)).toMatchObject({ ok: true, rows: 6, thinned: 3 });
    const hand = new Hand(file);
    expect(hand.all("SELECT seq, last_seq FROM audit_thinned")).toEqual([
      { seq: 3, last_seq: 4 },
      { seq: 7, last_seq: 7 },
    ]);
    expect(hand.places(ROWS).map(({ seq }) => seq)).toEqual([1, 2, 5, 6, 8, 9]);
    hand.close();
  });

  it("detects rows before a thinned interval taken from a copy that continued differently", async () => {
    const folder = emptyFolder();
    const [file, elsewhere] = [join(folder, "earshot.db"), join(folder, "elsewhere.db")];
    await writeChain(file, [anOperation()]);
    copyFileSync(file, elsewhere);
    await writeChain(file, [anEvent({ detail_json: "here" }), aSource()], { isThinned: true });
    await writeChain(elsewhere, [anEvent({ detail_json: "there" }), aSource()], { isThinned: true });
    const [hand, there] = [new Hand(file), new Hand(elsewhere)];
    moveRow(there, hand, 2);
    for (const each of [hand, there]) each.close();
    const problem = "What is missing there was not thinned by Earshot.";
    expect(await verify(file)).toEqual({ ok: false, at: 3, problem });
  });

  it("succeeds while rows are added and pruned", async () => {
    const file = join(emptyFolder(), "earshot.db");
    const { keep, audit, close } = await openTestAudit(file);
    const many = Array.from({ length: 5_000 }, (_, index) => anOperation({ id: `operation-${index}` }));
    await keep(many);
    const verifying = verify(file);
    await keep([anOperation({ id: "operation-later", expires_at: 9_000 })]);
    expect(await audit.prune(3_000)).toBe(5_000);
    expect(await verifying).toMatchObject({ ok: true, rows: 5_000 });
    expect(await verify(file)).toMatchObject({ ok: true, rows: 2 });
    await close();
  });
});

/** By another process: to close a file that SQLite has open would let go of its locks. */
function readFiles(folder: string): string {
  return execFileSync("sh", ["-c", 'cat "$0"/*', folder], { maxBuffer: 64 * 1024 * 1024 }).toString("latin1");
}

describe.skipIf(IS_ON_POSTGRES)("the audit files", () => {
  it("contain no byte of message text", async () => {
    const folder = emptyFolder();
    const { keep, audit, close } = await openTestAudit(join(folder, "earshot.db"));
    const text = "the heron keeps the spare key";
    await keep([anOperation(), aDecision(), aSource({ source_ref: "7/4242" }, { hash: audit.hash(text) })]);
    const bytes = () => readFiles(folder);
    const whileOpen = bytes();
    await close();
    for (const all of [whileOpen, bytes()]) {
      expect(all).toContain("4242");
      expect(all).not.toContain("heron");
      for (const plain of ["sha256", "sha1", "md5"])
        expect(all).not.toContain(createHash(plain).update(text).digest("hex"));
    }
  });

  it("contain no byte of thinned rows", async () => {
    const folder = emptyFolder();
    const { keep, audit, close } = await openTestAudit(join(folder, "earshot.db"));
    await keep([anOperation(), anEvent({ name: "send_done" }), aSource({ source_ref: "source-that-left" })]);
    const bytes = () => readFiles(folder);
    expect(bytes()).toContain("that-left");
    expect(await audit.thin(NO_ROOM)).toMatchObject({ rows: 1 });
    expect(bytes()).not.toContain("that-left");
    await close();
    expect(bytes()).not.toContain("that-left");
  });

  it("contain no byte of pruned rows", async () => {
    const folder = emptyFolder();
    const { keep, audit, close } = await openTestAudit(join(folder, "earshot.db"));
    await keep([anOperation({ client: "client-that-left" }), aSource({ source_ref: "source-that-left" })]);
    const bytes = () => readFiles(folder);
    expect(bytes()).toContain("that-left");
    expect(await audit.prune(5_000)).toBe(2);
    expect(bytes()).not.toContain("that-left");
    await close();
    expect(bytes()).not.toContain("that-left");
  });
});
