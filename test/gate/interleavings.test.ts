import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { assertUntil } from "../support/assert-until.ts";
import { CHANGES, DESTINATIONS, READS, race } from "../support/races.ts";
import { type Choose, forEachMoment, forEachOrder } from "../support/turns.ts";

const reads = Object.keys(READS) as (keyof typeof READS)[];
const changes = Object.keys(CHANGES);
const MAX_SHOWN = 5;
const isSoak = process.env["SOAK_RUNS"] !== undefined;
const numRuns = Number(process.env["SOAK_RUNS"] ?? 6);

/** The second request is given, after a gap, what was read before it. */
const READ_BEFORE_A_GAP = {
  read: "fresh" as const,
  destination: "lounge" as const,
  changes: [
    "the actor loses a role",
    "events are missed, a deletion among them",
    "everybody sees the staff's channels",
  ],
  choices: [0, 8, 3, 0, 2, 0, 8, 1, ...new Array<number>(32).fill(0)],
};

/** Every moment at which the change can happen; the soak plays every order of all other steps, too. */
const forEachRun = (change: string, run: (choose: Choose) => Promise<void>) =>
  isSoak ? forEachOrder(run) : forEachMoment(`${change} begins`, run);

/** It takes a while where others work as well. */
vi.setConfig({ testTimeout: 240_000 });

describe("when permissions and messages change between reading and sending,", () => {
  it.each(changes)("nothing is disclosed that is no longer allowed, in any order of events: %s", async (change) => {
    const found: string[] = [];
    let orders = 0;
    let departures = 0;
    let departuresAfterDeletion = 0;
    let progress = 0;
    // Every read, every change and every destination, in a quarter of their combinations; the soak plays all of them.
    const number = changes.indexOf(change);
    const isPlayed = (index: number) => isSoak || (number + index) % 4 === 0;
    // Searches that find something and those that find nothing take turns: they wait at the same points, in most of all orders.
    const isSkipped = (read: string) => !isSoak && read === (number % 2 === 0 ? "found" : "missed");
    for (const [index, read] of reads.entries())
      for (const destination of DESTINATIONS.filter((_, at) => isPlayed(index + at) && !isSkipped(read)))
        orders += await forEachRun(change, async (choose) => {
          const { violations, log, ...counts } = await race({ read, destination, changes: [change] }, choose);
          departures += counts.departures;
          departuresAfterDeletion += counts.departuresAfterDeletion;
          progress += counts.progress;
          const order = log.join(", ");
          found.push(...violations.map((one) => `${read} → ${destination}: ${one.slice(0, 120)}\n  ${order}`));
        });
    expect(orders).toBeGreaterThan(50);
    expect(Math.min(departures, progress)).toBeGreaterThan(0);
    // Only where nothing was told of the channel, and that it goes was heard.
    expect(departuresAfterDeletion > 0).toBe(change === "the source's channel is deleted");
    expect(found.slice(0, MAX_SHOWN)).toEqual([]);
  });

  it("nothing is disclosed that is no longer allowed, while two calls of one operation and three changes overlap", async () => {
    let departures = 0;
    const races = fc.record({
      read: fc.constantFrom(...reads),
      destination: fc.constantFrom(...DESTINATIONS),
      changes: fc.uniqueArray(fc.constantFrom(...changes), { minLength: 1, maxLength: 3 }),
      choices: fc.array(fc.nat(11), { minLength: 40, maxLength: 40 }),
    });
    const holds = fc.asyncProperty(races, async ({ choices, ...one }) => {
      let next = 0;
      const choose: Choose = ({ length }) => (choices[next++ % choices.length] ?? 0) % length;
      const result = await race({ ...one, isDoubled: true }, choose);
      departures += result.departures;
      expect(result.violations, result.log.join(", ")).toEqual([]);
    });
    const expectEnough = () => expect(departures).toBeGreaterThan(0.4 * numRuns);
    await assertUntil(holds, expectEnough, { numRuns, examples: [[READ_BEFORE_A_GAP]] });
  });
});
