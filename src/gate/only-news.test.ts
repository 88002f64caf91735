import { expect, it } from "vitest";
import type { Progress } from "../ports/timelines.ts";
import { onlyNews } from "./only-news.ts";

it("tells of progress only where there is some", () => {
  const told: Progress[] = [];
  const tell = onlyNews((progress) => told.push(progress));
  const steps = [0, 0, 100, 100, 100, 150].map((scanned) => ({ scanned, scan: 500, found: 0 }));
  for (const step of [...steps, { scanned: 150, scan: 500, found: 1 }]) tell(step);
  expect(told.map(({ scanned, found }) => [scanned, found])).toEqual([
    [100, 0],
    [150, 0],
    [150, 1],
  ]);
});
