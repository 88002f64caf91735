import fc from "fast-check";
import { expect, it } from "vitest";
import { RisingIds } from "./rising-ids.ts";

it("ids stay in order and are found between two others", () => {
  const step = fc.tuple(fc.constantFrom("add", "remove"), fc.bigInt({ min: 1n, max: 20n }));
  const property = fc.property(
    fc.array(step),
    fc.bigInt({ min: 0n, max: 21n }),
    fc.bigInt({ min: 0n, max: 21n }),
    (steps, a, b) => {
      const ids = new RisingIds();
      const known = new Set<bigint>();
      for (const [what, id] of steps) {
        ids[what as "add" | "remove"](id);
        known[what === "add" ? "add" : "delete"](id);
      }
      const all = [...known].sort((x, y) => Number(x - y));
      expect(ids.size).toBe(all.length);
      expect(ids.has(a)).toBe(known.has(a));
      expect(ids.between({ from: a, to: b })).toEqual(all.filter((id) => a <= id && id <= b));
    },
  );
  fc.assert(property);
});
