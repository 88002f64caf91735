import fc from "fast-check";
import { expect, it } from "vitest";
import type { StoredFact } from "../ports/fact-store.ts";
import { findTooOld, planEnds, strongestOf, toRecords, withReplaced } from "./fact-history.ts";

/** Channels that limit a version; its message is in the first of them. */
interface Plain {
  readonly rooms: readonly string[];
  readonly isTrace: boolean;
}

const ROOMS = ["7", "8"];
/** The rooms that each person can read. */
const PEOPLE = [[], ["7"], ["8"], ["7", "8"]];

/** A record of a server: the first version is the oldest. */
function toRecord(versions: readonly Plain[]): readonly StoredFact[] {
  return versions.map(({ rooms, isTrace }, index) => {
    const [room, ...more] = rooms;
    const sources = [
      ...(room === undefined ? [] : [{ type: "discord_message", ref: `${room}/70`, hash: "x", isOwn: false }]),
      ...more.map((ref) => ({ type: "discord_channel", ref, hash: "x", isOwn: false })),
      { type: "typed", ref: "1", hash: "x", isOwn: true },
    ];
    const row = {
      ...{ id: `v${index}`, version: index + 1, key: "k", verification_status: "user_confirmed" },
      ...{ audience_ref: "guild:1", subject_id: null, scope_id: "1", expires_at: 9, created_by: "11" },
      value_json: isTrace ? "" : "sealed",
    };
    return { row, sources } as unknown as StoredFact;
  });
}

/** The version that this person hears: the newest that they can know, unless only its trace is left. */
function hear(record: readonly StoredFact[], rooms: readonly string[]): string | undefined {
  const roomsOf = ({ sources }: StoredFact) =>
    sources.flatMap(({ type, ref }) => (type.startsWith("discord") ? (ref.split("/")[0] ?? "") : []));
  const known = record.filter((one) => roomsOf(one).every((room) => rooms.includes(room)));
  const newest = known.reduce<StoredFact | undefined>(
    (best, one) => (best && best.row.version > one.row.version ? best : one),
    undefined,
  );
  return newest?.row.value_json === "" ? undefined : newest?.row.id;
}

const anyRecord = fc.array(fc.record({ rooms: fc.subarray(ROOMS), isTrace: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});

it("after some versions lapse, all people hear what they heard before, or nothing if that has lapsed, and no more is kept than that takes", () => {
  const holds = fc.property(anyRecord, fc.nat(), (versions, picked) => {
    const record = toRecord(versions);
    const chosen = record.filter(({ row }, index) => row.value_json !== "" && (picked >> index) & 1);
    const lapsing = new Set(chosen.map(({ row }) => row.id));
    const { ended, traces } = planEnds(record, { lapsing });
    const left = [...record.filter((one) => !ended.includes(one)), ...traces];
    for (const rooms of PEOPLE) {
      const before = hear(record, rooms);
      expect(hear(left, rooms)).toBe(before !== undefined && lapsing.has(before) ? undefined : before);
    }
    for (const { row, sources } of left.filter((one) => one.row.value_json === "")) {
      if (!row.id.endsWith(".ended")) continue;
      expect([row.expires_at, row.created_by]).toEqual([null, ""]);
      expect(sources.filter(({ type, hash }) => type !== "discord_channel" || hash !== "")).toEqual([]);
    }
    // Below every trace there is a version: traces that hide nothing are not kept.
    const lowest = Math.min(...left.flatMap(({ row }) => (row.value_json === "" ? [] : row.version)));
    const isBelow = ({ row }: StoredFact) => row.value_json === "" && row.version < lowest;
    expect(left.filter(isBelow)).toEqual([]);
    for (const id of lapsing) expect(left.some(({ row }) => row.id === id)).toBe(false);
  });
  fc.assert(holds, { numRuns: 500 });
});

it("versions that were forgotten leave nothing, nor does what they replaced", () => {
  const holds = fc.property(anyRecord, fc.nat(5), (versions, picked) => {
    const record = toRecord(versions);
    const chosen = record[picked % record.length] as StoredFact;
    const gone = withReplaced([chosen.row.id], record);
    const { ended, traces } = planEnds(record, { gone });
    expect(traces).toEqual([]);
    const left = record.filter((one) => !ended.includes(one));
    expect(left.every(({ row }) => row.version > chosen.row.version)).toBe(true);
    // All that it had replaced is gone with it when forgetting is repeated: nothing newer is taken for it.
    expect(withReplaced([chosen.row.id], left)).toEqual(new Set([chosen.row.id]));
    // Newer values that the person may not know stay.
    const newer = record.filter(({ row }) => row.version > chosen.row.version && row.value_json !== "");
    expect(left).toEqual(expect.arrayContaining([...newer]));
  });
  fc.assert(holds);
});

it("versions are ordered by their verification, then by their number, within the record of one name and home", () => {
  const [one, two, three] = toRecord([1, 2, 3].map(() => ({ rooms: [], isTrace: false })));
  if (!one || !two || !three) throw new Error("three were made");
  const better = { ...one, row: { ...one.row, verification_status: "admin_confirmed" } } as StoredFact;
  const elsewhere = { ...three, row: { ...three.row, audience_ref: "channel:7" } };
  expect(toRecords([two, better, elsewhere])).toEqual([[better, two], [elsewhere]]);
  const trace = { ...three, row: { ...three.row, value_json: "" } };
  expect(strongestOf([two, one, elsewhere])).toEqual([two, elsewhere]);
  expect(strongestOf([trace, two, elsewhere])).toEqual([elsewhere]);
});

it("of the values for the same people the newest twenty are kept, however many there are for others", () => {
  const versions = Array.from({ length: 50 }, (_, index) => ({ rooms: index % 2 === 0 ? [] : ["7"], isTrace: false }));
  const tooOld = findTooOld(toRecord(versions).toReversed()).map(({ row }) => row.version);
  expect(tooOld.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
});
