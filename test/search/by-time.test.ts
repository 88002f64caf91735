import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { Progress } from "../../src/ports/timelines.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const clock = { now: () => START + 86_400_000 };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const SARAH = toQuery(parseQuery(""), { from: ["9" as UserId] });

/** Messages in channels as the numbers say, one after the other. */
function arrive(order: readonly number[]) {
  const channels = new PlainChannels(START);
  const ids = [0, 1, 2].map((index) => channels.add(String(10 + index)));
  const texts = order.map((index, number) => {
    const channelId = ids[index % ids.length];
    return channelId ? channels.say(channelId, `number ${number}`).content : "";
  });
  const timelines = openTimelinesAndSearch(
    {},
    { discord: channels.discord, openIndex: openMessageIndex, clock, log: quiet },
  );
  return { channels, ids, timelines, newestFirst: texts.toReversed() };
}

describe("a search that is ordered by time", () => {
  it("fetches no more pages once its newest hits are certain", async () => {
    const order = Array.from({ length: 3_000 }, (_, index) => index);
    const { channels, ids, timelines, newestFirst } = arrive(order);
    const first = await timelines.find({ channelIds: ids, query: SARAH, limit: 10, scan: 100_000 });
    expect(first.hits.map(({ message }) => message.content)).toEqual(newestFirst.slice(0, 10));
    expect(channels.pages).toBe(3);
    expect(first).toMatchObject({ has_more: true, older: "not_needed", coverage: { complete: false, scanned: 300 } });
    expect(first.everything_since).not.toBeNull();
    await timelines.close();
  });

  it("returns everything in order, page by page, wherever it was said", async () => {
    // People talk in one channel for a while, then in another.
    const runs = fc.array(fc.record({ channel: fc.nat(2), count: fc.integer({ min: 1, max: 200 }) }), { maxLength: 7 });
    const orders = runs.map((all) => all.flatMap(({ channel, count }) => Array<number>(count).fill(channel)));
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 20, max: 100 }), async (order, limit) => {
        const { ids, timelines, newestFirst } = arrive(order);
        const found: string[] = [];
        for (let cursor: string | null = null; ; ) {
          // Enough for all of them, however they fall into pages.
          const request = { channelIds: ids, query: SARAH, limit, scan: 2_000, ...(cursor && { cursor }) };
          const result = await timelines.find(request);
          found.push(...result.hits.map(({ message }) => message.content));
          cursor = result.cursor;
          if (cursor === null) break;
        }
        expect(found).toEqual(newestFirst);
        await timelines.close();
      }),
      { numRuns: 25 },
    );
  });
});

it("a ranked search uses its whole scan, and its progress never exceeds its own total", async () => {
  const order = Array.from({ length: 1_500 }, (_, index) => index);
  const { channels, ids, timelines } = arrive(order);
  const progress: Progress[] = [];
  const onProgress = (each: Progress) => void progress.push(each);
  const query = toQuery(parseQuery("number"));
  await timelines.find({ channelIds: ids, query, limit: 5, scan: 950, onProgress });
  expect(channels.pages).toBe(10);
  expect(progress.length).toBeGreaterThan(0);
  for (const { scanned, scan } of progress) expect(scanned).toBeLessThanOrEqual(scan);
  expect(progress.at(-1)).toMatchObject({ scanned: 950, scan: 950 });
  await timelines.close();
});
