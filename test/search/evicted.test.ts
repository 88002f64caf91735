import { describe, expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { Pace } from "../../src/domain/steps/pace.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const AUTHOR = "9" as UserId;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A channel with more messages than are held of it, and something new in it whenever a search pauses, from some pause on. */
function openBusy(first: number) {
  const truth = new PlainChannels(START);
  const channel = truth.add("10");
  for (let index = 0; index < 50; index += 1) truth.say(channel, `needle ${index}`);
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    if (pauses >= first && pauses < first + 20) truth.say(channel, `needle said meanwhile ${pauses}`);
  };
  const timelines = openTimelinesAndSearch(
    { messagesPerChannel: 7 },
    {
      discord: truth.discord,
      openIndex: openMessageIndex,
      clock: { now: () => START + 86_400_000 },
      log: quiet,
      openPace: (check) => new Pace({ pause, check, unitsPerStep: 2_000 }),
    },
  );
  onTestFinished(() => timelines.close());
  return { timelines, channel, query: toQuery(parseQuery("needle")), pauses: () => pauses };
}

describe("a search during which messages are evicted", () => {
  for (const onlyBy of [null, AUTHOR])
    it(`finds every message that it has scanned${onlyBy ? ", where it is limited to one author" : ""}`, async () => {
      const said = Array.from({ length: 50 }, (_, index) => `needle ${index}`);
      for (let [first, last] = [1, 1]; first <= last; first += 1) {
        const { timelines, channel, query, pauses } = openBusy(first);
        const request = { channelIds: [channel], query, limit: 100, scan: 1_000, onlyBy: () => onlyBy };
        const { hits, coverage } = await timelines.find(request);
        const found = hits.map(({ message }) => message.content);
        expect(coverage.complete).toBe(true);
        expect(found).toEqual(expect.arrayContaining(said));
        expect(found).toHaveLength(coverage.scanned);
        last = pauses();
      }
    });
});
