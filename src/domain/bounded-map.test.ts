import { array, assert, constantFrom, integer, oneof, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

describe("a bounded map", () => {
  it("evicts the entry that was set longest ago when it is full", () => {
    const map = new BoundedMap<string, number>({ maxEntries: 2 });
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([3, undefined, 4, 2]);
  });

  it("evicts the oldest entries while all together weigh too much, and never the newest", () => {
    const map = new BoundedMap<string, number>({ maxEntries: 9, maxWeight: 10, weigh: (value) => value });
    map.set("a", 4);
    map.set("b", 4);
    map.set("b", 6);
    expect(map.values()).toEqual([4, 6]);
    map.set("c", 3);
    expect(map.values()).toEqual([6, 3]);
    map.set("d", 20);
    expect(map.values()).toEqual([20]);
    map.delete("d");
    map.set("e", 5);
    map.set("f", 5);
    expect(map.values()).toEqual([5, 5]);
  });

  it("evicts an entry later after `use`, but not after `get`", () => {
    const map = new BoundedMap<string, number>({ maxEntries: 2 });
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    expect(map.has("a")).toBe(false);
    map.use("b");
    map.set("d", 4);
    expect([map.has("b"), map.has("c")]).toEqual([true, false]);
  });

  it("rejects a maximum below 1 and a ttl without a clock", () => {
    expect(() => new BoundedMap({ maxEntries: 0 })).toThrow("maxEntries");
    expect(() => new BoundedMap({ maxEntries: Number.NaN })).toThrow("maxEntries");
    expect(() => new BoundedMap({ maxEntries: 1, ttlMs: 5 })).toThrow("clock");
  });

  it("behaves like a list of entries ordered by last use, for any sequence of calls", () => {
    const key = constantFrom("a", "b", "c", "d");
    const step = oneof(
      record({ kind: constantFrom("set" as const), key, value: integer() }),
      record({ kind: constantFrom("get" as const, "use" as const, "delete" as const, "has" as const), key }),
      record({ kind: constantFrom("wait" as const), ms: integer({ min: 1, max: 8 }) }),
      record({ kind: constantFrom("deleteWhere" as const), below: integer() }),
      record({ kind: constantFrom("clear" as const) }),
    );
    assert(
      property(array(step, { maxLength: 60 }), integer({ min: 1, max: 4 }), (steps, maxEntries) => {
        let now = 0;
        let held: number[] = [];
        const onDelete = (value: number) => {
          held = held.toSpliced(held.indexOf(value), 1);
        };
        const map = new BoundedMap<string, number>({ maxEntries, ttlMs: 10, clock: { now: () => now }, onDelete });
        let model: { key: string; value: number; until: number }[] = [];
        const alive = (wanted: string) => model.find((one) => one.key === wanted && one.until > now);
        for (const step of steps) {
          switch (step.kind) {
            case "wait":
              now += step.ms;
              break;
            case "set":
              held.push(step.value);
              map.set(step.key, step.value);
              model = model.filter((one) => one.key !== step.key);
              model = [...model, { key: step.key, value: step.value, until: now + 10 }].slice(-maxEntries);
              break;
            case "deleteWhere":
              map.deleteWhere((value) => value < step.below);
              model = model.filter(({ value }) => value >= step.below);
              break;
            case "clear":
              map.clear();
              model = [];
              break;
            case "delete":
              map.delete(step.key);
              model = model.filter((one) => one.key !== step.key);
              break;
            case "has":
              expect(map.has(step.key)).toBe(alive(step.key) !== undefined);
              model = model.filter((one) => one.key !== step.key || one.until > now);
              break;
            default: {
              const known = alive(step.key);
              expect(map[step.kind](step.key)).toBe(known?.value);
              // An expired entry that was looked at is gone.
              model = model.filter((one) => one.key !== step.key || (one === known && step.kind === "get"));
              if (known && step.kind === "use") model.push(known);
            }
          }
          expect(map.size).toBe(model.length);
          expect(held.toSorted()).toEqual(model.map(({ value }) => value).toSorted());
        }
        const values = model.filter(({ until }) => until > now).map(({ value }) => value);
        expect([...map.values()]).toEqual(values);
        for (const value of map.values()) if (value % 2 === 0) map.deleteWhere((other) => other === value);
        expect([...map.values()]).toEqual(values.filter((value) => value % 2 !== 0));
      }),
    );
  });
});
