import { describe, expect, it } from "vitest";
import { DAY_MS, readByDay } from "./read-by-day.ts";

/** Reads a period of as many days as there are numbers: so many messages were said on each. Tells how many are read of each day, the newest first. */
async function readDays(max: number, said: readonly number[]): Promise<number[]> {
  const left = [...said];
  return readByDay({ from: 0, to: said.length * DAY_MS }, max, async ({ limit }) => {
    const count = Math.min(limit, left.shift() ?? 0);
    return { count, part: count };
  });
}

describe("a period that is read by day", () => {
  it("gives each day its share, however much was said on another", async () => {
    expect(await readDays(40, [1_000, 5, 1_000, 5])).toEqual([5, 13, 5, 10]);
    expect(await readDays(40, [1_000, 1_000, 1_000, 1_000])).toEqual([10, 10, 10, 10]);
  });

  it("gives what a quiet day leaves to those after it", async () => {
    expect(await readDays(40, [0, 1_000, 0, 1_000])).toEqual([26, 0, 14, 0]);
  });

  it("is covered whole, a part after the other, in at most 31 parts", async () => {
    const spans: [number, number][] = [];
    const to = 90 * DAY_MS;
    await readByDay({ from: 0, to }, 600, async ({ span }) => {
      spans.push([span.from, span.to]);
      return { count: 1, part: null };
    });
    expect(spans).toHaveLength(31);
    expect([spans[0]?.[0], spans.at(-1)?.[1]]).toEqual([0, to]);
    for (const [at, [from]] of spans.entries()) if (at > 0) expect(from).toBe((spans[at - 1]?.[1] ?? 0) + 1);
  });
});
