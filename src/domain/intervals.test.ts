import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutInterval, type Intervals, intervalAt, joinInterval } from "./intervals.ts";

const WIDTH = 40;
const change = fc.record({
  kind: fc.constantFrom("join" as const, "cut" as const),
  from: fc.nat(WIDTH),
  to: fc.nat(WIDTH),
});

/** Every id on its own, which is what stretches stand for. */
function naive(changes: readonly { kind: "join" | "cut"; from: number; to: number }[]): Set<number> {
  const ids = new Set<number>();
  for (const { kind, from, to } of changes)
    for (let id = from; id <= to; id += 1)
      if (kind === "join") ids.add(id);
      else ids.delete(id);
  return ids;
}

describe("intervals", () => {
  it("contain exactly the ids that were joined and not cut since", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        let stretches: Intervals = [];
        for (const { kind, from, to } of changes) {
          const stretch = { from: BigInt(from), to: BigInt(to) };
          stretches = kind === "join" ? joinInterval(stretches, stretch) : cutInterval(stretches, stretch);
        }
        const held = Array.from({ length: WIDTH + 1 }, (_, id) => id).filter((id) => intervalAt(stretches, BigInt(id)));
        expect(held).toEqual([...naive(changes)].sort((a, b) => a - b));
      }),
    );
  });

  it("are in ascending order and never adjacent, so that one lookup finds how far an interval goes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        let stretches: Intervals = [];
        for (const { kind, from, to } of changes) {
          const stretch = { from: BigInt(from), to: BigInt(to) };
          stretches = kind === "join" ? joinInterval(stretches, stretch) : cutInterval(stretches, stretch);
        }
        for (const [index, { from, to }] of stretches.entries()) {
          expect(from <= to).toBe(true);
          const previous = stretches[index - 1];
          if (previous) expect(from - previous.to > 1n).toBe(true);
        }
      }),
    );
  });
});
