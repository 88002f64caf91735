import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce, UNPACED } from "../../domain/steps/pace.ts";
import { toFrame } from "../index/frame.ts";
import { countByWords, fuse, NEEDED_BY_WORDS } from "./fuse.ts";

const frame = runAtOnce(toFrame([], UNPACED));
/** How close each message is to the question, and which of them have its words, the best first. */
const scene = fc
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
    const closeness = scores.map((score, place) => score / 1_000 + (having.has(place) ? trust : 0));
    return { byWords: [...having].map(at), bySemantics: closeness.map((score, place) => close(place, score)) };
  });
const at = (place: number) => ({ frame, place, score: 0 });
const close = (place: number, score: number) => ({ frame, place, score, text: `text ${place}` });
const places = (candidates: readonly { place: number }[]) => candidates.map(({ place }) => place);

describe("two orders made one", () => {
  it("keep what words find where it was, or a bounded way below, whatever the other says", () => {
    let lifts = 0;
    fc.assert(
      fc.property(scene, ({ byWords, bySemantics }) => {
        const fused = places(fuse(byWords, bySemantics));
        const plain = places(byWords);
        expect(new Set(fused).size).toBe(fused.length);
        expect(fused.slice(0, Math.min(7, plain.length))).toEqual(plain.slice(0, 7));
        for (const [index, place] of plain.entries()) {
          const lowest = index + Math.min(10, Math.max(0, Math.floor((index - 5) / 2)));
          expect(fused.indexOf(place)).toBeGreaterThanOrEqual(0);
          expect(fused.indexOf(place)).toBeLessThanOrEqual(lowest);
        }
        const kept = fused.filter(
          (place, index) => plain.includes(place) && (index % 3 !== 1 || index < 7 || index > 34),
        );
        expect(kept).toEqual(plain.filter((place) => kept.includes(place)));
        if (fused.slice(0, plain.length).join() !== plain.join()) lifts += 1;
      }),
      { numRuns: 500 },
    );
    expect(lifts).toBeGreaterThan(20);
  });

  it("are the one by words where the other speaks against it, or for nothing", () => {
    fc.assert(
      fc.property(scene, fc.constantFrom(-2, 0), ({ byWords, bySemantics }, factor) => {
        const words = new Set(places(byWords));
        const against = bySemantics.map((each) => ({ ...each, score: factor * Number(words.has(each.place)) }));
        expect(places(fuse(byWords, against)).slice(0, byWords.length)).toEqual(places(byWords));
      }),
    );
  });

  it("take many that say the same for one witness", () => {
    const byWords = Array.from({ length: 20 }, (_, place) => at(place));
    const fuseWith = (toText: (place: number) => string) =>
      fuse(
        byWords,
        Array.from({ length: 200 }, (_, place) => ({
          ...close(place, place < 20 ? 2 + place : Math.sin(place)),
          text: toText(place),
        })),
      );
    expect(places(fuseWith((place) => `text ${place}`)).slice(0, 20)).not.toEqual(places(byWords));
    const same = (place: number) => (place < 20 ? "the same" : `text ${place}`);
    expect(places(fuseWith(same)).slice(0, 20)).toEqual(places(byWords));
  });

  it("begin the same however much is asked of the one by words", () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: NEEDED_BY_WORDS, max: 200 }), ({ byWords, bySemantics }, most) => {
        const part = places(fuse(byWords.slice(0, most), bySemantics)).slice(0, most);
        const whole = places(fuse(byWords, bySemantics));
        expect(part).toEqual(whole.slice(0, part.length));
        expect(part.length).toBe(Math.min(most, whole.length));
      }),
    );
  });

  it("know how many by words were surely among the first", () => {
    fc.assert(
      fc.property(scene, fc.nat({ max: 60 }), ({ byWords, bySemantics }, count) => {
        const first = places(fuse(byWords, bySemantics)).slice(0, count);
        for (const place of places(byWords).slice(0, Math.min(countByWords(count), byWords.length)))
          expect(first).toContain(place);
      }),
    );
  });

  it("end with what stands far out by its meaning", () => {
    const chance = Array.from({ length: 100 }, (_, place) => close(place, Math.sin(place * 7.3) / 10));
    expect(places(fuse([at(3)], chance))).toEqual([3]);
    expect(places(fuse([at(3)], [...chance, close(500, 0.8), close(501, 0.9)]))).toEqual([3, 501, 500]);
  });
});
