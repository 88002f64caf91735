import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { toFrame } from "../index/frame.ts";
import { fuse, NEEDED_BY_WORDS } from "./fuse.ts";

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
    return {
      byWords: [...having].map((row, index) => at(row, 1 / (1 + index))),
      bySemantics: closeness.map((score, row) => close(row, score)),
    };
  });
const at = (row: number, score = 1) => ({ frame, row, score });
const close = (row: number, score: number) => ({ frame, row, score, text: `text ${row}` });
const rows = (candidates: readonly { row: number }[]) => candidates.map(({ row }) => row);

describe("the fusion of keyword and semantic rankings", () => {
  const weights = fc.constantFrom(null, 0, 0.3, 0.6);

  it("never drops a keyword hit, and adds at most twenty others, whatever the semantic ranking says", () => {
    let changes = 0;
    fc.assert(
      fc.property(twoOrders, weights, ({ byWords, bySemantics }, weight) => {
        const fused = rows(fuse(byWords, bySemantics, weight));
        const plain = rows(byWords);
        expect(new Set(fused).size).toBe(fused.length);
        expect(fused).toEqual(expect.arrayContaining(plain));
        expect(fused.length - plain.length).toBeLessThanOrEqual(20);
        if (fused.slice(0, plain.length).join() !== plain.join()) changes += 1;
      }),
      { numRuns: 500 },
    );
    expect(changes).toBeGreaterThan(20);
  });

  it("never puts a message without the words before one that has much more than the weight, unless it is no chance", () => {
    fc.assert(
      fc.property(twoOrders, fc.constantFrom(0, 0.3, 0.6), ({ byWords, bySemantics }, weight) => {
        // As close as any other: what the words say counts, up to the weight.
        const even = bySemantics.map((each) => ({ ...each, score: (each.score + 4) % 1 }));
        const best = byWords[0]?.score ?? 0;
        const strong = byWords.filter(({ score }) => score > (weight + 0.01) * best);
        const scores = new Map(byWords.map(({ row, score }) => [row, score]));
        const fused = rows(fuse(byWords, even, weight));
        for (const { row, score } of strong)
          for (const before of fused.slice(0, fused.indexOf(row)))
            expect((scores.get(before) ?? 0) + weight * best).toBeGreaterThanOrEqual(score);
      }),
    );
  });

  it("keeps the keyword ranking where the semantic scores contradict it or are all zero", () => {
    fc.assert(
      fc.property(twoOrders, fc.constantFrom(-2, 0), ({ byWords, bySemantics }, factor) => {
        const words = new Set(rows(byWords));
        const against = bySemantics.map((each) => ({ ...each, score: factor * Number(words.has(each.row)) }));
        expect(rows(fuse(byWords, against, null)).slice(0, byWords.length)).toEqual(rows(byWords));
      }),
    );
  });

  it("counts many messages with the same text as one", () => {
    const byWords = Array.from({ length: 20 }, (_, row) => at(row, 1 - row / 100));
    const fuseWith = (toText: (row: number) => string) =>
      fuse(
        byWords,
        Array.from({ length: 200 }, (_, row) => ({
          ...close(row, row < 20 ? 2 + row : Math.sin(row)),
          text: toText(row),
        })),
        null,
      );
    expect(rows(fuseWith((row) => `text ${row}`)).slice(0, 20)).not.toEqual(rows(byWords));
    const same = (row: number) => (row < 20 ? "the same" : `text ${row}`);
    expect(rows(fuseWith(same)).slice(0, 20)).toEqual(rows(byWords));
  });

  it("begins with the same hits however many keyword hits are requested", () => {
    fc.assert(
      fc.property(
        twoOrders,
        weights,
        fc.integer({ min: NEEDED_BY_WORDS, max: 200 }),
        ({ byWords, bySemantics }, weight, most) => {
          const part = rows(fuse(byWords.slice(0, most), bySemantics, weight)).slice(0, most);
          const whole = rows(fuse(byWords, bySemantics, weight));
          expect(part).toEqual(whole.slice(0, part.length));
          expect(part.length).toBe(Math.min(most, whole.length));
        },
      ),
    );
  });

  it("puts what is far closer than chance first, and adds nothing else where the embedder has not proved itself", () => {
    const chance = Array.from({ length: 400 }, (_, row) => close(row, Math.sin(row * 7.3) / 10));
    expect(rows(fuse([at(3)], chance, null))).toEqual([3]);
    expect(rows(fuse([at(3)], [...chance, close(500, 0.8), close(501, 0.9)], null))).toEqual([501, 500, 3]);
    expect(rows(fuse([at(3)], [...chance, close(500, 0.35)], null))).toEqual([3, 500]);
  });

  it("adds the closest where the embedder has proved itself", () => {
    const chance = Array.from({ length: 100 }, (_, row) => close(row, Math.sin(row * 7.3) / 10));
    const closest = chance.toSorted((a, b) => b.score - a.score).slice(0, 10);
    const fused = fuse([at(3)], chance, 0.6);
    expect(rows(fused)[0]).toBe(3);
    expect(rows(closest)).toEqual(expect.arrayContaining(rows(fused).slice(1, 4)));
    expect(fused).toHaveLength(11);
  });
});
