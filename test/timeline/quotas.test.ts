import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { OpenMessageIndex } from "../../src/ports/message-index.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { until } from "../support/edge.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function open(truth: PlainChannels, options: Partial<TimelineOptions>) {
  const clock = { at: START + 86_400_000, now: () => clock.at };
  const reads = { count: 0 };
  const openIndex: OpenMessageIndex = (...request) => {
    const index = openMessageIndex(...request);
    const get = index.get.bind(index);
    index.get = (channelId, ids) => {
      reads.count += ids.length;
      return get(channelId, ids);
    };
    return index;
  };
  const deps = { discord: truth.discord, openIndex, clock, log: quiet };
  const timelines = openTimelinesAndSearch({ readsAhead: true, backgroundIntervalMs: 0, ...options }, deps);
  onTestFinished(() => timelines.close());
  const read = () =>
    until(() => timelines.stats().unread === 0 && timelines.stats().guildsRead === 1, "history was not read ahead");
  return { timelines, clock, reads, read };
}

describe("the quota of a channel", () => {
  it("is kept when messages grow by edits", async () => {
    const truth = new PlainChannels(START);
    const channel = truth.add("10");
    for (let index = 0; index < 200; index += 1) truth.say(channel, `small ${index}`);
    const { timelines, read } = open(truth, { totalBytes: 200_000 });
    await read();
    for (let index = 0; index < 200; index += 1) {
      truth.edit(channel, index, "large ".repeat(600));
      expect(timelines.stats().bytes).toBeLessThanOrEqual(200_000);
    }
  });

  it("that is smaller than one message does not make the background read the same page again and again", async () => {
    const truth = new PlainChannels(START);
    const channel = truth.add("10");
    for (let index = 0; index < 20; index += 1) truth.say(channel, `small ${index}`);
    truth.say(channel, "x".repeat(4_000));
    const { timelines, read, clock } = open(truth, { totalBytes: 30_000 });
    await read();
    expect(truth.pages).toBe(1);
    for (let minute = 0; minute < 3; minute += 1) {
      clock.at += 60_000;
      truth.say(channel, `a minute later ${minute}`);
      await read();
    }
    expect(truth.pages).toBe(1);
    const query = toQuery(parseQuery("later"));
    const found = await timelines.find({ channelIds: [channel], query, limit: 5, scan: 0 });
    expect(found.coverage).toMatchObject({ scanned: 3, complete: false });
  });

  it("has space for older messages again once all held messages are deleted", async () => {
    const truth = new PlainChannels(START);
    const channel = truth.add("10");
    for (let index = 0; index < 200; index += 1) truth.say(channel, `number ${index} of many`);
    const { timelines, read, clock } = open(truth, { totalBytes: 20_000 });
    await read();
    const held = timelines.stats().messages;
    expect(held).toBeLessThan(100);
    for (let index = 0; index < held; index += 1) truth.delete(channel, truth.messages(channel).length - 1);
    clock.at += 60_000;
    await timelines.recent(channel, { limit: 1 });
    truth.edit(channel, 0, "edited");
    await until(() => timelines.stats().messages > 50, "the room that became free was not used");
  });

  it("is filled again after access was lost and regained, wherever it ended before", async () => {
    const truth = new PlainChannels(START);
    const channel = truth.add("10");
    for (let index = 0; index < 200; index += 1) truth.say(channel, `number ${index} of many`);
    const { timelines, read, clock } = open(truth, { totalBytes: 40_000 });
    await read();
    expect(timelines.stats().messages).toBeLessThan(150);
    truth.setReadable(channel, false);
    truth.isDeaf = true;
    for (let index = 0; index < 100; index += 1) truth.delete(channel, 100);
    truth.isDeaf = false;
    truth.setReadable(channel, true);
    clock.at += 60_000;
    truth.edit(channel, 0, "edited");
    await until(() => timelines.stats().messages === 100, "what there is room for was not read");
  });

  it("that becomes smaller is enforced step by step, so that no read has to wait", async () => {
    const truth = new PlainChannels(START);
    const channels = [truth.add("10"), truth.add("20")];
    const { timelines, clock } = open(truth, { readsAhead: false, totalBytes: 1_500_000 });
    for (let index = 0; index < 2_000; index += 1)
      for (const channel of channels) truth.say(channel, `number ${index} of many`);
    expect(timelines.stats().messages).toBe(4_000);
    truth.add("30");
    clock.at += 60_000;
    await timelines.recent("10" as ChannelId, { limit: 1 });
    expect(timelines.stats().messages).toBeGreaterThan(3_700);
    await until(() => timelines.stats().bytes <= 875_000, "the quotas were not kept");
    expect(timelines.stats().messages).toBeGreaterThan(2_000);
  });

  it("that is used up by many threads is enforced without reading a message of each thread", () => {
    const truth = new PlainChannels(START);
    truth.add("10");
    const threads = Array.from({ length: 50 }, (_, index) => truth.add(String(100 + index), "public_thread", "10"));
    const { timelines, reads } = open(truth, { readsAhead: false, totalBytes: 300_000 });
    const say = () => {
      for (const thread of threads) truth.say(thread, "what people say in threads");
    };
    while (timelines.stats().bytes < 250_000) say();
    const held = timelines.stats().messages;
    const before = reads.count;
    for (let round = 0; round < 4; round += 1) say();
    expect(timelines.stats().messages).toBeLessThan(held + 100);
    expect(reads.count - before).toBeLessThan(10 * 4 * threads.length);
  });
});
