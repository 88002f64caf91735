import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { until } from "../support/edge.ts";
import { count, openTestTimelines } from "../support/timelines.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const texts = ({ messages }: Read) => messages.map(({ content }) => content);

async function arrive(options: Parameters<typeof openTestTimelines>[0] = {}) {
  const test = await openTestTimelines(options);
  const read = async (channel: string, limit = 100) =>
    texts(await test.timelines.recent(test.channel(channel), { limit }));
  const held = () => test.timelines.stats().messages;
  return { ...test, read, held, sarah: test.sandbox.as("sarah"), general: test.channel("general") };
}

describe("a timeline", () => {
  it("has edits, deletions and bulk deletions at once", async () => {
    const { timelines, sandbox, sarah, general, heard, pages } = await arrive();
    const ids = count(sandbox, "general", 6);
    await heard();
    await timelines.recent(general, { limit: 100 });
    const search = async (query: string) => texts(await timelines.contains(general, query, { limit: 10 }));
    sarah.edit(ids[0] as string, "the needle");
    sarah.delete(ids[1] as string);
    sandbox.admin.bulkDelete([ids[2] as string, ids[3] as string]);
    await heard();
    expect(await search("needle")).toEqual(["the needle"]);
    expect(await search("number")).toEqual(["number 6", "number 5"]);
    sarah.delete(ids[0] as string);
    await heard();
    expect(await search("needle")).toEqual([]);
    expect(pages()).toBe(1);
  });

  it("is removed with its channel, and so are those of its threads", async () => {
    const { sandbox, sarah, heard, held, read, edge } = await arrive();
    sarah.say("general", "here");
    const thread = sarah.openThread({ in: "general" }, "aside");
    sarah.say(thread.id, "in the thread");
    await heard();
    expect(await read("general")).toContain("here");
    expect(await read(thread.id)).toContain("in the thread");
    const before = held();
    sandbox.admin.deleteChannel("general");
    await edge.find("channel_deleted", ({ channelId }) => channelId === thread.id);
    expect(held()).toBeLessThanOrEqual(before - 2);
    await expect(read("general")).rejects.toMatchObject({ code: "not_found" });
    await expect(read(thread.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not served while the bot may not read the channel, and is fetched again afterwards", async () => {
    const { sandbox, sarah, heard, read, held, edge, pages } = await arrive();
    sarah.say("general", "before");
    await heard();
    await read("general");
    const asked = pages();
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    await edge.find("access_lost");
    expect(held()).toBe(1);
    await expect(read("general")).rejects.toMatchObject({ code: "not_found" });
    sarah.say("general", "heard, but not to be read back");
    await heard();
    expect(held()).toBe(2);
    sandbox.admin.removeOverwrite("general", "person:earshot");
    await heard();
    expect(await read("general")).toEqual(["heard, but not to be read back", "before"]);
    expect(pages()).toBe(asked + 1);
  });

  it("is removed with its guild", async () => {
    const { sandbox, sarah, heard, held, edge, read } = await arrive();
    sarah.say("general", "here");
    await heard();
    sandbox.admin.deleteGuild();
    await edge.find("guild_removed");
    expect(held()).toBe(0);
    await expect(read("general")).rejects.toMatchObject({ code: "not_found" });
  });

  it("is fetched again after an outage of its guild", async () => {
    const { sandbox, sarah, heard, read, edge, pages } = await arrive();
    sarah.say("general", "before");
    await heard();
    await read("general");
    const asked = pages();
    const described = edge.of("guild").length;
    sandbox.admin.setGuildAvailable(false);
    sandbox.admin.setGuildAvailable(true);
    await until(() => edge.of("guild").length > described, "the guild did not come back");
    expect(await read("general")).toEqual(["before"]);
    expect(pages()).toBe(asked + 1);
  });

  it("takes in the messages of a DM as well", async () => {
    const { sarah, timelines, heard, pages } = await arrive();
    const { channelId } = sarah.dm("psst");
    sarah.dm("are you there?");
    await heard();
    const read = await timelines.recent(channelId as ChannelId, { limit: 1 });
    expect(texts(read)).toEqual(["are you there?"]);
    expect(pages()).toBe(0);
  });

  it("of a DM is fetched again after events were missed", async () => {
    const { sandbox, sarah, timelines, heard, edge } = await arrive();
    const { channelId } = sarah.dm("kept");
    const regretted = sarah.dm("regretted");
    await heard();
    const read = async () => texts(await timelines.recent(channelId as ChannelId, { limit: 10 }));
    expect(await read()).toEqual(["regretted", "kept"]);
    sandbox.faults.refuseResume();
    sandbox.faults.cutSocket();
    sarah.delete(regretted);
    sarah.dm("unheard");
    await edge.find("gap");
    expect(await read()).toEqual(["unheard", "kept"]);
  });
});

describe("an index that fails", () => {
  it("loses held messages, but never makes an answer wrong", async () => {
    const { edge, sandbox, heard, general, pages } = await arrive();
    let isFull = false;
    const failures: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (_: unknown, text: string) => failures.push(text) };
    const openIndex = (file: string | null) => {
      const index = openMessageIndex(file);
      const write = index.write.bind(index);
      return Object.assign(index, {
        write(...change: Parameters<typeof write>) {
          if (isFull) throw new EarshotError("unavailable", "The disk is full.");
          write(...change);
        },
      });
    };
    const timelines = openTimelinesAndSearch(
      {},
      { discord: edge.discord, openIndex, clock: { now: () => Date.now() }, log },
    );
    count(sandbox, "general", 3);
    await heard();
    expect(texts(await timelines.recent(general, { limit: 2 }))).toEqual(["number 3", "number 2"]);
    isFull = true;
    sandbox.as("sarah").say("general", "number 4");
    await heard();
    expect(failures).not.toEqual([]);
    await expect(timelines.recent(general, { limit: 2 })).rejects.toMatchObject({ code: "unavailable" });
    isFull = false;
    expect(texts(await timelines.recent(general, { limit: 2 }))).toEqual(["number 4", "number 3"]);
    expect(pages()).toBe(2);
    await timelines.close();
  });
});

describe("the memory of timelines", () => {
  it("holds at most the configured number of messages of a channel, the newest", async () => {
    const { sandbox, heard, held, read, pages } = await arrive({ messagesPerChannel: 20 });
    count(sandbox, "general", 50);
    await heard();
    expect(held()).toBe(21);
    expect(await read("general", 19)).toHaveLength(19);
    expect(pages()).toBe(0);
    expect(await read("general", 50)).toHaveLength(50);
    expect(held()).toBe(21);
    expect(await read("general", 19)).toHaveLength(19);
    expect(pages()).toBe(1);
  });

  it("holds at most the quota of bytes of a channel with its threads, and evicts the oldest message of any of them first", async () => {
    // Five channels, and an eighth is for private threads and DMs: 28,000 bytes.
    const { sandbox, timelines, heard, read, pages, channel } = await arrive({ totalBytes: 160_000 });
    count(sandbox, "general", 100);
    await heard();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "aside");
    count(sandbox, thread.id, 150);
    await heard();
    expect(timelines.stats().bytes).toBeLessThanOrEqual(28_000);
    const asked = pages();
    // Whoever read in the channel last: what was said in the thread is newer.
    expect(await read("general", 99)).toHaveLength(99);
    expect(await read(thread.id, 40)).toHaveLength(40);
    expect(pages()).toBe(asked + 1);
    expect(await timelines.recent(channel("news"), { limit: 1 })).toMatchObject({ coverage: { scanned: 1 } });
    expect(await read(thread.id, 40)).toHaveLength(40);
    expect(timelines.stats().bytes).toBeLessThanOrEqual(29_000);
  });

  it("may be zero, and reads are still right", async () => {
    const { sandbox, timelines, heard, held, general } = await arrive({ totalBytes: 0 });
    count(sandbox, "general", 150);
    await heard();
    const read = await timelines.contains(general, "number", { limit: 100, scan: 1_000 });
    expect(read).toMatchObject({ has_more: true, coverage: { scanned: 100 } });
    const rest = await timelines.contains(general, "number", { limit: 100, cursor: read.cursor as string });
    expect(rest.messages).toHaveLength(50);
    expect(held()).toBe(0);
  });

  it("is freed of messages that have become too old", async () => {
    const { sandbox, heard, held, read, clock, pages } = await arrive({ maxAgeMs: 3_600_000 });
    count(sandbox, "general", 5);
    await heard();
    clock.ahead += 1_800_000;
    count(sandbox, "general", 1);
    await heard();
    expect(held()).toBe(8);
    clock.ahead += 1_900_000;
    expect(await read("general", 1)).toEqual(["number 1"]);
    expect(pages()).toBe(1);
    expect(held()).toBe(7);
  });
});
