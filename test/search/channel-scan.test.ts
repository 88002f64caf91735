import fc from "fast-check";
import { expect, it } from "vitest";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { openArchive } from "../support/archive.ts";
import { channelOf, type Said, START, toChannels } from "./said.ts";

const NAMES = ["a", "b", "c"];

/** How many messages there are in a channel, and how many seconds lie between two of them. */
interface Pace {
  readonly size: number;
  readonly every: number;
}

/** In each channel, up to now. */
function talk(paces: readonly Pace[], now: number): Said[] {
  return paces.flatMap(({ size, every }, index) =>
    Array.from({ length: size }, (_, age) => ({
      channel: NAMES[index] ?? "a",
      second: now - age * every,
      by: "ann",
      text: "the tide turns",
    })),
  );
}

it("a search with a start time looks no less far back when older messages are held", async () => {
  const pace = fc.record({ size: fc.integer({ min: 0, max: 700 }), every: fc.constantFrom(1, 5, 50) });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(pace, pace, pace),
      fc.subarray(NAMES),
      fc.record({ seconds: fc.integer({ min: 1, max: 400 }), scan: fc.integer({ min: 0, max: 900 }) }),
      async (paces, atHand, { seconds, scan }) => {
        const now = 100_000;
        const channels = toChannels(NAMES, talk(paces, now));
        const query = toQuery(parseQuery("tide"), { since: START + (now - seconds) * 1_000 });
        const search = async (known: readonly string[]) => {
          const { timelines } = openArchive(channels);
          for (const name of known) await timelines.contains(channelOf(name), "zzzz", { limit: 1, scan: 1_000 });
          const { coverage } = await timelines.find({ channelIds: NAMES.map(channelOf), query, limit: 1, scan });
          await timelines.close();
          return coverage;
        };
        const [cold, warm] = [await search([]), await search(atHand)];
        expect(warm.scanned).toBeGreaterThanOrEqual(cold.scanned);
        expect(warm.complete || !cold.complete).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

it("a search with a start time is not charged for older messages", async () => {
  const channels = toChannels(NAMES, talk(Array(3).fill({ size: 700, every: 1 }), 1_000));
  const { timelines, requests } = openArchive(channels);
  const query = toQuery(parseQuery("tide"), { since: START + 981_000 });
  const request = { channelIds: NAMES.map(channelOf), query, limit: 1, scan: 60 };
  expect((await timelines.find(request)).coverage).toMatchObject({ scanned: 60, complete: true });
  expect((await timelines.find(request)).coverage).toMatchObject({ scanned: 60, complete: true });
  expect(requests()).toBe(NAMES.length);
  await timelines.close();
});
