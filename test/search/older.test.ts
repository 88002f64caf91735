import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { Message } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { GuildSearchAnswer, GuildSearchRequest } from "../../src/ports/discord.ts";
import type { SearchRequest } from "../../src/ports/search.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { GUILD, openArchive } from "../support/archive.ts";
import { channelOf, idOf, type Said, toChannels } from "./said.ts";

const OLD: Said[] = Array.from({ length: 300 }, (_, index) => ({
  channel: "a",
  second: index * 4_000,
  by: index % 2 === 0 ? "ann" : "bob",
  text: index % 50 === 0 ? `needle ${index}` : `hay ${index}`,
}));

/** A room of which only the last page may be looked at, on a Discord that searches as it is told to. */
function open(
  answer: (request: GuildSearchRequest, all: readonly Message[]) => GuildSearchAnswer,
  options: Partial<TimelineOptions> = {},
) {
  const channels = toChannels(["a", "b"], OLD);
  const asked: GuildSearchRequest[] = [];
  const { timelines, ...archive } = openArchive(channels, {
    ...options,
    async search(guildId, request) {
      expect(guildId).toBe(GUILD);
      asked.push(request);
      return answer(request, [...channels.values()].flat());
    },
  });
  onTestFinished(() => timelines.close());
  const find = (text: string, more: Partial<SearchRequest> = {}) =>
    timelines.find({ channelIds: [channelOf("a")], query: toQuery(parseQuery(text)), limit: 10, scan: 100, ...more });
  return { ...archive, find, asked, channels };
}

/** As Discord does it: all words, newest first, 25 at a time. */
function search(request: GuildSearchRequest, all: readonly Message[]): GuildSearchAnswer {
  const words = request.content?.split(" ") ?? [];
  const fitting = all
    .filter(({ channel_id }) => request.channelIds.includes(channel_id))
    .filter(({ content }) => words.every((word) => content.includes(word)))
    .filter(({ author }) => request.authorIds === undefined || request.authorIds.includes(author.id))
    .filter(({ message_id }) => request.maxId === undefined || BigInt(message_id) < BigInt(request.maxId))
    .filter(({ message_id }) => request.minId === undefined || BigInt(message_id) > BigInt(request.minId))
    .toReversed();
  return { state: "ready", messages: fitting.slice(0, request.limit), isFull: fitting.length > request.limit };
}

const texts = (result: { hits: readonly { message: Message }[] }) => result.hits.map(({ message }) => message.content);

describe("a message beyond the scan limit", () => {
  it("is found by Discord's own search, and ranked with the rest", async () => {
    const { find, asked } = open(search);
    const result = await find("needle");
    expect(texts(result)).toEqual([250, 200, 150, 100, 50, 0].map((index) => `needle ${index}`));
    expect(result).toMatchObject({ older: "searched", coverage: { complete: false } });
    // The newest that was not looked at, and not much more.
    expect(asked.map(({ maxId }) => BigInt(maxId ?? 0) >> 41n)).toEqual([(BigInt(idOf("a", 200 * 4_000)) >> 41n) + 1n]);
    expect(asked.every(({ channelIds }) => channelIds.length === 1 && channelIds[0] === channelOf("a"))).toBe(true);
  });

  it("is found by some words of the query where no message has them all", async () => {
    const { find } = open(search);
    expect(texts(await find("which needle was gigantic?"))).toContain("needle 0");
  });

  it("is looked for by the words that are rarest among the messages looked at, not by the longest", async () => {
    const rooms = toChannels(
      ["a", "b"],
      [
        ...OLD,
        ...OLD.map((said) => ({ ...said, text: "gigantic complaints", second: said.second + 1 })),
        ...OLD.map((said) => ({ ...said, channel: "b", text: "eel" })),
      ],
    );
    const asked: GuildSearchRequest[] = [];
    const { timelines } = openArchive(rooms, {
      async search(_, request) {
        asked.push(request);
        return { state: "ready", messages: [], isFull: false };
      },
    });
    onTestFinished(() => timelines.close());
    const query = toQuery(parseQuery("which gigantic complaints were about the eel and the hay?"));
    await timelines.find({ channelIds: [channelOf("a")], query, limit: 10, scan: 100 });
    // What was said where this search does not look counts for nothing: there "eel" is in every message.
    expect(asked.map(({ content }) => content)).toEqual(["gigantic complaints eel hay", "eel hay", "eel", "hay"]);
  });

  it("is requested once for repeated searches, until a message changes or events may have been missed", async () => {
    const { find, asked, tell } = open(search);
    const first = await find("needle");
    const count = asked.length;
    expect(await find("needle")).toEqual(first);
    expect(asked).toHaveLength(count);
    const [newest, second] = first.hits.map(({ message }) => message);
    if (!newest || !second) throw new Error("there are two");
    const old = first.hits.at(-1)?.message ?? newest;
    tell({ type: "message_delete", channelId: channelOf("a"), messageIds: [old.message_id] });
    await find("needle");
    expect(asked.length).toBe(2 * count);
    // The hundredth message is another one now.
    tell({ type: "message", message: { ...second, message_id: idOf("a", 9_999_999) }, addressed: false });
    await find("needle");
    expect(asked.length).toBe(3 * count);
    tell({ type: "message_update", message: { ...second, edited_ts: new Date().toISOString() } });
    await find("needle");
    expect(asked.length).toBe(4 * count);
    tell({ type: "gap", from: "", to: "", reason: "restart", guildIds: [GUILD], shard: 0 });
    await find("needle");
    expect(asked.length).toBe(5 * count);
  });

  it("is not requested from Discord's search where everything was scanned", async () => {
    const { find, asked } = open(search);
    expect(await find("needle", { scan: 1_000 })).toMatchObject({ older: "not_needed", coverage: { complete: true } });
    expect(asked).toEqual([]);
  });

  it("is reached page by page where the query has no words", async () => {
    const { find, asked } = open(search);
    const query = toQuery(parseQuery(""), { from: ["501" as never] });
    const result = await find("", { query, limit: 90 });
    expect(texts(result)).toHaveLength(90);
    expect(new Set(asked.map(({ maxId }) => maxId)).size).toBe(asked.length);
  });

  it("is reported as unknown, not absent, while Discord builds its index", async () => {
    const { find } = open(() => ({ state: "not_ready", retryAfter: 5 }));
    expect(await find("needle")).toMatchObject({ older: "not_ready", coverage: { complete: false } });
  });

  it("is reported as unavailable when Discord does not answer", async () => {
    const { find } = open(() => {
      throw new EarshotError("unavailable", "Discord does not answer; try again later.");
    });
    const result = await find("needle");
    expect(result.older).toBe("unavailable");
    expect(texts(result)).toEqual(["needle 250", "needle 200"]);
  });

  it("is not returned after its deletion although Discord's index still has it", async () => {
    const { find, tell, channels } = open(search);
    const room = channels.get(channelOf("a")) ?? [];
    const [newest] = room.filter(({ content }) => content === "needle 250");
    await find("needle");
    if (newest) tell({ type: "message_delete", channelId: newest.channel_id, messageIds: [newest.message_id] });
    expect(texts(await find("needle"))).not.toContain("needle 250");
  });

  it("is returned only from the channels that were searched, whatever Discord answers", async () => {
    const { find } = open((_, all) => ({
      state: "ready",
      messages: all.map((each) => ({ ...each, channel_id: channelOf("b") })),
      isFull: false,
    }));
    expect(texts(await find("needle"))).toEqual(["needle 250", "needle 200"]);
  });

  it("matches has:embed only if Discord says so", async () => {
    const { find, asked } = open((request, all) => {
      const { has = [], ...rest } = request;
      const found = search(rest, all);
      return found.state === "ready" && has.includes("embed")
        ? { ...found, messages: found.messages.slice(0, 2) }
        : found;
    });
    const result = await find("needle has:embed");
    expect(texts(result)).toEqual(["needle 250", "needle 200"]);
    expect(result).toMatchObject({ older: "searched", coverage: { complete: false } });
    expect(asked[0]?.has).toEqual(["embed"]);
  });
});

describe("a message beyond the quota of a channel that has been read ahead", () => {
  const READ_AHEAD = { readsAhead: true, backgroundIntervalMs: 0, messagesPerChannel: 120 };
  const all = [250, 200, 150, 100, 50, 0].map((index) => `needle ${index}`);

  it("is found by Discord's own search, without fetching a page", async () => {
    const { find, asked, readAhead, requests } = open(search, READ_AHEAD);
    await readAhead();
    const before = requests();
    const result = await find("needle", { scan: 1_000 });
    expect(texts(result)).toEqual(all);
    expect(result).toMatchObject({ older: "searched", coverage: { complete: false } });
    expect(asked).toHaveLength(1);
    expect(requests()).toBe(before);
  });

  it.each(["not_ready", "unavailable"])("is found by fetching pages where Discord's search is %s", async (state) => {
    const refuse = () => {
      if (state === "unavailable") throw new EarshotError("unavailable", "Discord does not answer; try again later.");
      return { state: "not_ready" as const, retryAfter: 5 };
    };
    const { find, readAhead } = open(refuse, READ_AHEAD);
    await readAhead();
    const result = await find("needle", { scan: 1_000 });
    expect(texts(result)).toEqual(all);
    expect(result).toMatchObject({ older: "not_needed", coverage: { scanned: 300, complete: true } });
    const some = await find("needle", { scan: 100 });
    expect(texts(some)).toEqual(all.slice(0, 4));
    expect(some).toMatchObject({ older: state, coverage: { scanned: 220, complete: false } });
  });

  it("is looked at where the caller allows many messages, or the query has no words", async () => {
    const { find, asked, readAhead } = open(search, READ_AHEAD);
    await readAhead();
    expect(await find("needel", { scan: 5_000 })).toMatchObject({ coverage: { scanned: 300, complete: true } });
    const query = toQuery(parseQuery(""), { from: ["501" as never] });
    expect(texts(await find("", { query, scan: 1_000, limit: 100 }))).toHaveLength(100);
    expect(asked).toEqual([]);
  });
});
