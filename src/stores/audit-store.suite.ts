import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AUDIT_COLUMNS } from "../ports/audit-columns.ts";
import type {
  AuditEntry,
  AuditStore,
  ChainEnds,
  ChainRow,
  OperationRow,
  ThinBatch,
  ThinnedInterval,
} from "../ports/audit-store.ts";
import { packReads } from "../ports/packed-reads.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface AuditStoreFixture {
  readonly store: AuditStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<AuditStore>;
  close(): Promise<void>;
}

/** Writes rows with made-up hashes: a store knows no key. */
class Writer {
  readonly store: AuditStore;
  ends: ChainEnds | null = null;

  constructor(store: AuditStore) {
    this.store = store;
  }

  /** Erases what a batch names. */
  async thin(batch: ThinBatch | null): Promise<void> {
    const intervals = batch?.intervals ?? [];
    const thinned = intervals.map(({ from, to, hash }) => ({ from, to, hash, seal: `${from} to ${to}` }));
    await this.write([], undefined, thinned);
  }

  async write(
    entries: readonly AuditEntry[],
    base = this.ends?.base.seq ?? 0,
    thinned: readonly ThinnedInterval[] = [],
  ): Promise<void> {
    const first = (this.ends?.head.seq ?? 0) + 1;
    const rows = entries.map(({ ...entry }, index) => toChainRow(entry, first + index));
    const head = { seq: first - 1 + rows.length, hash: hashAt(first - 1 + rows.length) };
    const ends = { base: { seq: base, hash: hashAt(base) }, head, seal: `seal ${base} ${head.seq}` };
    await this.store.write({ after: this.ends, rows, ends, thinned });
    this.ends = ends;
  }
}

const hashAt = (seq: number) => `hash ${seq}`;
const toValues = ({ kind, row }: AuditEntry) => {
  const given = JSON.parse(JSON.stringify(row, (_, value) => (typeof value === "boolean" ? Number(value) : value)));
  return Object.keys(AUDIT_COLUMNS[kind]).map((name) => given[name] as string);
};
const toChainRow = (entry: AuditEntry, seq: number): ChainRow => ({
  kind: entry.kind,
  row: [seq, ...toValues(entry)],
  hash: hashAt(seq),
});

const ROW: OperationRow = {
  id: "one",
  client: "brain",
  actor_id: "11",
  guild_id: null,
  channel_id: "7",
  thread_id: null,
  message_id: null,
  parent_message_id: null,
  purpose: "answer",
  destination: "actor",
  opened_at: 1,
  expires_at: 2,
};
const opened = (id: string, time = 1): AuditEntry => ({
  kind: "operation",
  row: { ...ROW, id, opened_at: 0, expires_at: time },
});
const happened = (operation_id: string, time = 1): AuditEntry => ({
  kind: "event",
  row: { operation_id, name: "x", detail_json: "{}", happened_at: time },
});
const decided = (operation_id: string, allowed = true): AuditEntry => ({
  kind: "decision",
  row: {
    ...{ id: "d", operation_id, tool: "t", effect: "read", target: "channel:7", allowed },
    ...{ failed_check: allowed ? null : "see", reason: "r", inputs_json: "{}", decided_at: 1 },
  },
});
const read = (operation_id: string, count = 1): AuditEntry => {
  const source = { type: "docs", tokens: 1, scope: { type: "guild" as const, id: "5" }, decisionId: "d" };
  const sources = Array.from({ length: count }, (_, index) => ({ ...source, ref: `5/${index}` }));
  const reads_json = packReads([], sources);
  return { kind: "reads", row: { operation_id, tool: "t", read_at: 1, texts_hash: "h", reads_json } };
};
const EVERYTHING = [-Infinity, Infinity] as const;

/** The contract of every store of the audit. */
export function describeAuditStore(name: string, open: () => Promise<AuditStoreFixture>): void {
  describe(`${name} as an audit store`, () => {
    const using = async <Result>(work: (fixture: AuditStoreFixture & { writer: Writer }) => Promise<Result>) => {
      const fixture = await open();
      try {
        return await work({ ...fixture, writer: new Writer(fixture.store) });
      } finally {
        await fixture.close();
      }
    };

    it("knows within which operations a message was sent, also after a restart", () =>
      using(async ({ writer, reopen }) => {
        const event = (operation_id: string, name: string, message_id: string): AuditEntry => {
          const detail_json = JSON.stringify({ channel_id: "7", message_id });
          return { kind: "event", row: { operation_id, name, detail_json, happened_at: 1 } };
        };
        await writer.write([opened("one"), event("one", "send_done", "70"), event("one", "react_done", "71")]);
        const again = await reopen();
        expect(await again.sent("70")).toEqual([{ client: "brain", actorId: "11", channelId: "7", isAnswer: false }]);
        for (const id of ["71", "72"]) expect(await again.sent(id)).toEqual([]);
      }));

    it("lists the operations of some clients that ended after a time, oldest first", () =>
      using(async ({ store, writer }) => {
        const of = (id: string, client: string, time: number): AuditEntry => ({
          kind: "operation",
          row: { ...ROW, id, client, opened_at: 0, expires_at: time },
        });
        await writer.write([
          of("a", "one", 5),
          of("b", "two", 6),
          of("c", "three", 7),
          of("d", "one", 8),
          of("e", "one", 4),
        ]);
        const ids = async (since: number, clients: readonly string[]) =>
          (await store.operationsSince({ since, clients })).map(({ id }) => id);
        expect(await ids(4, ["one", "two"])).toEqual(["a", "b", "d"]);
        expect(await ids(7, ["one", "two", "three"])).toEqual(["d"]);
        expect(await ids(0, [])).toEqual([]);
        expect(await ids(0, ["nobody' OR 1=1"])).toEqual([]);
        expect(await store.operationsSince({ since: 7, clients: ["one"] })).toEqual([
          { ...ROW, id: "d", opened_at: 0, expires_at: 8, client: "one" },
        ]);
      }));

    it("has no ends before the chain begins, and the last written ends afterwards", () =>
      using(async ({ store, writer }) => {
        expect(await store.ends(0)).toBeNull();
        await writer.write([]);
        expect(await store.ends(0)).toEqual(writer.ends);
        await writer.write([opened("one"), happened("one")]);
        expect(await store.ends(0)).toEqual(writer.ends);
        expect(writer.ends?.head).toEqual({ seq: 2, hash: "hash 2" });
      }));

    it("still has after a restart what was written before", () =>
      using(async ({ writer, reopen }) => {
        await writer.write([opened("one"), happened("one")]);
        const again = await reopen();
        expect(await again.ends(0)).toEqual(writer.ends);
        expect(await again.operation("one")).toEqual([opened("one"), happened("one")]);
      }));

    it("refuses to write after ends that do not match, and then writes nothing", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one")]);
        const behind = new Writer(store);
        await expect(behind.write([opened("two")])).rejects.toMatchObject({ code: "misconfigured" });
        behind.ends = { base: { seq: 0, hash: "hash 0" }, head: { seq: 1, hash: "hash 1" }, seal: "another seal" };
        await expect(behind.write([opened("two")])).rejects.toMatchObject({ code: "misconfigured" });
        expect(await store.operation("two")).toEqual([]);
        expect(await store.ends(0)).toEqual(writer.ends);
      }));

    it("writes a whole change or nothing", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one")]);
        const { ends: after } = writer;
        if (!after) throw new Error("there are ends");
        const rows = [toChainRow(opened("two"), 2), toChainRow(opened("three"), 1)];
        const ends = { ...after, head: { seq: 3, hash: "hash 3" }, seal: "new" };
        await expect(store.write({ after, rows, ends })).rejects.toMatchObject({ code: "unavailable" });
        expect(await store.operation("two")).toEqual([]);
        expect(await store.ends(0)).toEqual(after);
        await writer.write([opened("four")]);
        expect(await store.operation("four")).toHaveLength(1);
      }));

    it("returns all entries of one operation in order, and none of others", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one"), opened("two"), happened("two"), happened("one")]);
        await writer.write([happened("one", 7), opened("one", 9)]);
        const all = [opened("one"), happened("one"), happened("one", 7), opened("one", 9)];
        expect(await store.operation("one")).toEqual(all);
        expect(await store.operation("nobody's")).toEqual([]);
      }));

    it("lists the latest operations first, with their numbers of sources and refusals", () =>
      using(async ({ store, writer }) => {
        expect(await store.latest(5)).toEqual([]);
        const second = [opened("two"), decided("two"), decided("two", false), read("two", 3), read("two")];
        await writer.write([opened("one"), ...second]);
        await writer.write([opened("three"), decided("three", false)]);
        const rows = (await store.latest(2)).map(({ operation, ...counts }) => [operation, counts]);
        expect(rows).toEqual([
          [opened("three").row, { sources: 0, refusals: 1, isThinned: false }],
          [opened("two").row, { sources: 4, refusals: 1, isThinned: false }],
        ]);
        expect(await store.latest(100)).toHaveLength(3);
      }));

    it("shows one moment in a snapshot, whatever is written meanwhile", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one"), happened("one"), happened("one")]);
        const before = writer.ends;
        const snapshot = await store.openSnapshot();
        try {
          await writer.write([opened("two")], 2);
          expect(snapshot.allEnds).toEqual([before]);
          const text = JSON.stringify([3, "one", "x", "{}", 1]);
          expect(await snapshot.rows("event", 3, 9)).toEqual([[3, text, "hash 3"]]);
          expect(await snapshot.rows("operation", ...EVERYTHING)).toHaveLength(1);
          expect(await snapshot.rows("reads", ...EVERYTHING)).toEqual([]);
        } finally {
          await snapshot.close();
          await snapshot.close();
        }
        const later = await store.openSnapshot();
        expect((await later.rows("event", ...EVERYTHING)).map(([seq]) => seq)).toEqual([3]);
        expect((await later.rows("operation", ...EVERYTHING)).map(([seq]) => seq)).toEqual([4]);
        await later.close();
      }));

    it("returns every text exactly as written, and in a snapshot as JSON.stringify writes it", () =>
      using(async ({ store, writer }) => {
        const codes = Array.from({ length: 0x1_1000 }, (_, code) => code);
        const isSurrogate = (code: number) => code >= 0xd800 && code < 0xe000;
        const everything = codes
          .filter((code) => code > 0 && !isSurrogate(code))
          .map((code) => String.fromCodePoint(code));
        const entry = {
          ...opened("one"),
          row: { ...ROW, client: everything.join(""), message_id: '{"a":[1]}', opened_at: -1 },
        };
        await writer.write([entry as AuditEntry]);
        expect(await store.operation("one")).toEqual([entry]);
        const snapshot = await store.openSnapshot();
        const [row] = await snapshot.rows("operation", ...EVERYTHING);
        expect(row).toEqual([1, JSON.stringify([1, ...toValues(entry as AuditEntry)]), "hash 1"]);
        await snapshot.close();
      }));

    it("erases everything up to a moved base", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one"), happened("one"), opened("two"), happened("two")]);
        await writer.write([happened("")], 2);
        expect(await store.operation("one")).toEqual([]);
        expect(await store.operation("two")).toHaveLength(2);
        expect(await store.ends(0)).toEqual(writer.ends);
      }));

    const request = { target: "reads", client: "brain", endedBy: 5, after: 0, maxRows: 100 } as const;

    it("finds the allowed reads of a client's ended operations, oldest first, with the hashes around them", () =>
      using(async ({ store, writer }) => {
        const other: AuditEntry = { kind: "operation", row: { ...ROW, id: "other", client: "else" } };
        await writer.write([opened("one"), read("one", 2), read("one"), decided("one", false), read("one")]);
        await writer.write([other, read("other"), opened("open", 6), read("open"), opened("two"), read("two")]);
        expect(await store.findThinnable(request)).toEqual({
          intervals: [
            { from: 2, to: 3, before: "hash 1", hash: "hash 3" },
            { from: 5, to: 5, before: "hash 4", hash: "hash 5" },
            { from: 11, to: 11, before: "hash 10", hash: "hash 11" },
          ],
          rows: 4,
          operations: { first: 1, last: 10 },
          erased: { 1: 3, 10: 1 },
        });
        const few = await store.findThinnable({ ...request, maxRows: 1 });
        expect(few).toMatchObject({ rows: 3, operations: { first: 1, last: 1 } });
        expect(await store.findThinnable({ ...request, after: 10 })).toBeNull();
        expect(await store.findThinnable({ ...request, client: "nobody" })).toBeNull();
        expect(await store.readUsage({ after: 0, limit: 2 })).toEqual([
          { seq: 1, client: "brain", endedAt: 1, rows: 3 },
          { seq: 6, client: "else", endedAt: 2, rows: 1 },
        ]);
        expect(await store.readUsage({ after: 10, limit: 2 })).toEqual([]);
      }));

    it("erases the rows of thinned intervals, joins neighbours, and keeps the rest", () =>
      using(async ({ store, writer, reopen }) => {
        await writer.write([opened("one"), read("one"), opened("two"), read("two"), happened("two")]);
        const before = await store.size();
        await writer.thin(await store.findThinnable(request));
        expect(await store.operation("one")).toEqual([opened("one")]);
        // Nothing is left of the first operation, so the interval grows by it.
        const rest = await store.findThinnable({ ...request, target: "operations" });
        expect(rest).toMatchObject({ intervals: [{ from: 1, to: 2, before: "hash 0", hash: "hash 2" }], rows: 1 });
        await writer.thin(rest);
        const again = await reopen();
        expect(await again.operation("one")).toEqual([]);
        expect(await again.operation("two")).toEqual([opened("two"), happened("two")]);
        expect(await again.size()).toBeLessThanOrEqual(before);
        const snapshot = await again.openSnapshot();
        expect(await snapshot.thinned()).toEqual([
          { from: 1, to: 2, hash: "hash 2", seal: "1 to 2" },
          { from: 4, to: 4, hash: "hash 4", seal: "4 to 4" },
        ]);
        expect((await snapshot.rows("reads", ...EVERYTHING)).length).toBe(0);
        expect((await snapshot.rows("operation", ...EVERYTHING)).map(([seq]) => seq)).toEqual([3]);
        await snapshot.close();
      }));

    it("forgets thinned intervals when the base moves past them", () =>
      using(async ({ store, writer }) => {
        await writer.write([opened("one"), read("one"), happened("one"), opened("two"), read("two")]);
        await writer.thin(await store.findThinnable(request));
        expect(await store.findCut({ before: 9, last: 3, most: 9 })).toEqual({ seq: 3, hash: "hash 3" });
        await writer.write([], 3);
        const snapshot = await store.openSnapshot();
        expect((await snapshot.thinned()).map(({ from }) => from)).toEqual([5]);
        await snapshot.close();
      }));

    it("lists the events that belong to no operation, newest first", () =>
      using(async ({ store, writer }) => {
        await writer.write([happened("", 1), happened("one", 2), happened("", 3)]);
        expect((await store.housekeeping(5)).map(({ happened_at }) => happened_at)).toEqual([3, 1]);
        expect(await store.housekeeping(1)).toHaveLength(1);
      }));

    it("reports which operations were thinned, how many rows each lost, and how many were erased entirely", () =>
      using(async ({ store, writer }) => {
        const note = (name: string, detail: object, happened_at: number): AuditEntry => ({
          kind: "event",
          row: { operation_id: "", name, detail_json: JSON.stringify(detail), happened_at },
        });
        const thinned = (detail: object, at: number) => note("thinned", { client: "brain", first: 1, ...detail }, at);
        await writer.write([
          opened("one"),
          opened("two"),
          opened("three"),
          thinned({ last: 2, erased: { 1: 3, 2: 5 } }, 9),
        ]);
        const isThinned = async () => (await store.latest(5)).map((each) => each.isThinned);
        expect(await isThinned()).toEqual([false, true, true]);
        expect(await store.erasedReads("two")).toEqual({ rows: 5, erasedAt: 9 });
        expect(await store.erasedReads("three")).toBeNull();
        expect(await store.erasedOperations()).toEqual({ prunedBefore: null, thinned: 0 });
        await writer.write([opened("four"), opened("five")]);
        for (const at of [11, 12]) await writer.write([thinned({ last: 9, erased: { 6: 4 } }, at)]);
        await writer.write([thinned({ last: 9, target: "operations", rows: 3, erased: {} }, 13)]);
        for (const before of [40, 30]) await writer.write([note("pruned", { before }, 14)]);
        expect(await isThinned()).toEqual([true, false, false, true, true]);
        expect(await store.erasedReads("five")).toEqual({ rows: 8, erasedAt: 12 });
        expect(await store.erasedReads("four")).toBeNull();
        expect(await store.erasedReads("nobody")).toBeNull();
        expect(await store.erasedOperations()).toEqual({ prunedBefore: 40, thinned: 3 });
      }));

    it("cuts only where whole operations end and all of them are old enough", async () => {
      const anyRow = fc.record({
        operation: fc.constantFrom("", "a", "b", "c", "d"),
        isOpening: fc.boolean(),
        time: fc.nat(9),
      });
      const run = fc.asyncProperty(
        fc.array(anyRow, { maxLength: 14 }),
        fc.record({ before: fc.nat(11), last: fc.nat(16), most: fc.nat(16), base: fc.nat(3) }),
        (rows, { base, ...request }) =>
          using(async ({ store, writer }) => {
            const entries = rows.map(({ operation, isOpening, time }) =>
              isOpening && operation !== "" ? opened(operation, time) : happened(operation, time),
            );
            await writer.write(entries);
            await writer.write([], Math.min(base, rows.length));
            const gone = Math.min(base, rows.length);
            /** By definition: everything up to there is old, and no later row belongs to it. */
            const isCut = (seq: number) =>
              seq > gone &&
              rows.slice(gone, seq).every(({ time }) => time < request.before) &&
              rows.slice(gone, seq).every(({ operation }) => {
                return operation === "" || rows.slice(seq).every((later) => later.operation !== operation);
              });
            const cuts = rows.map((_, index) => index + 1).filter((seq) => seq <= request.last && isCut(seq));
            const expected = cuts.filter((seq) => seq - gone <= request.most).at(-1) ?? cuts[0];
            const found = await store.findCut(request);
            expect(found).toEqual(expected === undefined ? null : { seq: expected, hash: hashAt(expected) });
          }),
      );
      await fc.assert(run, { numRuns: 150 });
    });
  });
}
