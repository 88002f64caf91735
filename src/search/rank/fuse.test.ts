import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { toFrame } from "../index/frame.ts";
import { countByWords, fuse, NEEDED_BY_WORDS } from "./fuse.ts";

const frame = runAtOnce(toFrame([], UNPACED));
/** How close each message is to the query, and which of them have its words, the best first. */
const twoOrders = fc
  .record({
    scores: fc.array(fc.integer({ min: -1_000, max: 1_000 }), {
      minLength: 1,
      maxLength: 300,
      size: "max",
    }),
    trust: fc.constantFrom(-1, 0, 0.5, 1, 3),
    order: fc.infiniteStream(fc.nat()),
    share: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ scores, trust, order, share }) => {
    const keys = scores.map(() => order.next().value ?? 0);
    const shuffled = [...scores.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    const having = new Set(shuffled.slice(0, Math.floor((share / 20) * shuffled.length)));
    const closeness = scores.map((score, row) => score / 1_000 + (having.has(row) ? trust : 0));
    return { byWords: [...having].map(at), bySemantics: closeness.map((score, row) => close(row, score)) };
  });
const at = (row: number) => ({ frame, row, score: 0 });
const close = (row: number, score: number) => ({ frame, row, score, text: `text ${row}` });
const rows = (candidates: readonly { row: number }[]) => candidates.map(({ row }) => row);

describe("the fusion of keyword and semantic rankings", () => {
  it("never drops a keyword hit, and lowers it by a bounded number of places, whatever the semantic ranking says", () => {
    let lifts = 0;
    fc.assert(
      fc.property(twoOrders, ({ byWords, bySemantics }) => {
        const fused = rows(fuse(byWords, bySemantics));
        const plain = rows(byWords);
        expect(new Set(fused).size).toBe(fused.length);
        expect(fused.slice(0, Math.min(7, plain.length))).toEqual(plain.slice(0, 7));
        for (const [index, row] of plain.entries()) {
          const lowest = index + Math.min(10, Math.max(0, Math.floor((index - 5) / 2)));
          expect(fused.indexOf(row)).toBeGreaterThanOrEqual(0);
          expect(fused.indexOf(row)).toBeLessThanOrEqual(lowest);
        }
        const kept = fused.filter((row, index) => plain.includes(row) && (index % 3 !== 1 || index < 7 || index > 34));
        expect(kept).toEqual(plain.filter((row) => kept.includes(row)));
        if (fused.slice(0, plain.length).join() !== plain.join()) lifts += 1;
      }),
      { numRuns: 500 },
    );
    expect(lifts).toBeGreaterThan(20);
  });

  it("keeps the keyword ranking where the semantic scores contradict it or are all zero", () => {
    fc.assert(
      fc.property(twoOrders, fc.constantFrom(-2, 0), ({ byWords, bySemantics }, factor) => {
        const words = new Set(rows(byWords));
        const against = bySemantics.map((each) => ({ ...each, score: factor * Number(words.has(each.row)) }));
        expect(rows(fuse(byWords, against)).slice(0, byWords.length)).toEqual(rows(byWords));
      }),
    );
  });

  it("counts many messages with the same text as one", () => {
    const byWords = Array.from({ length: 20 }, (_, row) => at(row));
    const fuseWith = (toText: (row: number) => string) =>
      fuse(
        byWords,
        Array.from({ length: 200 }, (_, row) => ({
          ...close(row, row < 20 ? 2 + row : Math.sin(row)),
          text: toText(row),
        })),
      );
    expect(rows(fuseWith((row) => `text ${row}`)).slice(0, 20)).not.toEqual(rows(byWords));
    const same = (row: number) => (row < 20 ? "the same" : `text ${row}`);
    expect(rows(fuseWith(same)).slice(0, 20)).toEqual(rows(byWords));
  });

  it("begins with the same hits however many keyword hits are requested", () => {
    fc.assert(
      fc.property(twoOrders, fc.integer({ min: NEEDED_BY_WORDS, max: 200 }), ({ byWords, bySemantics }, most) => {
        const part = rows(fuse(byWords.slice(0, most), bySemantics)).slice(0, most);
        const whole = rows(fuse(byWords, bySemantics));
        expect(part).toEqual(whole.slice(0, part.length));
        expect(part.length).toBe(Math.min(most, whole.length));
      }),
    );
  });

  it("gives a number of keyword hits that are certain to be among the first", () => {
    fc.assert(
      fc.property(twoOrders, fc.nat({ max: 60 }), ({ byWords, bySemantics }, count) => {
        const first = rows(fuse(byWords, bySemantics)).slice(0, count);
        for (const row of rows(byWords).slice(0, Math.min(countByWords(count), byWords.length)))
          expect(first).toContain(row);
      }),
    );
  });

  it("appends only messages that stand out semantically", () => {
    const chance = Array.from({ length: 100 }, (_, row) => close(row, Math.sin(row * 7.3) / 10));
    expect(rows(fuse([at(3)], chance))).toEqual([3]);
    expect(rows(fuse([at(3)], [...chance, close(500, 0.8), close(501, 0.9)]))).toEqual([3, 501, 500]);
  });
});
