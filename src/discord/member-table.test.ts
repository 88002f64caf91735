import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoleId, UserId } from "../domain/ids.ts";
import { type MemberFacts, MemberTable } from "./member-table.ts";

const id = fc.oneof(
  fc.bigInt({ min: 0n, max: 40n }),
  fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  fc.constantFrom(0xffff_ffffn, 0x1_0000_0000n, 0xffff_ffff_0000_0000n),
);
const facts: fc.Arbitrary<MemberFacts> = fc.record({
  id: id.map((value) => value.toString() as UserId),
  username: fc.string({ minLength: 1, unit: "binary" }).filter((name) => !name.includes("\u0000")),
  globalName: fc.option(fc.constantFrom("Ada", "李雷", "Ölaf")),
  nick: fc.option(fc.constantFrom("captain", "x")),
  bot: fc.boolean(),
  pending: fc.boolean(),
  roles: fc.uniqueArray(fc.constantFrom("1", "2", "3").map((role) => role as RoleId)),
});
const step = fc.oneof(
  { weight: 3, arbitrary: facts.map((value) => ({ set: value })) },
  { weight: 2, arbitrary: id.map((value) => ({ remove: value.toString() as UserId })) },
);

describe("MemberTable", () => {
  it("behaves like a plain map, whatever is set and removed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new MemberTable();
        const map = new Map<UserId, MemberFacts>();
        for (const one of steps) {
          if ("set" in one) {
            table.set(one.set);
            map.set(one.set.id, one.set);
          } else {
            expect(table.delete(one.remove)).toBe(map.delete(one.remove));
          }
        }
        expect(table.size).toBe(map.size);
        for (const [key, value] of map) {
          const member = table.get(key);
          const { name, bot, pending } = member ?? {};
          expect(member && { ...value, name, bot, pending, roles: [...member.roles].sort() }).toEqual({
            ...value,
            name: value.nick ?? value.globalName ?? value.username,
            roles: [...value.roles].sort(),
          });
        }
        const sets = Array.from({ length: table.roleSets }, (_, set) => set);
        for (const [isCounted, count] of [
          [({ bot }: MemberFacts) => bot, (set: number) => table.bots(set)],
          [({ bot }: MemberFacts) => !bot, (set: number) => table.people(set)],
          [({ bot, pending }: MemberFacts) => bot && pending, (set: number) => table.pendingBots(set)],
          [({ bot, pending }: MemberFacts) => !bot && pending, (set: number) => table.pendingPeople(set)],
        ] as const) {
          const census = sets
            .filter((set) => count(set) > 0)
            .map((set) => [[...table.roles(set)].sort().join(), count(set)]);
          const counted = Object.groupBy([...map.values()].filter(isCounted), ({ roles }) => [...roles].sort().join());
          expect(Object.fromEntries(census)).toEqual(
            Object.fromEntries(Object.entries(counted).map(([key, all]) => [key, all?.length])),
          );
        }
        expect([...table].map((member) => member.id).sort()).toEqual([...map.keys()].sort());
      }),
      { numRuns: 300 },
    );
  });

  it("keeps somebody pending until it is told otherwise", () => {
    const table = new MemberTable();
    const ada = { id: "7" as UserId, username: "ada", globalName: null, nick: null, bot: false, roles: [] };
    const isPending = () => [table.get(ada.id)?.pending, table.pendingPeople(0)];
    table.set(ada);
    expect(isPending()).toEqual([false, 0]);
    table.set({ ...ada, pending: true });
    table.set({ ...ada, nick: "captain" });
    expect(isPending()).toEqual([true, 1]);
    table.set({ ...ada, pending: false });
    expect(isPending()).toEqual([false, 0]);
    table.set({ ...ada, pending: true });
    table.delete(ada.id);
    table.set(ada);
    expect(isPending()).toEqual([false, 0]);
  });

  it("keeps the day on which somebody joined, until they leave", () => {
    const table = new MemberTable();
    const person = (number: number, joinedAt?: number) => ({
      ...{ id: String(number) as UserId, username: "ada", globalName: null, nick: null, bot: false, roles: [] },
      ...(joinedAt !== undefined && { joinedAt }),
    });
    const day = (number: number) => Date.UTC(2020, 0, number);
    for (let number = 1; number <= 100; number += 1) table.set(person(number, day(number) + 5_000_000));
    table.set(person(1));
    table.delete("50" as UserId);
    for (const number of [1, 2, 49, 51, 100]) expect(table.get(String(number) as UserId)?.joinedOn).toBe(day(number));
    table.set(person(50));
    table.set(person(101, Number.MAX_SAFE_INTEGER));
    for (const id of ["50", "101"]) expect(table.get(id as UserId)?.joinedOn).toBeUndefined();
  });
});
