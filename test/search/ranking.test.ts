import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery, type Query, toQuery } from "../../src/domain/search/query.ts";
import type { Here, SearchResult } from "../../src/ports/search.ts";
import { openArchive } from "../support/archive.ts";
import type { TimelinesAndSearch } from "../support/timelines-and-search.ts";
import { type Asked, rankNaively } from "./naive-ranking.ts";
import { arbitraryTalk, channelOf, idOf, PEOPLE, START, toChannels, WORDS } from "./said.ts";

const ROOMS = ["a", "b", "c", "d"];
const person = fc.constantFrom(...Object.values(PEOPLE));
/** Few, or more than have a bit of their own where the score of a message is bounded. */
const words = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...WORDS, "the", "is"), { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.shuffledSubarray([...WORDS, "png"], { minLength: 8 }) },
);
const span = fc.option(
  fc.integer({ min: 0, max: 200_000 }).map((second) => START + second * 1_000),
  { freq: 3 },
);

const arbitraryQuery: fc.Arbitrary<Query> = fc
  .record({
    text: fc
      .tuple(fc.constantFrom([], [], ["when"]), words, fc.constantFrom("", "?"))
      .map(([when, each, end]) => `${[...when, ...each].join(" ")}${end}`),
    from: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(person, { maxLength: 2 }) },
    ),
    notFrom: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(person, { maxLength: 1 }) },
    ),
    notWords: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.constantFrom(["zog"], ["lort"]) },
    ),
    has: fc.constantFrom([], [], [], ["image" as const]),
    since: span,
    until: span,
  })
  .map(({ text, from, notFrom, notWords, has, since, until }) => {
    const query = toQuery(parseQuery(text), { from, notFrom, since, until });
    return { ...query, has, not: { ...query.not, words: notWords } };
  });

const toHere = ({ room, near, by }: Asked): Here => ({
  channelId: channelOf(room),
  isNear: (id) => near.some((one) => channelOf(one) === id),
  actor: PEOPLE[by] ?? null,
});

const ask = (
  timelines: TimelinesAndSearch,
  query: Query,
  limit = 8,
  asked: Asked | null = null,
): Promise<SearchResult> =>
  timelines.find({
    channelIds: ROOMS.map(channelOf),
    query,
    limit,
    scan: 2_000,
    ...(asked && { here: toHere(asked) }),
  });

const scene = fc.record({
  talks: fc.tuple(...ROOMS.map((room) => arbitraryTalk(room, 25))),
  query: arbitraryQuery,
  asked: fc.option(
    fc.record({
      room: fc.constantFrom(...ROOMS, "elsewhere"),
      near: fc.subarray(ROOMS),
      by: fc.constantFrom(...Object.keys(PEOPLE), "somebody who never spoke"),
    }),
  ),
});

describe("the ranking", () => {
  it("equals that of a plain reading of every message", async () => {
    await fc.assert(
      fc.asyncProperty(scene, fc.constantFrom(1, 3, 8), async ({ talks, query, asked }, limit) => {
        const { timelines } = openArchive(toChannels(ROOMS, talks.flat()));
        const { hits, has_more, coverage } = await ask(timelines, query, limit, asked);
        await timelines.close();
        const naive = rankNaively(talks, query, asked);
        const scores = new Map(naive.map(({ said, score }) => [idOf(said.channel, said.second), score]));
        const given = hits.map(({ message }) => scores.get(message.message_id) ?? -1);
        const expected = naive.slice(0, limit).map(({ score }) => score);
        expect(given).toHaveLength(expected.length);
        for (const [index, score] of given.entries()) expect(score).toBeCloseTo(expected[index] ?? -1, 4);
        const held = new Map(naive.map((each) => [idOf(each.said.channel, each.said.second), each.held]));
        for (const { message, words_in_message } of hits) expect(words_in_message).toBe(held.get(message.message_id));
        expect(has_more).toBe(naive.length > limit);
        expect(coverage.complete).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it("has the same first hits whether few are asked for, so that much can be skipped, or all", async () => {
    const idsOf = ({ hits }: SearchResult) => hits.map(({ message }) => message.message_id);
    await fc.assert(
      fc.asyncProperty(
        scene,
        fc.array(arbitraryQuery, { minLength: 6, maxLength: 6 }),
        async ({ talks, asked }, queries) => {
          const { timelines } = openArchive(toChannels(ROOMS, talks.flat()));
          for (const query of queries) {
            const all = idsOf(await ask(timelines, query, 100, asked));
            for (const limit of [1, 2, 5])
              expect(idsOf(await ask(timelines, query, limit, asked))).toEqual(all.slice(0, limit));
          }
          await timelines.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("leaves out no channel in which a message repeats a word more often than the best so far", async () => {
    const texts = { a: "zog zog zog", b: "zog zog zog", c: "zog zog zog", d: "zog zog zog zog zog zog" };
    const said = Object.entries(texts).map(([channel, text]) => ({ channel, second: 1, by: "ann", text }));
    const { timelines } = openArchive(toChannels(ROOMS, said));
    const { hits } = await ask(timelines, toQuery(parseQuery("zog")), 1);
    expect(hits.map(({ message }) => message.content)).toEqual([texts.d]);
    await timelines.close();
  });

  it("does not depend on which messages are held", async () => {
    const read = fc.record({
      room: fc.constantFrom(...ROOMS),
      limit: fc.integer({ min: 1, max: 40 }),
      second: fc.integer({ min: 0, max: 200_000 }),
      kind: fc.constantFrom("recent", "before", "find"),
    });
    await fc.assert(
      fc.asyncProperty(scene, fc.array(read, { maxLength: 6 }), async ({ talks, query }, reads) => {
        const channels = toChannels(ROOMS, talks.flat());
        const [cold, warm] = [openArchive(channels), openArchive(channels, { messagesPerChannel: 15 })];
        for (const { room, limit, second, kind } of reads) {
          const id = channelOf(room);
          if (kind === "recent") await warm.timelines.recent(id, { limit });
          else if (kind === "before") await warm.timelines.before(id, idOf(room, second), { limit });
          else await warm.timelines.find({ channelIds: [id], query, limit, scan: limit });
        }
        const [first, second] = [await ask(cold.timelines, query), await ask(warm.timelines, query)];
        expect(second).toEqual(first);
        expect(await ask(cold.timelines, query)).toEqual(first);
        await cold.timelines.close();
        await warm.timelines.close();
      }),
      { numRuns: 35 },
    );
  });

  it("does not depend on channels that are not searched", async () => {
    await fc.assert(
      fc.asyncProperty(scene, arbitraryTalk("x", 30), async ({ talks, query }, elsewhere) => {
        const [alone, amid] = [ROOMS, [...ROOMS, "x"]].map((rooms) =>
          openArchive(toChannels(rooms, [...talks.flat(), ...elsewhere])),
        );
        if (!alone || !amid) return;
        const mistyped = { ...query, text: `${query.text} zogg lortt harbuor ort ond` };
        const everywhere = { channelIds: [...ROOMS, "x"].map(channelOf), query: mistyped, limit: 10, scan: 2_000 };
        await amid.timelines.find(everywhere);
        for (const each of [query, mistyped])
          expect(await ask(amid.timelines, each)).toEqual(await ask(alone.timelines, each));
        await alone.timelines.close();
        await amid.timelines.close();
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ["kuber", "the kubernetes cluster", Array.from({ length: 90 }, (_, index) => `kuber${index + 10}`)],
    ["harbuor", "the harbour", Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => `harbu${letter}r harbuo${letter}`)],
    ["lighthouse", "the light house", ["lighthouse"]],
    ["screen shot", "a screen", ["screenshot", "shot", "screen"]],
  ])("of %s does not depend on the words of other channels", async (text, here, elsewhere) => {
    const said = [
      { channel: "a", second: 1, by: "ann", text: here },
      ...elsewhere.map((words, index) => ({ channel: "x", second: index, by: "bob", text: words })),
    ];
    const query = toQuery(parseQuery(text));
    const { timelines } = openArchive(toChannels([...ROOMS, "x"], said));
    const cold = await ask(timelines, query);
    expect(cold.hits.map(({ message }) => message.content)).toEqual([here]);
    await timelines.find({ channelIds: [channelOf("x")], query, limit: 5, scan: 100 });
    expect(await ask(timelines, query)).toEqual(cold);
    await timelines.close();
  });
});
