import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelKind } from "../../src/domain/guild.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { HistoryPage } from "../../src/ports/discord.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { until } from "../support/edge.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

interface Asked extends HistoryPage {
  readonly channelId: ChannelId;
}

/** Channels with so many messages each, said in turn, and a Discord that answers when it is let. */
function arrive(
  sizes: Readonly<Record<string, number>>,
  { kinds = {}, ...options }: Partial<TimelineOptions> & { readonly kinds?: Record<string, ChannelKind> } = {},
) {
  const truth = new PlainChannels(START);
  const ids = Object.keys(sizes).map((id) => truth.add(id, kinds[id]));
  for (let index = 0; index < Math.max(...Object.values(sizes)); index += 1)
    for (const id of ids) if (index < (sizes[id] ?? 0)) truth.say(id, `number ${index} of ${id}`);
  const clock = { at: START + 86_400_000, now: () => clock.at };
  const asked: Asked[] = [];
  const gate = {
    isOpen: true,
    waiting: [] as (() => void)[],
    refuse: (_: ChannelId): EarshotError | null => null,
    refuseArchive: (): EarshotError | null => null,
  };
  /** Requests for messages and archives, in turn. */
  const order: string[] = [];
  const history: typeof truth.discord.history = async (channelId, page, signal) => {
    asked.push({ channelId, ...page });
    order.push(`messages of ${channelId}`);
    const refusal = gate.refuse(channelId);
    if (refusal) throw refusal;
    if (!gate.isOpen) await new Promise<void>((resolve) => void gate.waiting.push(resolve));
    return truth.discord.history(channelId, page, signal);
  };
  const archive: typeof truth.discord.archive = async (channelId, before, signal) => {
    order.push(`archive of ${channelId}`);
    const refusal = gate.refuseArchive();
    if (refusal) throw refusal;
    return truth.discord.archive?.(channelId, before, signal) ?? { next: null, isLast: true };
  };
  const deps = { discord: { ...truth.discord, history, archive }, openIndex: openMessageIndex, clock, log: quiet };
  const timelines = openTimelinesAndSearch({ readsAhead: true, backgroundIntervalMs: 0, ...options }, deps);
  onTestFinished(() => timelines.close());
  const find = (words: string, channelIds = ids) =>
    timelines.find({ channelIds, query: toQuery(parseQuery(words)), limit: 5, scan: 0 });
  const isRead = () => timelines.stats().unread === 0 && timelines.stats().guildsRead === 1;
  return {
    truth,
    ids,
    clock,
    asked,
    order,
    gate,
    timelines,
    find,
    read: () => until(isRead, "history was not read ahead"),
  };
}

const [A, B] = ["10", "20"] as [ChannelId, ChannelId];

describe("the background reader", () => {
  it("reads from the newest message on, a page of each channel in turn, after which a search makes no requests", async () => {
    const { asked, read, find, timelines } = arrive({ [A]: 450, [B]: 150 });
    await read();
    expect(timelines.stats().messages).toBe(600);
    expect(asked.map(({ channelId }) => channelId)).toEqual([A, B, A, B, A, A, A]);
    const requests = asked.length;
    const { hits, coverage } = await find(`"number 0 of ${A}"`);
    expect(hits.map(({ message }) => message.content)).toEqual([`number 0 of ${A}`]);
    expect(coverage).toMatchObject({ scanned: 600, complete: true });
    expect(asked).toHaveLength(requests);
  });

  it("asks for the newest messages of every channel before it lists an archive, and for older ones afterwards", async () => {
    const { order, read } = arrive({ [A]: 250, [B]: 10 });
    await read();
    expect(order.slice(0, 2).sort()).toEqual([`messages of ${A}`, `messages of ${B}`]);
    expect(order.slice(2, 4).sort()).toEqual([`archive of ${A}`, `archive of ${B}`]);
    expect(order.slice(4)).toEqual([`messages of ${A}`, `messages of ${A}`]);
  });

  it("asks for channels by their kinds and ids, whatever is said in them and in channels that others cannot see", async () => {
    const kinds = { 15: "voice", 20: "announcement", 35: "public_thread", 36: "public_thread" } as const;
    const OPEN = ["10", "30", "20", "36", "35", "15"];
    const sizesOf = (ids: readonly string[]): fc.Arbitrary<Record<string, number>> =>
      fc.record(Object.fromEntries(ids.map((id) => [id, fc.integer({ min: 0, max: 350 })])));
    const play = async (sizes: Readonly<Record<string, number>>) => {
      const { asked, read } = arrive(sizes, { kinds });
      await read();
      return asked.map(({ channelId }) => channelId as string).filter((id) => OPEN.includes(id));
    };
    await fc.assert(
      fc.asyncProperty(sizesOf(OPEN), sizesOf(["5", "25", "45"]), async (open, closed) => {
        const seen = await play({ ...open, ...closed });
        const pages = (id: string) => seen.filter((one) => one === id).length;
        expect(seen).toEqual(seen.flatMap((_, round) => OPEN.filter((id) => pages(id) > round)));
        expect(seen.slice(0, OPEN.length)).toEqual(OPEN);
        const without = Object.fromEntries(Object.keys(closed).map((id) => [id, 0]));
        expect(await play({ ...open, ...without })).toEqual(seen);
      }),
      { numRuns: 10 },
    );
  });

  it("reads messages while archives cannot be listed, and lists archives while messages cannot be read", async () => {
    const outage = () => new EarshotError("unavailable", "Discord does not answer.");
    const first = arrive({ [A]: 450, [B]: 10 });
    first.gate.refuseArchive = outage;
    await until(() => first.timelines.stats().messages === 460, "the archives kept the messages waiting");
    expect(first.timelines.stats()).toMatchObject({ unread: 0, unlisted: 2, guildsRead: 0 });
    expect(first.order.filter((line) => line.startsWith("archive")).length).toBeLessThan(4);
    const second = arrive({ [A]: 450, [B]: 10 });
    second.gate.refuse = outage;
    await until(
      () => second.timelines.stats().unlisted === 0 && second.order.length > 2,
      "the messages kept the archives waiting",
    );
    expect(second.timelines.stats()).toMatchObject({ unread: 2, guildsRead: 0, pausedUntil: expect.any(Number) });
  });

  it("lets nobody search without requests before all channels have been read, and searches say that it is still reading", async () => {
    const { gate, asked, find, read, timelines } = arrive({ [A]: 50, [B]: 150 });
    await until(() => timelines.stats().messages >= 100, "nothing was read");
    gate.isOpen = false;
    await until(() => gate.waiting.length > 0, "nothing more was asked for");
    const early = await find("number", [A]);
    expect(early).toMatchObject({ hits: [], still_reading: true, coverage: { scanned: 0, complete: false } });
    gate.isOpen = true;
    for (const go of gate.waiting) go();
    await read();
    const requests = asked.length;
    expect(await find("number", [A])).toMatchObject({
      still_reading: false,
      coverage: { scanned: 50, complete: true },
    });
    expect(asked).toHaveLength(requests);
  });

  it("reads back as far as the maximum of messages, and a search goes further only within its own scan limit", async () => {
    const { read, find, timelines, truth, ids } = arrive({ [A]: 450, [B]: 20 }, { messagesPerChannel: 250 });
    await read();
    expect(timelines.stats().messages).toBe(270);
    expect((await find("number")).coverage).toMatchObject({ scanned: 270, complete: false });
    const query = toQuery(parseQuery("number"));
    const further = await timelines.find({ channelIds: ids, query, limit: 5, scan: 100 });
    expect(further.coverage).toMatchObject({ scanned: 370, complete: false });
    // What somebody else has fetched is not found by those who did not ask for it.
    expect((await find("number")).coverage).toMatchObject({ scanned: 270, complete: false });
    truth.say(A, "one more");
    expect((await find("number")).coverage).toMatchObject({ scanned: 270 });
  });

  it.each([true, false])(
    "fills up a channel after deletions, whether it was read by others before (%s) or not",
    async (isRead) => {
      const { truth, gate, read, find, timelines, clock } = arrive({ [A]: 150, [B]: 1 }, { messagesPerChannel: 40 });
      gate.isOpen = false;
      const reading = isRead ? timelines.recent(A, { limit: 100 }) : Promise.resolve();
      await until(() => gate.waiting.length > 0, "nothing was asked for");
      gate.isOpen = true;
      for (const go of gate.waiting) go();
      await reading;
      for (let count = 0; count < 18; count += 1) truth.delete(A, 125);
      await read();
      // The background looks for what has room once a minute.
      clock.at += 60_000;
      truth.say(B, "a minute later");
      await until(() => timelines.stats().messages === 42, "it was not filled up");
      await read();
      expect((await find("number", [A])).coverage).toMatchObject({ scanned: 40, complete: false });
    },
  );

  it("does not change a search that began before: no hit comes twice", async () => {
    const { gate, read, timelines } = arrive({ [A]: 120, [B]: 120 });
    await until(() => timelines.stats().messages >= 200, "nothing was read");
    gate.isOpen = false;
    await until(() => gate.waiting.length > 0, "nothing more was asked for");
    const request = { channelIds: [A, B], query: toQuery(parseQuery("number")), limit: 30, scan: 200 };
    const hits: string[] = [];
    let page = await timelines.find(request);
    gate.isOpen = true;
    for (const go of gate.waiting) go();
    await read();
    for (;;) {
      hits.push(...page.hits.map(({ message }) => message.message_id));
      if (page.cursor === null) break;
      page = await timelines.find({ ...request, cursor: page.cursor });
    }
    expect(new Set(hits).size).toBe(hits.length);
    expect(hits).toHaveLength(200);
  });

  it("does not report a server as read while none of it can be read, and reads it once it can be", async () => {
    const { truth, read, find, timelines, clock } = arrive({ [A]: 30 });
    await read();
    truth.setReadable(A, false);
    truth.describeGuild();
    await until(() => timelines.stats().timelines === 0, "it was not let go of");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(timelines.stats()).toMatchObject({ guildsRead: 0, messages: 0 });
    truth.setReadable(A, true);
    clock.at += 60_000;
    truth.delete(A, 0);
    await read();
    expect((await find("number")).coverage).toMatchObject({ scanned: 29, complete: true });
  });

  it("does not report a server as read while Discord does not answer", async () => {
    const { gate, asked, find, timelines } = arrive({ [A]: 50 });
    gate.refuse = () => new EarshotError("unavailable", "Discord does not answer.");
    await until(() => asked.length >= 4, "it gave up");
    expect(timelines.stats()).toMatchObject({ guildsRead: 0, messages: 0 });
    const found = await find("number").catch((error: EarshotError) => error.code);
    expect(found).toMatchObject({ still_reading: true });
  });

  it("reads again after a gap, and only then lets searches use the messages", async () => {
    const { truth, read, find, gate, timelines, clock } = arrive({ [A]: 150 });
    await read();
    gate.isOpen = false;
    truth.isDeaf = true;
    truth.delete(A, 3);
    truth.isDeaf = false;
    truth.miss(clock.now());
    expect(await find("number")).toMatchObject({ still_reading: true, coverage: { scanned: 0 } });
    await until(() => gate.waiting.length > 0, "nothing was asked for");
    gate.isOpen = true;
    for (const go of gate.waiting) go();
    await read();
    expect((await find("number")).coverage).toMatchObject({ scanned: 149, complete: true });
    expect(timelines.stats().messages).toBe(149);
  });

  it("lets searches use a channel again after a gap once it has been read itself, whatever of others is missing", async () => {
    const { truth, gate, clock, read, find } = arrive({ [A]: 150, [B]: 150 });
    await read();
    gate.refuse = (id) => (id === B ? new EarshotError("unavailable", "Discord does not answer.") : null);
    truth.miss(clock.now());
    await expect.poll(async () => (await find("number", [A])).hits.length).toBeGreaterThan(0);
    expect(await find("number", [A])).toMatchObject({ still_reading: false, coverage: { complete: true } });
    expect(await find("number", [B])).toMatchObject({ hits: [], still_reading: true, coverage: { complete: false } });
  });

  it("reads a thread that is created later, with the messages from before", async () => {
    const { truth, read, find, timelines } = arrive({ [A]: 10 });
    await read();
    const thread = truth.add("30", "public_thread", A);
    truth.isDeaf = true;
    truth.say(thread, "said unheard");
    truth.isDeaf = false;
    truth.say(thread, "said aloud");
    await until(() => timelines.stats().messages === 12, "the thread was never read");
    await read();
    expect((await find("said", [thread])).coverage).toMatchObject({ scanned: 2, complete: true });
  });

  it("has to read a thread that is created later itself before it counts as read, whoever else has read it", async () => {
    const { truth, read, find, timelines, clock } = arrive({ [A]: 10 });
    await read();
    truth.isDeaf = true;
    const thread = truth.add("30", "public_thread", A);
    truth.say(thread, "said unheard");
    truth.isDeaf = false;
    await timelines.recent(thread, { limit: 10 });
    expect((await find("said", [thread])).coverage).toMatchObject({ scanned: 0, complete: false });
    clock.at += 60_000;
    truth.say(A, "a minute later");
    const isFree = async () => (await find("said", [thread])).coverage.complete;
    while (!(await isFree())) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it("reads no private threads, and no channels that are excluded", async () => {
    const { truth, read, asked, timelines, clock } = arrive({ [A]: 10, [B]: 10 }, { isExcluded: (id) => id === B });
    const secret = truth.add("30", "private_thread", A);
    truth.say(secret, "only among us");
    await read();
    clock.at += 60_000;
    truth.say(A, "a minute later");
    await read();
    expect(new Set(asked.map(({ channelId }) => channelId))).toEqual(new Set([A]));
    const query = toQuery(parseQuery("us"));
    const found = await timelines.find({ channelIds: [secret], query, limit: 5, scan: 0 });
    expect(found.coverage).toMatchObject({ scanned: 0, complete: false });
  });

  it("continues with other channels where one cannot be read, and does not wait for that one forever", async () => {
    const { gate, find, timelines } = arrive({ [A]: 150, [B]: 10 });
    gate.refuse = (id) => (id === B ? new EarshotError("not_found", "Discord refuses.") : null);
    await until(() => timelines.stats().guildsRead === 1, "the refused channel kept the others waiting");
    expect((await find("number", [A])).coverage).toMatchObject({ scanned: 150, complete: true });
    expect((await find("number", [B])).coverage).toMatchObject({ scanned: 0, complete: false });
    gate.refuse = () => null;
    await until(() => timelines.stats().unread === 0, "the channel was not read once Discord gave it");
    expect((await find("number", [B])).coverage).toMatchObject({ scanned: 10, complete: true });
  });

  it("reads again before messages expire, in few pages, while searches make no requests", async () => {
    const { truth, clock, asked, find, read, timelines } = arrive({ [A]: 500 }, { maxAgeMs: 30 * 60_000 });
    await read();
    const requests = asked.length;
    for (let minute = 0; minute < 90; minute += 1) {
      clock.at += 60_000;
      truth.say(A, `number ${500 + minute} of ${A}`);
      // Lets go of what is too old.
      await timelines.recent(A, { limit: 1 });
      expect((await find("number")).coverage).toMatchObject({ scanned: 501 + minute, complete: true });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await read();
    }
    // Three times all of it, and not a page for every message.
    expect(asked.length - requests).toBeLessThan(40);
  });

  it("reads at once after a gap, although it was waiting for a channel that cannot be read", async () => {
    const { gate, truth, asked, timelines, clock } = arrive({ [A]: 10, [B]: 10 });
    gate.refuse = (id) => (id === B ? new EarshotError("not_found", "Discord refuses.") : null);
    await until(() => asked.length >= 4, "the refused channel was not tried again");
    const before = asked.length;
    truth.miss(clock.now());
    await until(() => asked.length > before, "nothing was read after the gap");
    // Only the refused channel was due, in some seconds.
    expect(asked[before]?.channelId).toBe(A);
    expect(timelines.stats().messages).toBe(10);
  });

  it("lets the reads of actors go first", async () => {
    const { asked, gate, timelines, read } = arrive({ [A]: 350, [B]: 20 });
    gate.isOpen = false;
    const reading = timelines.recent(B, { limit: 10 });
    await until(() => asked.length > 0, "nobody was asked");
    expect(asked.map(({ channelId }) => channelId)).toEqual([B]);
    gate.isOpen = true;
    for (const go of gate.waiting) go();
    await reading;
    await read();
  });

  it("stops when the timelines are closed", async () => {
    const { asked, gate, timelines } = arrive({ [A]: 950 });
    await until(() => asked.length > 2, "nothing was read");
    gate.isOpen = false;
    await until(() => gate.waiting.length > 0, "nothing more was asked for");
    await timelines.close();
    gate.isOpen = true;
    for (const go of gate.waiting) go();
    const requests = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(requests);
  });
});
