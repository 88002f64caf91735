import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { compareEvents, emptyEventTally, eventCases } from "../support/event-interference.ts";

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 240_000 });

it("events that a client may not receive are not pushed to it, and do not change what is pushed to it", async () => {
  const runs = 300;
  const tally = emptyEventTally();
  const same = fc.asyncProperty(eventCases, async (one) => {
    expect(await compareEvents(one, tally)).toBeNull();
  });
  await fc.assert(same, { numRuns: runs });
  // A comparison of silence with silence would hold as well.
  expect(tally.told).toBeGreaterThan(runs * 3);
  expect(tally.changes).toBeGreaterThan(runs / 2);
  expect(tally.events).toBeGreaterThan(tally.told);
});
