import { describe, expect, it } from "vitest";
import { generateCommunity } from "../../sandbox/index.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { openTestEdge } from "../support/edge.ts";
import { openProxy } from "../support/proxy.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const MESSAGES = 12_000;
const NEEDLE = "Xylocarp-7 was here first";

describe("a channel of twelve thousand messages", () => {
  it("is searched to the end once, with progress and cancellation, and afterwards without requests", async () => {
    const community = generateCommunity({
      seed: 7,
      // A part of them is said in threads.
      messages: MESSAGES * 1.3,
      channels: 1,
      needle: { text: NEEDLE, at: "oldest" },
    });
    const sandbox = await openTestSandbox({ community, rateLimits: false });
    const proxy = await openProxy(sandbox);
    const { discord, find } = await openTestEdge({ ...sandbox, api: proxy.api });
    const deps = { discord, openIndex: openMessageIndex, clock: { now: () => Date.now() }, log: console };
    const timelines = openTimelinesAndSearch({ messagesPerChannel: MESSAGES * 2 }, deps);
    const room = sandbox.community.channels.get("c0") as ChannelId;
    const size = sandbox.world.channels.get(room)?.messages.size ?? 0;
    expect(size).toBeGreaterThanOrEqual(MESSAGES);
    const options = { limit: 10, scan: MESSAGES * 2 };
    const pages = () => proxy.requests.filter((line) => line.includes("/messages")).length;

    const controller = new AbortController();
    const called = timelines.contains(room, "xylocarp", {
      ...options,
      signal: controller.signal,
      onProgress: ({ scanned }) => scanned >= 2_000 && controller.abort(),
    });
    await expect(called).rejects.toMatchObject({ code: "cancelled" });
    expect(pages()).toBe(20);

    const seen: number[] = [];
    const first = await timelines.contains(room, "xylocarp", {
      ...options,
      onProgress: ({ scanned }) => seen.push(scanned),
    });
    expect(first.messages.map(({ content }) => content)).toEqual([NEEDLE]);
    expect(first.coverage).toMatchObject({ scanned: size, complete: true });
    // The same as if nothing had been held yet.
    expect(seen).toEqual(Array.from({ length: Math.floor(size / 100) }, (_, step) => (step + 1) * 100));
    expect(pages()).toBe(Math.floor(size / 100) + 1);

    const asked = pages();
    expect(await timelines.contains(room, "XYLO first", options)).toEqual(first);
    expect(pages()).toBe(asked);

    const needle = first.messages[0];
    sandbox.as(needle?.author.id ?? "").delete(needle?.message_id ?? "");
    await find("message_delete");
    const after = await timelines.contains(room, "xylocarp", options);
    expect(after).toMatchObject({ messages: [], has_more: false, coverage: { scanned: size - 1 } });
    expect(pages()).toBe(asked);
    await timelines.close();
  });
});
