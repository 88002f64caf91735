import { describe, expect, it } from "vitest";
import { type ChannelId, idTime, type MessageId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { count, openTestTimelines } from "../support/timelines.ts";
import type { TimelinesAndSearch } from "../support/timelines-and-search.ts";

const texts = ({ messages }: Read) => messages.map(({ content }) => content);
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => `number ${from < to ? from + index : from - index}`);

async function collect(read: (cursor: string | undefined) => Promise<Read>): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const part = await read(cursor);
    all.push(...texts(part));
    cursor = part.cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

async function arrive(messages: number) {
  const test = await openTestTimelines();
  const ids = count(test.sandbox, "general", messages);
  await test.heard();
  return { ...test, ids, general: test.channel("general"), cold: test.openAnother() };
}

describe("reading a timeline", () => {
  it("makes no request where every message came as an event", async () => {
    const { timelines, general, pages } = await arrive(30);
    const read = await timelines.recent(general, { limit: 20 });
    expect(texts(read)).toEqual(numbers(30, 11));
    expect(read).toMatchObject({ has_more: true, coverage: { scanned: 20, complete: false } });
    expect(pages()).toBe(0);
  });

  it("fetches unknown messages once, in the fewest pages", async () => {
    const { cold, general, pages, ids } = await arrive(250);
    expect(texts(await cold.recent(general, { limit: 50 }))).toEqual(numbers(250, 201));
    expect(pages()).toBe(1);
    expect(await collect((cursor) => cold.recent(general, { limit: 100, ...(cursor && { cursor }) }))).toEqual(
      numbers(250, 1),
    );
    expect(pages()).toBe(3);
    expect(
      await collect((cursor) => cold.after(general, ids[0] as MessageId, { limit: 99, ...(cursor && { cursor }) })),
    ).toHaveLength(249);
    expect(texts(await cold.before(general, ids[9] as MessageId, { limit: 100 }))).toEqual(numbers(9, 1));
    expect(texts(await cold.around(general, ids[99] as MessageId, { limit: 5 }))).toEqual(numbers(102, 98));
    expect(pages()).toBe(3);
  });

  it("gives the same result with and without held messages", async () => {
    const { timelines: warm, openAnother, general, ids } = await arrive(230);
    const at = (position: number) => ids[position] as MessageId;
    const later = Date.now() + 60_000;
    const reads: ((timelines: TimelinesAndSearch, general: ChannelId) => Promise<Read>)[] = [
      (t, c) => t.recent(c, { limit: 7 }),
      (t, c) => t.recent(c, { limit: 100 }),
      (t, c) => t.recent(c, { limit: 100, scan: 30 }),
      (t, c) => t.before(c, at(100), { limit: 100 }),
      (t, c) => t.before(c, at(40), { limit: 40 }),
      (t, c) => t.after(c, at(100), { limit: 100 }),
      (t, c) => t.after(c, at(200), { limit: 29 }),
      (t, c) => t.after(c, at(200), { limit: 50 }),
      (t, c) => t.around(c, at(100), { limit: 100 }),
      (t, c) => t.around(c, at(228), { limit: 21 }),
      (t, c) => t.around(c, at(1), { limit: 20 }),
      (t, c) => t.contains(c, "NUMBER", { limit: 100 }),
      (t, c) => t.contains(c, "number 11", { limit: 3 }),
      (t, c) => t.contains(c, "number 11", { limit: 100 }),
      (t, c) => t.contains(c, "number 1", { limit: 100, scan: 123 }),
      (t, c) => t.contains(c, "7", { limit: 100, scan: 200, before: at(210) }),
      (t, c) => t.contains(c, "nothing of the kind", { limit: 5 }),
      (t, c) => t.range(c, { from: 0, to: later }, { limit: 100, scan: 100 }),
    ];
    for (const read of reads) {
      const expected = await read(openAnother(), general);
      expect(await read(warm, general)).toEqual(expected);
      expect(expected.coverage.complete).toBe(!expected.has_more);
    }
  });

  it("continues from a cursor of the same request, and of no other", async () => {
    const { timelines, general, channel, ids } = await arrive(30);
    const { cursor } = await timelines.recent(general, { limit: 10 });
    const go = { limit: 10, cursor: cursor as string };
    expect(texts(await timelines.recent(general, go))).toEqual(numbers(20, 11));
    const invalid = { code: "invalid" };
    await expect(timelines.recent(channel("news"), go)).rejects.toMatchObject(invalid);
    await expect(timelines.before(general, ids[5] as MessageId, go)).rejects.toMatchObject(invalid);
    await expect(timelines.contains(general, "number", go)).rejects.toMatchObject(invalid);
    for (const garbled of ["", ".", "0", `${cursor}x`, `1${cursor}`, "__proto__", "z".repeat(10_000), `${cursor}.1`])
      await expect(timelines.recent(general, { limit: 10, cursor: garbled })).rejects.toMatchObject(invalid);
    const search = await timelines.contains(general, "number 1", { limit: 2 });
    const goOn = { limit: 2, cursor: search.cursor as string };
    expect(texts(await timelines.contains(general, "Number 1", goOn))).toEqual(numbers(18, 17));
    await expect(timelines.contains(general, "number 2", goOn)).rejects.toMatchObject(invalid);
  });

  it("refuses invalid arguments", async () => {
    const { timelines, general } = await arrive(1);
    const invalid = { code: "invalid" };
    for (const limit of [0, 101, 1.5, Number.NaN])
      await expect(timelines.recent(general, { limit })).rejects.toMatchObject(invalid);
    await expect(timelines.recent(general, { limit: 1, scan: 0 })).rejects.toMatchObject(invalid);
    await expect(timelines.before(general, "12x" as MessageId, { limit: 1 })).rejects.toMatchObject(invalid);
    await expect(timelines.contains(general, " ", { limit: 1 })).rejects.toMatchObject(invalid);
    await expect(timelines.range(general, { from: Number.NaN, to: 1 }, { limit: 1 })).rejects.toMatchObject(invalid);
    await expect(timelines.recent("x" as ChannelId, { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
    await expect(timelines.recent("5" as ChannelId, { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
    expect(texts(await timelines.range(general, { from: 2, to: 1 }, { limit: 1 }))).toEqual([]);
  });

  it("finds the messages of a time span, both ends included", async () => {
    const { cold, general, ids } = await arrive(20);
    const [from, to] = [idTime(ids[3] as MessageId), idTime(ids[9] as MessageId)];
    const expected = ids.filter((id) => idTime(id) >= from && idTime(id) <= to);
    const read = await cold.range(general, { from, to }, { limit: 100 });
    expect(read.messages.map(({ message_id }) => message_id)).toEqual(expected.reverse());
    expect(read).toMatchObject({ has_more: false, cursor: null, coverage: { complete: true } });
  });

  it("makes no new request for a span up to now, although now is later", async () => {
    const { cold, general, ids, pages } = await arrive(20);
    const upToNow = () => cold.range(general, { from: idTime(ids[3] as MessageId), to: Date.now() }, { limit: 100 });
    const first = await upToNow();
    const asked = pages();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await upToNow()).messages).toEqual(first.messages);
    expect(pages()).toBe(asked);
  });

  it("gives one message by its id, or undefined", async () => {
    const { cold, general, ids, pages, sandbox, heard } = await arrive(120);
    expect((await cold.message(general, ids[60] as MessageId))?.content).toBe("number 61");
    expect((await cold.message(general, ids[61] as MessageId))?.content).toBe("number 62");
    expect(await cold.message(general, "5" as MessageId)).toBeUndefined();
    expect(pages()).toBe(2);
    sandbox.as("sarah").delete(ids[60] as string);
    await heard();
    expect(await cold.message(general, ids[60] as MessageId)).toBeUndefined();
    expect(pages()).toBe(2);
  });

  it("reports progress page by page, and can be cancelled", async () => {
    const { cold, general, pages } = await arrive(350);
    const controller = new AbortController();
    const seen: number[] = [];
    const searching = cold.contains(general, "no such thing", {
      limit: 5,
      signal: controller.signal,
      onProgress: ({ scanned, scan, found }) => {
        expect({ scan, found }).toEqual({ scan: 1_000, found: 0 });
        seen.push(scanned);
        if (scanned === 200) controller.abort();
      },
    });
    await expect(searching).rejects.toMatchObject({ code: "cancelled" });
    expect(seen).toEqual([100, 200]);
    expect(pages()).toBe(2);
    const already = cold.recent(general, { limit: 1, signal: AbortSignal.abort() });
    await expect(already).rejects.toMatchObject({ code: "cancelled" });
  });

  it("counts the messages it holds and the pages it requested", async () => {
    const { timelines, cold, general } = await arrive(20);
    await timelines.recent(general, { limit: 5 });
    await cold.recent(general, { limit: 5 });
    expect(timelines.stats()).toMatchObject({ hits: 1, misses: 0, pages: 0, messages: 21, timelines: 2 });
    expect(cold.stats()).toMatchObject({ hits: 0, misses: 1, pages: 1, messages: 20, timelines: 1 });
    expect(cold.stats().bytes).toBeGreaterThan(20 * 128);
  });
});
