import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addReading } from "../../../test/support/add-reading.ts";
import { FactWatch } from "../../memory/fact-watch.ts";
import { Label } from "../../sources/label.ts";
import type { UserId } from "../ids.ts";
import type { Kept } from "../source.ts";
import type { Fact } from "./fact.ts";
import { toFactSet } from "./fact-set.ts";

const IDS = ["a", "b", "c", "d", "e"];
const PEOPLE = ["11", "12", "13"] as UserId[];

const some = fc.record({
  subjectId: fc.option(fc.constantFrom(...PEOPLE)),
  authorMark: fc.option(fc.constantFrom("mark 1", "mark 2")),
  under: fc.option(fc.constantFrom(...IDS)),
  expiresAt: fc.option(fc.integer({ min: 1, max: 100 })),
});

function toFacts(planned: readonly (typeof some extends fc.Arbitrary<infer One> ? One : never)[]): Fact[] {
  return planned.map(({ subjectId, authorMark, under, expiresAt }, index) => {
    const basis = [
      { type: "typed", ref: "1", hash: "", isOwn: true, authorMark },
      ...(under === null ? [] : [{ type: "memory_fact", ref: `${under}@1`, hash: "", isOwn: false, authorMark: null }]),
    ];
    const home = { kind: "person", id: subjectId ?? "11" };
    return { id: IDS[index], version: 1, subjectId, guildId: null, home, basis, expiresAt } as unknown as Fact;
  });
}

describe("a set of facts", () => {
  it("stands for as long as each of its facts does, whatever ends, changes, expires or is left out", () => {
    const change = fc.record({
      id: fc.constantFrom(...IDS),
      kind: fc.constantFrom("deleted" as const, "changed" as const),
    });
    const leftOut = fc.subarray([...PEOPLE, "mark 1", "mark 2"] as string[]);
    fc.assert(
      fc.property(
        fc.array(some, { minLength: 1, maxLength: IDS.length }),
        fc.array(change, { maxLength: 6 }),
        fc.array(change, { maxLength: 6 }),
        leftOut,
        fc.integer({ min: 0, max: 100 }),
        (planned, before, after, absent, now) => {
          const isLeftOut = (id: string) => absent.includes(id);
          const consent = { isLeftOut, isMarkLeftOut: isLeftOut };
          const watch = new FactWatch({ clock: { now: () => now }, consent, keptMs: 1_000 });
          for (const { id, kind } of before) watch.note([id], kind);
          const { revision } = watch;
          for (const { id, kind } of after) watch.note([id], kind);
          const set = toFactSet(toFacts(planned));
          const times = { readAt: 0, countsFrom: 0 };
          const states = set.list(revision).map((fact) => watch.stateOf({ kind: "fact", ...fact, ...times }));
          const state = watch.stateOf({ kind: "facts", set, revision, ...times });
          expect(state === "standing").toBe(states.every((each) => each === "standing"));
          if (state !== "standing") expect(states).toContain(state);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is in a label once unless it is empty, gives way to one with some of the same facts, and is forgotten in time", () => {
    const facts = toFacts(
      [{}, {}, {}].map(() => ({ subjectId: null, authorMark: null, under: null, expiresAt: null })),
    );
    const [few, all] = [toFactSet(facts.slice(0, 2)), toFactSet(facts)];
    const label = new Label();
    addReading(label, { considered: [{ set: toFactSet([]), revision: 1 }] }, 5);
    expect([label.integrity, label.of("facts").size]).toEqual(["trusted", 0]);
    addReading(label, { considered: [{ set: few, revision: 1 }] }, 5);
    expect(label.integrity).toBe("untrusted");
    addReading(label, { considered: [{ set: all, revision: 2 }] }, 6);
    addReading(label, { considered: [{ set: all, revision: 3 }] }, 7);
    expect([...label.of("facts").values()]).toEqual([
      { kind: "facts", set: all, revision: 3, readAt: 7, countsFrom: 7 },
    ]);
    const described = ({ factId, revision, readAt }: Kept<"fact">) => [factId, revision, readAt];
    expect([...label.listFacts().values()].map(described)).toEqual(IDS.slice(0, 3).map((id) => [id, 3, 7]));
    addReading(label, { considered: [{ set: few, revision: 4 }] }, 8);
    expect([...label.of("facts").keys()]).toEqual([few]);
    expect([...label.of("fact").values()].map(described)).toEqual([["c", 3, 7]]);
    label.forgetBefore(8);
    expect([...label.of("facts").keys()]).toEqual([few]);
    expect([...label.listFacts().keys()]).toEqual(["a@1", "b@1"]);
  });

  it("takes no more room in a label than its facts, however many others have some of them", () => {
    const nothing = { subjectId: null, authorMark: null, under: null, expiresAt: null };
    const facts = toFacts(IDS.map(() => nothing));
    fc.assert(
      fc.property(fc.array(fc.subarray(facts), { maxLength: 12 }), (lists) => {
        const label = new Label();
        const latest = new Map<string, number>();
        for (const [time, list] of lists.entries()) {
          addReading(label, { considered: [{ set: toFactSet(list), revision: time }] }, time);
          for (const { id } of list) latest.set(id, time);
        }
        const all = [...label.listFacts().values()];
        expect(new Map(all.map(({ factId, readAt }) => [factId, readAt]))).toEqual(latest);
        expect(all.every(({ revision, readAt, countsFrom }) => revision === readAt && countsFrom === readAt)).toBe(
          true,
        );
        const sets = [...label.of("facts").values()];
        const kept = sets.reduce((sum, { set }) => sum + set.ids.size, label.of("fact").size);
        expect(kept).toBe(latest.size);
      }),
    );
  });

  it("holds nothing of what its facts say", () => {
    const [fact] = toFacts([{ subjectId: null, authorMark: null, under: null, expiresAt: null }]);
    const set = toFactSet([{ ...fact, name: "boat", value: "Heron" } as Fact]);
    expect(JSON.stringify([set, set.list(1), [...set.ids]])).not.toMatch(/boat|Heron/);
  });
});
