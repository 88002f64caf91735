import { expect, it } from "vitest";
import type { Progress } from "../ports/timelines.ts";
import { skipRepeated } from "./create-gate.ts";

it("a progress report equal to the previous one is not passed on", () => {
  const told: Progress[] = [];
  const tell = skipRepeated((progress) => told.push(progress));
  const steps = [0, 0, 100, 100, 100, 150].map((scanned) => ({ scanned, scan: 500, found: 0 }));
  for (const step of [...steps, { scanned: 150, scan: 500, found: 1 }]) tell(step);
  expect(told.map(({ scanned, found }) => [scanned, found])).toEqual([
    [100, 0],
    [150, 0],
    [150, 1],
  ]);
});
