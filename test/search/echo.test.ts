import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { GuildSearchAnswer, GuildSearchRequest } from "../../src/ports/discord.ts";
import type { OpenMessageIndex } from "../../src/ports/message-index.ts";
import type { Read, ReadOptions } from "../../src/ports/timelines.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { type Archive, openArchive } from "../support/archive.ts";
import { arbitraryTalk, BOT, channelOf, findEchoes, idOf, type Said, START, toChannels, toMessage } from "./said.ts";
import { openKnowing } from "./test-embedder.ts";

const ROOM = channelOf("a");
const find = async ({ timelines }: Archive, text: string, more: object = {}) => {
  const request = { channelIds: [ROOM], query: toQuery(parseQuery(text)), limit: 10, scan: 2_000, ...more };
  const { counted, ...result } = await timelines.find(request);
  return result;
};
const texts = ({ hits }: { hits: readonly { message: Message }[] }) => hits.map(({ message }) => message.content);

/** Somebody asks the bot, and is answered. */
const exchange = (second: number, text: string): Said[] => [
  { channel: "a", second, by: "bob", text: `${text} ?`, mentionsBot: true, form: "asks" },
  { channel: "a", second: second + 1, by: BOT, text: `${text}: ${text}`, answers: second },
];

describe("exchanges with the bot", () => {
  it("are passed over by a read without being decoded", async () => {
    const decoded: string[] = [];
    const openIndex: OpenMessageIndex = (...request) => {
      const index = openMessageIndex(...request);
      const get = index.get.bind(index);
      index.get = (channelId, ids) => {
        decoded.push(...ids);
        return get(channelId, ids);
      };
      return index;
    };
    const said = [{ channel: "a", second: 0, by: "ann", text: "hay" }];
    const exchanges = Array.from({ length: 40 }, (_, index) => exchange(1_000 + index * 9, "car")).flat();
    const { timelines } = openArchive(toChannels(["a"], [...said, ...exchanges]), { openIndex });
    onTestFinished(() => timelines.close());
    const read = () => timelines.recent(ROOM, { limit: 1, withoutEchoes: true });
    const first = await read();
    decoded.length = 0;
    expect(await read()).toEqual(first);
    expect(first.messages.map(({ content }) => content)).toEqual(["hay"]);
    expect(decoded).toEqual([idOf("a", 0)]);
  });

  it("are neither compared by meaning nor sent to the embedder", async () => {
    const said = [
      ...Array.from({ length: 30 }, (_, index) => ({
        channel: "a",
        second: index * 10,
        by: "ann",
        text: `hay ${index}`,
      })),
      ...[{ channel: "a", second: 400, by: "ann", text: "my automobile broke down" }],
    ];
    const mixed = [...said, ...Array.from({ length: 40 }, (_, index) => exchange(1_000 + index * 9, "car")).flat()];
    const [embedder, other] = [openKnowing(), openKnowing()];
    const [without, withThem] = [
      openArchive(toChannels(["a"], said), { embedder, embedderWaitMs: 60_000 }),
      openArchive(toChannels(["a"], mixed), { embedder: other, embedderWaitMs: 60_000 }),
    ];
    const first = await find(without, "vehicle");
    expect(texts(first)).toEqual(["my automobile broke down"]);
    expect(await find(withThem, "vehicle")).toEqual(first);
    expect(other.told.filter((text) => /\bcar\b/.test(text))).toEqual([]);
    for (const { timelines } of [without, withThem]) await timelines.close();
  });

  it("change neither how rare a word is nor which typing errors are forgiven", async () => {
    const said = [
      { channel: "a", second: 1, by: "ann", text: "the harbour is closed" },
      { channel: "a", second: 2, by: "ann", text: "the harbour and the lighthouse" },
      { channel: "a", second: 3, by: "bob", text: "a lighthouse" },
    ];
    const mixed = [
      ...said,
      ...Array.from({ length: 30 }, (_, index) => exchange(100 + index * 9, "harbuor lighthuse")).flat(),
    ];
    const [without, withThem] = [said, mixed].map((all) => openArchive(toChannels(["a"], all))) as [Archive, Archive];
    for (const query of ["harbuor", "lighthuse", "the harbour lighthouse", "lighthouse closed"])
      expect(await find(withThem, query)).toEqual(await find(without, query));
    for (const { timelines } of [without, withThem]) await timelines.close();
  });

  it("do not keep what Discord's own search finds from being found", async () => {
    const one = fc.record({ isExchange: fc.boolean(), at: fc.nat(5) });
    const property = fc.asyncProperty(
      fc.array(one, { maxLength: 150, size: "max" }),
      fc.integer({ min: 1, max: 100 }),
      async (lines, limit) => {
        const said = lines.flatMap(({ isExchange }, index): Said[] =>
          isExchange
            ? exchange(index * 10, "needle")
            : [{ channel: "a", second: index * 10, by: "ann", text: `needle ${index}` }],
        );
        const all = said.map(toMessage);
        let asked = 0;
        const search = async (_: unknown, request: GuildSearchRequest): Promise<GuildSearchAnswer> => {
          asked += 1;
          const below = all
            .filter(({ message_id }) => BigInt(message_id) < BigInt(request.maxId ?? 1n << 63n))
            .toReversed();
          return { state: "ready", messages: below.slice(0, request.limit), isFull: below.length > request.limit };
        };
        const archive = openArchive(new Map([[ROOM, all]]), { search });
        const { hits } = await find(archive, "needle", { limit, scan: 0 });
        await archive.timelines.close();
        const newest = said.toReversed().slice(0, asked * 25);
        const standing = newest.filter(({ by, mentionsBot }) => by !== BOT && !mentionsBot);
        expect(hits.length).toBe(Math.min(limit, standing.length));
        expect(hits.every(({ message }) => message.author.name === "ann")).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 30) });
  });

  it("are told with the others where they are asked for", async () => {
    const archive = openArchive(toChannels(["a"], exchange(10, "needle")));
    expect(texts(await find(archive, "needle"))).toEqual([]);
    expect(texts(await find(archive, "needle", { withEchoes: true })).sort()).toEqual([
      "<@1> needle ?",
      "needle: needle",
    ]);
    await archive.timelines.close();
  });

  it("are judged by what is looked at, whatever others have read beyond it", async () => {
    const said: Said[] = [
      { channel: "a", second: 1, by: BOT, text: "here now" },
      { channel: "a", second: 2, by: "ann", text: "zog ?", mentionsBot: true, form: "asks" },
      ...Array.from({ length: 150 }, (_, index) => ({ channel: "a", second: 10 + index, by: "ann", text: "hay" })),
      { channel: "a", second: 300, by: "ann", text: "needle ?", answers: 1, form: "asks" },
      { channel: "a", second: 301, by: "bob", text: "in the shed", answers: 2 },
    ];
    const [cold, warm] = [openArchive(toChannels(["a"], said)), openArchive(toChannels(["a"], said))];
    const newest = await warm.timelines.recent(ROOM, { limit: 100 });
    await warm.timelines.recent(ROOM, { limit: 100, cursor: newest.cursor ?? "" });
    for (const archive of [cold, warm]) {
      expect(texts(await find(archive, "needle", { scan: 100 }))).toEqual(["needle ?"]);
      expect(texts(await find(archive, "zog", { scan: 100 }))).toEqual([]);
      const { messages } = await archive.timelines.recent(ROOM, { limit: 2, withoutEchoes: true });
      expect(messages.map(({ content }) => content)).toEqual(["in the shed", "needle ?"]);
    }
    for (const archive of [cold, warm]) {
      expect(texts(await find(archive, "needle"))).toEqual([]);
      expect(texts(await find(archive, "zog"))).toEqual(["in the shed"]);
      await archive.timelines.close();
    }
  });

  it("are judged among hits of Discord's own search alone in the same way", async () => {
    const said: Said[] = [
      { channel: "a", second: 1, by: "ann", text: "needle", form: "names" },
      { channel: "a", second: 2, by: BOT, text: "found", answers: 1 },
      { channel: "a", second: 3, by: "bob", text: "needle in the shed", answers: 1 },
      ...Array.from({ length: 150 }, (_, index) => ({ channel: "a", second: 10 + index, by: "ann", text: "hay" })),
    ];
    const messages = said.filter(({ text }) => text.includes("needle")).map(toMessage);
    const search = async (): Promise<GuildSearchAnswer> => ({ state: "ready", messages, isFull: false });
    const [cold, warm] = [1, 2].map(() => openArchive(toChannels(["a"], said), { search })) as [Archive, Archive];
    const newest = await warm.timelines.recent(ROOM, { limit: 100 });
    await warm.timelines.recent(ROOM, { limit: 100, cursor: newest.cursor ?? "" });
    expect(await find(warm, "needle has:embed")).toEqual(await find(cold, "needle has:embed"));
    for (const { timelines } of [cold, warm]) await timelines.close();
  });

  it("lend no word to what replies to them while they are not confirmed after a start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-echo-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const channels = toChannels(
      ["a"],
      [
        { channel: "a", second: 1, by: "ann", text: "zog ?", mentionsBot: true, form: "asks" },
        ...Array.from({ length: 150 }, (_, index) => ({ channel: "a", second: 10 + index, by: "ann", text: "hay" })),
        { channel: "a", second: 300, by: "bob", text: "in the shed", answers: 1 },
      ],
    );
    const disk = { folder, channels: [ROOM], retentionDays: 100_000 };
    const first = openArchive(channels, { disk });
    expect(texts(await find(first, "zog"))).toEqual(["in the shed"]);
    await first.timelines.close();
    const again = openArchive(channels, { disk });
    expect(texts(await find(again, "zog"))).toEqual(["in the shed"]);
    await again.timelines.close();
    channels.get(ROOM)?.shift();
    const second = openArchive(channels, { disk });
    onTestFinished(() => second.timelines.close());
    for (const scan of [100, 1_000]) expect(texts(await find(second, "zog", { scan }))).toEqual([]);
    expect(texts(await find(second, "zog", { withEchoes: true, scan: 100 }))).toEqual([]);
  });

  it("are judged by one's own messages alone where nobody else's may be used", async () => {
    const said: Said[] = [
      { channel: "a", second: 1, by: "ann", text: "needle", form: "names" },
      { channel: "a", second: 2, by: BOT, text: "found", answers: 1 },
      { channel: "a", second: 3, by: "ann", text: "needle ?", mentionsBot: true, form: "asks" },
    ];
    const archive = openArchive(toChannels(["a"], said));
    const onlyBy = () => "501" as UserId;
    expect(texts(await find(archive, "needle"))).toEqual([]);
    expect(texts(await find(archive, "needle", { onlyBy }))).toEqual(["needle"]);
    await archive.timelines.close();
  });
});

const reads = fc.record({
  kind: fc.constantFrom("recent", "before", "range", "contains"),
  limit: fc.integer({ min: 1, max: 12 }),
  second: fc.integer({ min: 0, max: 200_000 }),
  word: fc.constantFrom("zog", "lort"),
});

describe("a read that passes over exchanges with the bot", () => {
  it("returns everything else, page by page, whatever others have read before", async () => {
    const property = fc.asyncProperty(
      arbitraryTalk("a", 60),
      reads,
      fc.array(reads, { maxLength: 5 }),
      async (talk, read, earlier) => {
        const channels = toChannels(["a"], talk);
        const [cold, warm] = [openArchive(channels), openArchive(channels, { messagesPerChannel: 40 })];
        for (const one of earlier) await perform(warm, one, { limit: one.limit });
        const options = { limit: read.limit, withoutEchoes: true };
        const [pages, again] = [await readAll(cold, read, options), await readAll(warm, read, options)];
        expect(again).toEqual(pages);
        for (const { timelines } of [cold, warm]) await timelines.close();
        const isAbove = ({ second }: Said) => ["before", "range"].includes(read.kind) && second >= read.second;
        const looked = talk.filter((said) => !isAbove(said));
        // Above the beginning of a read twenty messages are looked at, whether they answer something.
        const ahead = talk.filter(isAbove).toSorted((a, b) => a.second - b.second);
        const echoes = findEchoes([...looked, ...ahead.slice(0, 20)]);
        const isMeant = ({ text }: Said) => read.kind !== "contains" || text.includes(read.word);
        const expected = looked
          .filter((said) => !echoes.has(said) && isMeant(said))
          .map(({ second }) => idOf("a", second));
        // A question that replies to the bot, without more, is one only where what it replies to was looked at.
        const isUncertain = ({ answers, mentionsBot }: Said) => answers !== undefined && !mentionsBot;
        const uncertain = new Set(
          looked.filter((said) => echoes.has(said) && isUncertain(said)).map(({ second }) => idOf("a", second)),
        );
        const returned = pages.flatMap(({ messages }) => messages.map(({ message_id }) => message_id));
        expect(returned.filter((id) => !uncertain.has(id))).toEqual(expected.toReversed());
        for (const { messages } of pages) expect(messages.length).toBeLessThanOrEqual(read.limit);
      },
    );
    await fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 40) });
  });
});

type RandomRead = typeof reads extends fc.Arbitrary<infer Value> ? Value : never;

function perform({ timelines }: Archive, { kind, second, word }: RandomRead, options: ReadOptions): Promise<Read> {
  if (kind === "recent") return timelines.recent(ROOM, options);
  if (kind === "before") return timelines.before(ROOM, idOf("a", second), options);
  if (kind === "range") return timelines.range(ROOM, { from: 0, to: START + second * 1_000 - 1 }, options);
  return timelines.contains(ROOM, word, options);
}

async function readAll(archive: Archive, read: RandomRead, options: ReadOptions): Promise<Read[]> {
  const pages: Read[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Read = await perform(archive, read, { ...options, ...(cursor && { cursor }) });
    pages.push(page);
    cursor = page.cursor;
  }
  return pages;
}
