import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { until } from "../support/edge.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => START + 86_400_000 };

/** Pages of history arrive one at a time, when they are let. */
function open(truth: PlainChannels, options: Partial<TimelineOptions>, directory = truth.discord.directory) {
  const waiting: (() => void)[] = [];
  const history: typeof truth.discord.history = async (...request) => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return truth.discord.history(...request);
  };
  const deps = { discord: { ...truth.discord, directory, history }, openIndex: openMessageIndex, clock, log: quiet };
  const timelines = openTimelinesAndSearch({ backgroundIntervalMs: 0, ...options }, deps);
  onTestFinished(() => timelines.close());
  const answer = async () => {
    await until(() => waiting.length > 0, "no page was asked for");
    waiting.shift()?.();
  };
  const settled = async <Result>(reading: Promise<Result>): Promise<Result> => {
    const timer = setInterval(() => waiting.shift()?.(), 1);
    return reading.finally(() => clearInterval(timer));
  };
  return { timelines, answer, settled };
}

describe("a channel's timeline that was removed while it was empty", () => {
  it("is not filled by the background reader, so that messages deleted afterwards are not found", async () => {
    const truth = new PlainChannels(START);
    const channel = truth.add("10");
    const thread = truth.add("11", "public_thread", "10");
    const old = Array.from({ length: 120 }, (_, index) => truth.say(thread, `old ${index}`))[60];
    for (let index = 0; index < 100; index += 1) truth.say(channel, `chatter ${index} ${"and so on ".repeat(20)}`);
    for (let index = 0; index < 5; index += 1) truth.say(thread, `secret ${index}`);
    const { timelines, answer, settled } = open(truth, { readsAhead: true, totalBytes: 60_000 });
    // Somebody looks at an old message of the thread; then the channel takes all the room that the two share.
    const looking = timelines.around(thread, old?.message_id ?? ("1" as never), { limit: 5 });
    await answer();
    await looking;
    await answer();
    await until(() => timelines.stats().messages > 0 && timelines.stats().messages < 100, "nothing was evicted");
    await settled(until(() => timelines.stats().unread === 0, "the thread was not read"));
    truth.delete(thread, 123);
    const search = () => settled(timelines.contains(thread, "secret", { limit: 10 }));
    for (const { messages } of [await search(), await search()])
      expect(messages.map(({ content }) => content)).toEqual(["secret 4", "secret 2", "secret 1", "secret 0"]);
  });

  it("is not searched, but fetched again, after a gap during the wait for another channel", async () => {
    const truth = new PlainChannels(START);
    const [known, unknown] = [truth.add("10"), truth.add("20")];
    for (let index = 0; index < 5; index += 1) truth.say(known, `secret ${index}`);
    const { directory } = truth.discord;
    const learning = Promise.withResolvers<void>();
    let isLearnt = false;
    const slow = {
      ...directory,
      channel: (id: ChannelId) => (id === unknown && !isLearnt ? undefined : directory.channel(id)),
      learn: () => learning.promise,
    };
    const { timelines, settled } = open(truth, {}, slow as typeof directory);
    const query = toQuery(parseQuery("secret"));
    const finding = timelines.find({ channelIds: [known, unknown], query, limit: 10, scan: 1_000 });
    truth.miss(clock.now());
    isLearnt = true;
    learning.resolve();
    expect((await settled(finding)).hits).toHaveLength(5);
    truth.delete(known, 3);
    await settled(timelines.recent(known, { limit: 10 }));
    const found = await settled(timelines.contains(known, "secret", { limit: 10 }));
    expect(found.messages).toHaveLength(4);
  });
});
