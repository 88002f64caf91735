import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IdList } from "./id-list.ts";

const WIDTH = 60;
const id = fc.nat(WIDTH);
const change = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), ids: fc.uniqueArray(id, { maxLength: 30 }), since: fc.nat(9) }),
  fc.record({ kind: fc.constant("remove" as const), id }),
  fc.record({ kind: fc.constant("between" as const), from: id, to: id }),
);

describe("the list of ids", () => {
  it("has the ids that were added and not removed, in order, and counts them correctly", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), id, id, fc.nat(9), (changes, from, to, most) => {
        const list = new IdList();
        const naive = new Map<number, number>();
        for (const each of changes) {
          if (each.kind === "add") {
            const fresh = each.ids.filter((one) => !naive.has(one));
            list.add(fresh.map(BigInt), each.since * 1000);
            for (const one of fresh) naive.set(one, each.since);
          } else if (each.kind === "remove") {
            list.remove(BigInt(each.id));
            naive.delete(each.id);
          } else {
            list.removeBetween(BigInt(each.from), BigInt(each.to));
            for (let one = each.from; one <= each.to; one += 1) naive.delete(one);
          }
        }
        const all = [...naive.keys()].sort((a, b) => a - b);
        const within = all.filter((one) => one >= from && one <= to);
        expect(list.size).toBe(all.length);
        expect(all.map((_, position) => list.at(position))).toEqual(all.map(BigInt));
        expect(list.at(all.length)).toBeUndefined();
        expect(list.count(BigInt(from), BigInt(to))).toBe(within.length);
        expect(list.oldest(BigInt(from), BigInt(to), most)).toEqual(within.slice(0, most).map(BigInt));
        expect(list.newest(BigInt(from), BigInt(to), most)).toEqual(
          within
            .slice(Math.max(0, within.length - most))
            .reverse()
            .map(BigInt),
        );
        const below = all.filter((one) => one <= to).reverse();
        expect(list.countDown(BigInt(to), most + 1)).toBe(below[most] === undefined ? undefined : BigInt(below[most]));
        expect(list.has(BigInt(from))).toBe(naive.has(from));
        const old = all.filter((one) => (naive.get(one) ?? 0) < most);
        const held = list.heldSinceBefore(most * 1000);
        expect(held && [held.from, held.to].map(Number)).toEqual(old.length === 0 ? undefined : [old[0], old.at(-1)]);
      }),
      { numRuns: 500 },
    );
  });
});
