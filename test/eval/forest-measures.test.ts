import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answers, bestAssignment, measure, toGroups } from "../../eval/forest-measures.ts";

const answers = (links: Record<number, number[]>): Answers =>
  new Map(Object.entries(links).map(([line, targets]) => [Number(line), targets]));

describe("measure", () => {
  const truth = answers({ 10: [10], 11: [10], 12: [12], 13: [12] });

  it("returns full marks for equal groupings", () => {
    expect(measure([{ truth, found: truth }])).toEqual({ link_f: 100, vi: 100, one_to_one: 100, exact_f: 100 });
  });

  it("returns what one counts by hand", () => {
    // Found: 10, 11 and 13 together, 12 alone. Three of four links are right.
    const found = answers({ 10: [10], 11: [10], 12: [12], 13: [11] });
    const { link_f, vi, one_to_one, exact_f } = measure([{ truth, found }]);
    expect(link_f).toBeCloseTo(75);
    // H(truth) = 1, H(found) = 2 - 0.75 × log2(3), I = H(truth) + H(found) - H(both), H(both) = 1.5.
    const ofFound = 2 - 0.75 * Math.log2(3);
    expect(vi).toBeCloseTo(100 * (1 - (2 * 1.5 - 1 - ofFound) / 2));
    // 10 and 11 stand for the first, 12 for the second.
    expect(one_to_one).toBeCloseTo(75);
    expect(exact_f).toBe(0);
  });

  it("counts each of several links, and adds up logs", () => {
    const two = answers({ 5: [5], 6: [6], 7: [5, 6] });
    const { link_f, exact_f } = measure([
      { truth: two, found: answers({ 5: [5], 6: [6], 7: [6] }) },
      { truth, found: truth },
    ]);
    // 7 right of 7 found and 8 wanted; 2 conversations right of 3 found (5 alone does not count) and 3 wanted.
    expect(link_f).toBeCloseTo((200 * 7) / 15);
    expect(exact_f).toBeCloseTo((200 * 2) / 6);
  });
});

describe("toGroups", () => {
  it("connects lines through earlier ones, which it leaves out", () => {
    expect(toGroups(answers({ 10: [3], 11: [11], 12: [3], 13: [11] }))).toEqual([
      [10, 12],
      [11, 13],
    ]);
  });
});

describe("bestAssignment", () => {
  it("gains as much as the best of all assignments of rows to columns", () => {
    const best = (gains: readonly (readonly number[])[], columns: readonly number[]): number => {
      const [row, ...rest] = gains;
      if (!row) return 0;
      const taken = columns.map(
        (column) =>
          (row[column] ?? 0) +
          best(
            rest,
            columns.filter((one) => one !== column),
          ),
      );
      return Math.max(best(rest, columns), ...taken);
    };
    const tables = fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
      .chain(([rows, columns]) =>
        fc.array(fc.array(fc.nat(9), { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
      );
    fc.assert(
      fc.property(tables, (gains) => {
        expect(bestAssignment(gains)).toBe(best(gains, [...(gains[0] ?? []).keys()]));
      }),
    );
  });
});
