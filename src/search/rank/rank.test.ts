import fc from "fast-check";
import { expect, it } from "vitest";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { toFrame } from "../index/frame.ts";
import { Top } from "./rank.ts";

it("the top-k list keeps the best hits, and of equal ones the newer", () => {
  const frame = runAtOnce(toFrame([], UNPACED));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 1, max: 8 }), (scores, most) => {
      const top = new Top(most);
      for (const [row, score] of scores.entries()) top.offer({ frame, row, score });
      const expected = [...scores.entries()].sort(([a, x], [b, y]) => y - x || b - a).slice(0, most);
      expect(top.sorted().map(({ row, score }) => [row, score])).toEqual(expected);
      if (scores.length >= most) expect(top.floor).toBe(expected.at(-1)?.[1]);
    }),
  );
});
