import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatsWordsOf } from "./quotes.ts";

const VOCABULARY = ["tide", "crane", "Zürich", "7", "don", "naïve", "boat", "pier"];
const words = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 24, size: "max" });
/** Styles of writing words: case, and the characters between and within them. */
const styles = fc.record({
  separator: fc.constantFrom(" ", ", ", "\n> ", " **", "—", "/"),
  isUpper: fc.boolean(),
  isSpaced: fc.boolean(),
});

function write(list: readonly string[], { separator, isUpper, isSpaced }: { separator: string } & Style): string {
  const written = list.map((word) => (isSpaced ? [...word].join("\u200b") : word).normalize("NFD"));
  const text = written.join(separator);
  return isUpper ? text.toUpperCase() : text;
}

interface Style {
  readonly isUpper: boolean;
  readonly isSpaced: boolean;
}

/** Compares every place of one list with every place of the other, word by word. */
function shareEight(one: readonly string[], other: readonly string[]): boolean {
  const isEqual = (a: number, b: number) =>
    [0, 1, 2, 3, 4, 5, 6, 7].every((step) => one[a + step] !== undefined && one[a + step] === other[b + step]);
  return one.some((_, a) => other.some((__, b) => isEqual(a, b)));
}

describe("repeating words", () => {
  it("is noticed from eight in a row on, in any case, punctuation and with invisible characters between the letters", () => {
    let repeated = 0;
    const property = fc.property(words, words, fc.nat(16), styles, styles, (mine, theirs, at, mineAs, theirsAs) => {
      const joined = [...mine, ...theirs.slice(at)];
      const isRepeated = shareEight(joined, theirs);
      if (isRepeated) repeated += 1;
      expect(repeatsWordsOf(write(joined, mineAs))(write(theirs, theirsAs))).toBe(isRepeated);
    });
    fc.assert(property, { numRuns: 300 });
    expect(repeated).toBeGreaterThan(10);
  });

  it("is noticed in scripts that do not separate words, and not where a few characters are shared", () => {
    const japanese = repeatsWordsOf("お知らせ:飛行船は正午に古い桟橋に着陸します。");
    expect(japanese("飛行船は正午に古い桟橋に着陸します")).toBe(true);
    expect(japanese("飛行船はどこですか")).toBe(false);
    expect(repeatsWordsOf("เรือเหาะลงจอดตอนเที่ยง")("บอกว่าเรือเหาะลงจอด")).toBe(true);
  });

  it("is noticed in Korean, whose words are separated", () => {
    const text = "비행선은 내일 정오에 오래된 부두에 착륙합니다 의자를 하나 가져오세요";
    expect(repeatsWordsOf(`안내: ${text}!`)(text)).toBe(true);
    expect(repeatsWordsOf("비행선은 내일 정오에")(text)).toBe(false);
  });
});
