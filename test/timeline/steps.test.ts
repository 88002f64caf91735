import { describe, expect, it } from "vitest";
import { MAX_UNITS_AT_ONCE, UNITS_PER_STEP } from "../../src/domain/steps/pace.ts";
import { channelOf, type Said, toChannels } from "../search/said.ts";
import { openArchive } from "../support/archive.ts";
import { countPace } from "../support/counted-pace.ts";

const CHANNEL = channelOf("a");

function fill(count: number, text: string): Said[] {
  return Array.from({ length: count }, (_, second) => ({ channel: "a", second, by: "ann", text: `${text} ${second}` }));
}

describe("keyword search in steps", () => {
  it.each([
    ["a text with accents, which has to be read", 5_000, "xý x", "q"],
    ["two words of which every message has the first", 5_000, "abc bcd cde", "abc abq"],
    ["many words", 5_000, "abc bcd cde", "a b c d e f g h i j k l ".repeat(20)],
    ["long messages", 60, "ÄÖÜ abc bcd ".repeat(1_600), "abcd"],
  ])("keeps every step within its budget: %s", async (_, count, text, query) => {
    const counted = countPace();
    const { timelines } = openArchive(toChannels(["a"], fill(count, text)), { openPace: counted.openPace });
    const options = { limit: 100, scan: 5_000 };
    await timelines.contains(CHANNEL, "nothing", options);
    await timelines.contains(CHANNEL, query, options);
    await timelines.close();
    expect(counted.pauses()).toBeGreaterThan(5);
    expect(counted.maxAtOnce()).toBeLessThanOrEqual(MAX_UNITS_AT_ONCE);
    expect(counted.maxStep()).toBeLessThanOrEqual(UNITS_PER_STEP + MAX_UNITS_AT_ONCE);
  });

  it("finds the same with pauses as without", async () => {
    const said = fill(300, "tide").map((one, at) => (at % 7 ? one : { ...one, text: `a harbour ${at}` }));
    const find = async (unitsPerStep: number, query: string) => {
      const { openPace } = countPace({ unitsPerStep });
      const { timelines } = openArchive(toChannels(["a"], said), { openPace });
      await timelines.contains(CHANNEL, "nothing", { limit: 1 });
      const read = await timelines.contains(CHANNEL, query, { limit: 20, scan: 250 });
      await timelines.close();
      return read;
    };
    for (const query of ["harbour", "a", "7", "tide 1", "no such thing"])
      expect(await find(1, query)).toEqual(await find(Number.POSITIVE_INFINITY, query));
  });

  it("stops at the next step once it is cancelled, and never returns messages that were deleted in a pause", async () => {
    const channels = toChannels(["a"], fill(100, "ti de"));
    const controller = new AbortController();
    const events = { isArmed: false, isDeleting: false };
    const counted = countPace({
      unitsPerStep: 5_000,
      onPause: () => {
        if (events.isDeleting)
          for (const { message_id } of channels.get(CHANNEL)?.splice(-10) ?? [])
            archive.tell({ type: "message_delete", channelId: CHANNEL, messageIds: [message_id] });
        if (events.isArmed) controller.abort();
      },
    });
    const archive = openArchive(channels, { openPace: counted.openPace });
    await archive.timelines.contains(CHANNEL, "nothing", { limit: 1 });
    events.isDeleting = true;
    const { messages } = await archive.timelines.contains(CHANNEL, "ti", { limit: 100 });
    const standing = channels.get(CHANNEL) ?? [];
    for (const message of messages) expect(standing).toContainEqual(message);
    events.isArmed = true;
    const before = counted.pauses();
    const called = archive.timelines.contains(CHANNEL, "zz", { limit: 100, signal: controller.signal });
    await expect(called).rejects.toMatchObject({ code: "cancelled" });
    expect(counted.pauses()).toBe(before + 1);
    await archive.timelines.close();
  });
});
