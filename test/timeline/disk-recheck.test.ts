import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { HistoryPage } from "../../src/ports/discord.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { until } from "../support/edge.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A channel on disk with so many messages, all of them held; and a Discord that can be switched off. */
async function arrive(messages: number) {
  const folder = mkdtempSync(join(tmpdir(), "earshot-recheck-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const truth = new PlainChannels(START);
  const general = truth.add("10");
  const clock = { at: START + 2 * HOUR, now: () => clock.at };
  const asked: HistoryPage[] = [];
  const state = { isDown: false };
  const history: typeof truth.discord.history = (channelId, page, signal) => {
    asked.push(page);
    if (state.isDown) throw new EarshotError("unavailable", "Discord is down.");
    return truth.discord.history(channelId, page, signal);
  };
  const open = (retentionDays = 1_000) => {
    const options = { disk: { folder, channels: [general], retentionDays }, backgroundIntervalMs: 1 };
    const deps = { discord: { ...truth.discord, history }, openIndex: openMessageIndex, clock, log: quiet };
    const timelines = openTimelinesAndSearch(options, deps);
    onTestFinished(() => timelines.close());
    return timelines;
  };
  const onDisk = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
  for (let index = 0; index < messages; index += 1) truth.say(general, `text-${index}-end`);
  const timelines = open();
  await timelines.contains(general, "nothing", { limit: 1, scan: 10_000 });
  expect(timelines.stats()).toMatchObject({ messages, unconfirmed: 0 });
  const change = (sql: string) => {
    const file = join(folder, "messages.db");
    rmSync(`${file}.digest`);
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  return { truth, general, clock, asked, state, open, onDisk, timelines, change };
}

it("the recheck of messages on disk reads other channels where one of them fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-recheck-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const truth = new PlainChannels(START);
  const [good, bad] = [truth.add("10"), truth.add("11")];
  const state = { isDown: false };
  const history: typeof truth.discord.history = (channelId, page, signal) => {
    if (state.isDown && channelId === bad) throw new EarshotError("not_found", "Discord refuses.");
    return truth.discord.history(channelId, page, signal);
  };
  const disk = { folder, channels: [good, bad], retentionDays: 1_000 };
  const deps = { discord: { ...truth.discord, history }, clock: { now: () => START }, log: quiet };
  const timelines = openTimelinesAndSearch({ disk, backgroundIntervalMs: 1 }, { ...deps, openIndex: openMessageIndex });
  onTestFinished(() => timelines.close());
  // The newest message is in the channel that fails, so that one comes first.
  for (const channelId of [good, bad]) truth.say(channelId, "hello");
  state.isDown = true;
  truth.miss(START);
  expect(timelines.stats().unconfirmed).toBe(2);
  await until(() => timelines.stats().unconfirmed === 1, "the other channel was never read again");
});

describe("messages on disk that may have been deleted in a gap", () => {
  it("are read again from the start, newest first, so that deleted and edited ones are erased", async () => {
    const { truth, general, timelines, asked, open, onDisk } = await arrive(250);
    await timelines.close();
    truth.isDeaf = true;
    truth.edit(general, 20, "edited-text");
    truth.delete(general, 10);
    truth.isDeaf = false;
    asked.length = 0;
    const again = open();
    expect(again.stats()).toMatchObject({ messages: 250, unconfirmed: 250 });
    expect(onDisk()).toContain("text-10-end");
    await until(() => again.stats().unconfirmed === 0, "some messages were never confirmed");
    for (const gone of ["text-10-end", "text-20-end"]) expect(onDisk()).not.toContain(gone);
    for (const kept of ["text-9-end", "text-249-end", "edited-text"]) expect(onDisk()).toContain(kept);
    expect(again.stats().messages).toBe(249);
    const ids = asked.map(({ before }) => BigInt(before ?? 0));
    expect(ids).toHaveLength(3);
    expect(ids).toEqual([...ids].sort((a, b) => (a > b ? -1 : 1)));
  });

  it("are read again after a gap", async () => {
    const { truth, general, timelines, clock, onDisk } = await arrive(250);
    truth.isDeaf = true;
    truth.delete(general, 10);
    truth.isDeaf = false;
    truth.miss(clock.now());
    expect(timelines.stats().unconfirmed).toBe(250);
    await until(() => timelines.stats().unconfirmed === 0, "some messages were never confirmed");
    expect(onDisk()).not.toContain("text-10-end");
    expect(onDisk()).toContain("text-9-end");
  });

  it("are erased when Discord does not confirm them within 24 hours, and not before", async () => {
    const { truth, general, timelines, state, clock, onDisk, asked } = await arrive(120);
    state.isDown = true;
    asked.length = 0;
    truth.miss(clock.now());
    await until(() => asked.length > 0, "nobody asked Discord");
    const read = () => timelines.recent(general, { limit: 1 }).catch((error: EarshotError) => error.code);
    clock.at += 24 * HOUR - 1_000;
    expect(await read()).toBe("unavailable");
    expect(timelines.stats().unconfirmed).toBe(120);
    expect(onDisk()).toContain("text-5-end");
    // The sweep comes once a minute.
    clock.at += 61_000;
    expect(await read()).toBe("unavailable");
    expect(timelines.stats()).toMatchObject({ messages: 0, unconfirmed: 0 });
    expect(onDisk()).not.toContain("-end");
  });

  it("are confirmed once Discord answers again", async () => {
    const { truth, timelines, state, clock, asked } = await arrive(120);
    state.isDown = true;
    asked.length = 0;
    truth.miss(clock.now());
    await until(() => asked.length > 0, "nobody asked Discord");
    state.isDown = false;
    clock.at += HOUR;
    await until(() => timelines.stats().unconfirmed === 0, "some messages were never confirmed");
    expect(timelines.stats().messages).toBe(120);
  });

  it("expire by the last time they were confirmed: a later gap does not add to the earlier one", async () => {
    const { truth, general, timelines, state, clock } = await arrive(120);
    truth.miss(clock.now());
    await until(() => timelines.stats().unconfirmed === 0, "some messages were never confirmed");
    clock.at += 20 * HOUR;
    state.isDown = true;
    truth.miss(clock.now());
    clock.at += 20 * HOUR;
    await timelines.recent(general, { limit: 1 }).catch(() => {});
    expect(timelines.stats().unconfirmed).toBe(120);
  });

  it("are erased 24 hours after the first of many restarts without Discord, and not before", async () => {
    const { timelines, state, clock, open, onDisk } = await arrive(120);
    state.isDown = true;
    const since = clock.at;
    let running = timelines;
    for (let restart = 0; restart < 4; restart += 1) {
      await running.close();
      clock.at += 6 * HOUR - 1_000;
      running = open();
      expect(running.stats()).toMatchObject({ unconfirmed: 120, unconfirmedSince: since, eraseAt: since + 24 * HOUR });
    }
    expect(onDisk()).toContain("text-5-end");
    await running.close();
    clock.at += 5_000;
    running = open();
    expect(running.stats()).toMatchObject({ messages: 0, unconfirmed: 0, unconfirmedSince: null, eraseAt: null });
    expect(onDisk()).not.toContain("-end");
  });

  it("expire by the last time Discord was heard, not by the end of the process", async () => {
    const { timelines, truth, clock, open } = await arrive(120);
    const since = clock.at;
    truth.lastHeardAt = since;
    clock.at += 3 * HOUR;
    await timelines.close();
    truth.lastHeardAt = Number.POSITIVE_INFINITY;
    clock.at += HOUR;
    const again = open();
    expect(again.stats().unconfirmedSince).toBe(since);
    truth.miss(since - HOUR);
    expect(again.stats().unconfirmedSince).toBe(since - HOUR);
    truth.miss(clock.at);
    expect(again.stats().unconfirmedSince).toBe(since - HOUR);
  });

  it("are erased 24 hours after Discord was last heard, even before a gap is reported", async () => {
    const { timelines, truth, general, state, clock, onDisk } = await arrive(120);
    truth.lastHeardAt = clock.at;
    state.isDown = true;
    clock.at += 24 * HOUR - 1_000;
    await timelines.recent(general, { limit: 1 });
    expect(onDisk()).toContain("text-5-end");
    clock.at += 61_000;
    await timelines.recent(general, { limit: 1 }).catch(() => {});
    expect(onDisk()).not.toContain("-end");
  });

  it("are kept for any number of days while Discord confirms them after each restart", async () => {
    const { timelines, clock, open } = await arrive(120);
    let running = timelines;
    for (let day = 0; day < 4; day += 1) {
      clock.at += 20 * HOUR;
      await running.close();
      const since = clock.at;
      clock.at += HOUR;
      running = open();
      expect(running.stats()).toMatchObject({ unconfirmed: 120, unconfirmedSince: since });
      await until(() => running.stats().unconfirmed === 0, "some messages were never confirmed");
      expect(running.stats().messages).toBe(120);
    }
  });

  it.each([
    ["it was never noted when Discord was last heard", "UPDATE meta SET heard = NULL"],
    ["Discord was last heard in the future", `UPDATE meta SET heard = ${START + 9_999 * HOUR}`],
    ["they are unconfirmed since a time in the future", `UPDATE stretch SET since = ${START + 9_999 * HOUR}`],
    ["they are unconfirmed since a time before all times", "UPDATE stretch SET since = -9223372036854775808"],
    ["the time is not even a number", "UPDATE stretch SET since = 'noon'"],
  ])("are erased at once when a restart finds that %s", async (_, sql) => {
    const { timelines, open, onDisk, change } = await arrive(120);
    await timelines.close();
    change(sql);
    expect(open().stats()).toMatchObject({ messages: 0, unconfirmed: 0 });
    expect(onDisk()).not.toContain("-end");
  });

  it("are erased when they are older than the retention", async () => {
    const { timelines, clock, open, onDisk } = await arrive(250);
    await timelines.close();
    clock.at = START + 24 * HOUR + 100_500;
    const again = open(1);
    await until(() => again.stats().unconfirmed === 0, "some messages were never confirmed");
    expect(onDisk()).not.toContain("text-50-end");
    expect(onDisk()).toContain("text-200-end");
  });
});
