import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { SearchRequest, SearchResult } from "../../src/ports/search.ts";
import { openArchive } from "../support/archive.ts";
import { arbitraryTalk, channelOf, idOf, PEOPLE, type Said, START, toChannels, toMessage, WORDS } from "./said.ts";
import { openAnswering, openKnowing, openRandom, toMeaning } from "./test-embedder.ts";

/** Long enough for any embedder here, and nobody waits for it. */
const PATIENT = 60_000;
const EDITED = "2026-05-01T00:00:00.000Z";

type Asked = Partial<Omit<SearchRequest, "query">> & { readonly resolved?: Parameters<typeof toQuery>[1] };

function open(said: readonly Said[], options: Parameters<typeof openArchive>[1] = {}) {
  const rooms = [...new Set(["a", ...said.map(({ channel }) => channel)])];
  const archive = openArchive(toChannels(rooms, said), { embedderWaitMs: PATIENT, ...options });
  onTestFinished(() => archive.timelines.close());
  const find = (text: string, { resolved, ...asked }: Asked = {}): Promise<SearchResult> =>
    archive.timelines.find({
      channelIds: [channelOf("a")],
      query: toQuery(parseQuery(text), resolved),
      limit: 20,
      scan: 1_000,
      ...asked,
    });
  return { ...archive, find };
}

/** Talk about this and that, an hour apart, with something of interest at the end. */
function amid(...texts: readonly string[]): Said[] {
  const filler = Array.from({ length: 60 }, (_, index) => `${word(index)} ${word(index + 100)} ${word(index + 200)}`);
  return [...filler, ...texts].map((text, index) => ({ channel: "a", second: index * 3_600, by: "ann", text }));
}

/** By its words no better than many that came after it, but all the more about one thing. */
const BOTH = "zog glorp glorp";

/** A made-up word, unlike any other. */
function word(index: number): string {
  return [...String(index + 1_000)].map((digit) => "bcdfghjklm"[Number(digit)]).join("o");
}

const texts = ({ hits }: SearchResult) => hits.map(({ message }) => message.content);
const ids = ({ hits }: SearchResult) => hits.map(({ message }) => message.message_id);

describe("semantic search", () => {
  it("finds a synonym, which keyword search does not", async () => {
    const said = amid("my car broke down");
    expect(texts(await open(said).find("automobile"))).toEqual([]);
    expect(texts(await open(said, { embedder: openKnowing() }).find("automobile"))).toEqual(["my car broke down"]);
  });

  it("adds its hits after those of keyword search", async () => {
    const said = amid("my car broke down", "an automobile passed");
    const { find } = open(said, { embedder: openKnowing() });
    expect(texts(await find("automobile"))).toEqual(["an automobile passed", "my car broke down"]);
  });

  it("lifts hits that both rankings place high, and drops none", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `zog ${word(index + 300)} ${word(index + 400)}`);
    const said = amid(...many.slice(0, 5), BOTH, ...many.slice(5), "glorp glorp");
    const plain = texts(await open(said).find("zog", { limit: 100 }));
    const fused = texts(await open(said, { embedder: openKnowing() }).find("zog", { limit: 100 }));
    expect(plain.indexOf(BOTH)).toBeGreaterThan(5);
    expect(fused.indexOf(BOTH)).toBeLessThan(plain.indexOf(BOTH) - 10);
    expect(plain).not.toContain("glorp glorp");
    expect(fused.toSorted()).toEqual([...plain, "glorp glorp"].toSorted());
  });

  it("compares the newest messages at first, and those further back once they are embedded", async () => {
    const said = Array.from({ length: 6_000 }, (_, index) => ({
      ...{ channel: "a", second: index * 60, by: "ann" },
      text: index === 0 ? "my car broke down" : `${word(index)} ${word(index * 7)}`,
    }));
    const { find } = open(said, { embedder: openKnowing() });
    const asked = { scan: 10_000 };
    const first = await find("automobile", asked);
    expect([texts(first), first.compared]).toEqual([[], 5_000]);
    await expect.poll(async () => texts(await find("automobile", asked))).toEqual(["my car broke down"]);
    expect((await find("automobile", asked)).compared).toBe(6_000);
    expect((await open(said).find("automobile", asked)).compared).toBeNull();
  });

  it("does not ask the embedder about a query without words", async () => {
    const embedder = openKnowing();
    const { find } = open(amid("my car"), { embedder });
    await find("from:ann", { resolved: { from: [PEOPLE["ann"] ?? ("0" as never)] } });
    await find('"my car"');
    expect(embedder.told).toEqual([]);
  });

  it("embeds each text once, and only texts that are searched and wanted", async () => {
    const embedder = openKnowing();
    const said: Said[] = [
      ...amid("my car", "my car"),
      { channel: "a", second: 900_000, by: "bob", text: "a private car" },
      { channel: "x", second: 1, by: "ann", text: "a car elsewhere" },
    ];
    const { find } = open(said, { embedder });
    const isWanted = ({ author }: Message) => author.name !== "bob";
    for (const _ of [1, 2]) await find("automobile", { isWanted });
    expect(embedder.told.filter((text) => text.includes("car"))).toEqual(["my car"]);
    expect(new Set(embedder.told).size).toBe(embedder.told.length);
    expect(texts(await find("automobile"))).toContain("a private car");
  });
});

describe("a faulty embedder", () => {
  it("a random embedder drops no hit of keyword search, and seldom changes the first", async () => {
    let changed = 0;
    const talks = fc.tuple(arbitraryTalk("a", 60), arbitraryTalk("b", 60));
    const query = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(talks, query, fc.nat(), async (talk, words, seed) => {
        const asked = { channelIds: ["a", "b"].map(channelOf), limit: 100 };
        const [plain, fused] = await Promise.all(
          [null, openRandom(seed)].map(async (embedder) => {
            const { timelines } = openArchive(toChannels(["a", "b"], talk.flat()), {
              embedder,
              embedderWaitMs: PATIENT,
            });
            const result = await timelines.find({ ...asked, query: toQuery(parseQuery(words.join(" "))), scan: 1_000 });
            await timelines.close();
            return ids(result);
          }),
        );
        expect(fused).toEqual(expect.arrayContaining(plain ?? []));
        if (fused?.[0] !== plain?.[0] && plain?.length) changed += 1;
      }),
      { numRuns: 20 },
    );
    expect(changed).toBeLessThan(15);
  });

  it.each<[string, Embedder["embed"]]>([
    ["is unavailable", async () => Promise.reject(new EarshotError("unavailable", "No."))],
    ["throws an unforeseen error", async () => Promise.reject(new TypeError("undefined is not a function"))],
    ["returns too few vectors", async (all) => all.slice(1).map(toMeaning)],
    ["returns NaN", async (all) => all.map(() => Float32Array.from([1, Number.NaN]))],
    [
      "returns vectors of different lengths",
      async (all) => all.map((_, index) => new Float32Array(2 + (index % 2)).fill(1)),
    ],
  ])(
    "leaves the results to keyword search when it %s, is logged once, and is called at most three times",
    async (_, answer) => {
      const said = amid("my car broke down", "an automobile passed");
      const logged: unknown[] = [];
      const log = { debug() {}, info() {}, error() {}, warn: (fields: unknown) => logged.push(fields) };
      const embedder = openAnswering(answer);
      const { find } = open(said, { embedder, log });
      const plain = await open(said).find("automobile");
      for (const _ of [1, 2, 3]) expect(await find("automobile")).toEqual(plain);
      expect(logged).toHaveLength(1);
      expect(embedder.calls()).toBeLessThanOrEqual(3);
    },
  );

  it("an embedder whose vectors are all zero or all the same leaves the results to keyword search", async () => {
    const said = amid("my car broke down", "an automobile passed");
    const plain = await open(said).find("automobile");
    for (const fill of [0, 1]) {
      const embedder = openAnswering(async (all) => all.map(() => new Float32Array(4).fill(fill)));
      const { hits } = await open(said, { embedder }).find("automobile");
      expect(hits).toEqual(plain.hits);
    }
  });

  it("search waits for the embedder no longer than allowed, and not at all once cancelled", async () => {
    const said = amid("an automobile passed");
    const silent = openAnswering(() => new Promise(() => {}));
    const plain = await open(said).find("automobile");
    expect(await open(said, { embedder: silent, embedderWaitMs: 5 }).find("automobile")).toEqual(plain);
    const controller = new AbortController();
    const calling = openAnswering(() => {
      controller.abort();
      return new Promise(() => {});
    });
    const { find } = open(said, { embedder: calling });
    await expect(find("automobile", { signal: controller.signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  it("a late embedder counts once its vectors are there", async () => {
    const { promise: ready, resolve: release } = Promise.withResolvers<void>();
    const embedder = openAnswering((all) => ready.then(() => all.map(toMeaning)));
    const { find } = open(amid("my car broke down"), { embedder, embedderWaitMs: 5 });
    expect(texts(await find("automobile"))).toEqual([]);
    release();
    await expect.poll(async () => texts(await find("automobile"))).toEqual(["my car broke down"]);
  });
});

describe("semantic search amid changes", () => {
  const broken = { channel: "a", second: 61 * 3_600, by: "ann" };
  const edit = (text: string) => ({ ...toMessage({ ...broken, text }), edited_ts: EDITED });

  it("semantic search compares the text as it stands now", async () => {
    const { find, tell } = open(amid("lunch", "my car broke down"), { embedder: openKnowing() });
    expect(texts(await find("automobile"))).toEqual(["my car broke down"]);
    tell({ type: "message_update", message: edit("my tooth broke") });
    expect(texts(await find("automobile"))).toEqual([]);
    tell({ type: "message_update", message: { ...edit("my vehicle broke"), edited_ts: "2026-05-02T00:00:00.000Z" } });
    expect(texts(await find("automobile"))).toEqual(["my vehicle broke"]);
    tell({ type: "message_delete", channelId: channelOf("a"), messageIds: [idOf("a", broken.second)] });
    expect(texts(await find("automobile"))).toEqual([]);
  });

  it.each(["edited", "deleted"])(
    "semantic search does not return a message that is %s while it is being embedded",
    async (how) => {
      const { promise: ready, resolve: release } = Promise.withResolvers<void>();
      const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
      const embedder = openAnswering((all) => {
        if (all.some((text) => text.includes("car"))) noteAsked();
        return ready.then(() => all.map(toMeaning));
      });
      const { find, tell } = open(amid("lunch", "my car broke down"), { embedder });
      const finding = find("automobile");
      await asked;
      if (how === "edited") tell({ type: "message_update", message: edit("my tooth broke") });
      else tell({ type: "message_delete", channelId: channelOf("a"), messageIds: [idOf("a", broken.second)] });
      release();
      expect(texts(await finding)).toEqual([]);
      expect(texts(await find("automobile"))).toEqual([]);
    },
  );

  /** A long room, of which the oldest may be seen without being held. */
  function openLong(options: Parameters<typeof openArchive>[1]) {
    const later = Array.from({ length: 150 }, (_, index) => word(index + 500));
    const channels = toChannels(["a"], amid("my car broke down", ...later));
    const room = channels.get(channelOf("a")) ?? [];
    const at = room.findIndex(({ content }) => content.includes("car"));
    const car = room[at] as Message;
    const change = (text: string) => {
      room[at] = { ...car, content: text, parts: toTypedParts(text) };
    };
    const { timelines } = openArchive(channels, { embedder: openKnowing(), embedderWaitMs: PATIENT, ...options });
    onTestFinished(() => timelines.close());
    const query = toQuery(parseQuery("automobile"));
    const find = async (scan: number) =>
      texts(await timelines.find({ channelIds: [channelOf("a")], query, limit: 5, scan }));
    return { find, change, car };
  }

  it("semantic search embeds a message again that was evicted and comes back changed", async () => {
    const { find, change } = openLong({ messagesPerChannel: 120 });
    expect(await find(1_000)).toEqual(["my car broke down"]);
    change("my tooth broke");
    expect(await find(1_000)).toEqual([]);
    change("my vehicle broke");
    expect(await find(1_000)).toEqual(["my vehicle broke"]);
  });

  it("semantic search embeds a message again that was changed in a gap before it was held", async () => {
    const found: Message[] = [];
    const { find, change, car } = openLong({
      search: async () => ({ state: "ready", messages: found, isFull: false }),
    });
    found.push(car);
    expect(await find(100)).toEqual(["my car broke down"]);
    change("my tooth broke");
    expect(await find(1_000)).toEqual([]);
  });

  it("semantic search gives the same results whatever was searched before", async () => {
    const text = fc.array(fc.constantFrom(...WORDS, "glorp", "car", "automobile"), { minLength: 1, maxLength: 3 });
    const happening = fc.record({
      kind: fc.constantFrom("edit", "delete", "ask", "ask elsewhere", "ask about ann"),
      at: fc.nat({ max: 100 }),
      text: text.map((words) => words.join(" ")),
    });
    let [asked, differing] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        arbitraryTalk("b", 40),
        fc.array(happening, { maxLength: 12 }),
        fc.constantFrom(5_000, 40),
        async (talk, happenings, most) => {
          const said = [...amid("my car", "zog glorp", "vehicle"), ...talk];
          const channels = toChannels(["a", "b"], said);
          const options = { embedderWaitMs: PATIENT, embedder: openKnowing() };
          const live = openArchive(channels, { ...options, messagesPerChannel: most });
          const rooms = ["a", "b"].map(channelOf);
          const ask = ({ timelines }: typeof live, words: string, more: Partial<SearchRequest> = {}) =>
            timelines.find({ channelIds: rooms, query: toQuery(parseQuery(words)), limit: 20, scan: 2_000, ...more });
          for (const [index, { kind, at, text: words }] of happenings.entries()) {
            const room = channels.get(rooms[at % 2] ?? channelOf("a")) ?? [];
            const old = room[at % Math.max(1, room.length)];
            if (kind === "ask elsewhere") await ask(live, words, { channelIds: [channelOf("b")] });
            else if (kind === "ask about ann")
              await ask(live, words, { isWanted: ({ author }) => author.name === "ann", scan: 100 });
            else if (kind === "ask") {
              const copy = () => new Map([...channels].map(([id, messages]) => [id, [...messages]]));
              const cold = openArchive(copy(), { ...options, embedder: openKnowing() });
              const plain = openArchive(copy());
              const result = await ask(cold, words);
              expect(await ask(live, words)).toEqual(result);
              asked += 1;
              if (ids(result).join() !== ids(await ask(plain, words)).join()) differing += 1;
              for (const { timelines } of [cold, plain]) await timelines.close();
            } else if (old && kind === "delete") {
              room.splice(room.indexOf(old), 1);
              live.tell({ type: "message_delete", channelId: old.channel_id, messageIds: [old.message_id] });
            } else if (old) {
              const message = {
                ...old,
                content: words,
                parts: toTypedParts(words),
                edited_ts: new Date(START + index * 1_000).toISOString(),
              };
              room[room.indexOf(old)] = message;
              live.tell({ type: "message_update", message });
            }
          }
          await live.timelines.close();
        },
      ),
      { numRuns: 30 },
    );
    // Otherwise nothing was tried.
    expect(differing).toBeGreaterThan(asked / 10);
  });
});

describe("the filters of a query", () => {
  const [ann, bob] = [PEOPLE["ann"], PEOPLE["bob"]].filter((id) => id !== undefined);
  const said: Said[] = [
    ...amid(),
    { channel: "a", second: 300_000, by: "ann", text: "car one" },
    { channel: "a", second: 310_000, by: "bob", text: "car two", picture: true },
    { channel: "a", second: 320_000, by: "cyd", text: `vehicle three <@${bob}> https://cars.example` },
    { channel: "a", second: 330_000, by: "bob", text: "a red vehicle four" },
  ];

  it.each<[string, string, Asked, readonly string[]]>([
    ["none", "automobile", {}, ["one", "two", "three", "four"]],
    ["an author", "automobile", { resolved: { from: bob ? [bob] : [] } }, ["two", "four"]],
    ["an excluded author", "automobile", { resolved: { notFrom: ann ? [ann] : [] } }, ["two", "three", "four"]],
    ["has:image", "automobile has:image", {}, ["two"]],
    ["an excluded kind of content", "automobile -has:link -has:image", {}, ["one", "four"]],
    ["a mentioned person", "automobile", { resolved: { mentions: bob ? [bob] : [] } }, ["three"]],
    ["an excluded word", "automobile -vehicle", {}, ["one", "two"]],
    ["an excluded phrase", 'automobile -"red vehicle"', {}, ["one", "two", "three"]],
    ["a phrase", 'automobile "red vehicle"', {}, ["four"]],
    ["a start time", "automobile", { resolved: { since: START + 315_000_000 } }, ["three", "four"]],
    ["an end time", "automobile", { resolved: { until: START + 305_000_000 } }, ["one"]],
    ["excepted messages", "automobile", { except: [idOf("a", 310_000)] }, ["one", "three", "four"]],
    ["unwanted messages", "automobile", { isWanted: ({ author }) => author.name !== "ann" }, ["two", "three", "four"]],
    ["no channel", "automobile", { channelIds: [] }, []],
  ])("hold for semantic hits too: %s", async (_, text, asked, expected) => {
    // The few that are left have to stand out among others that meet the conditions too.
    const others = amid().map((one, index) => ({
      ...one,
      second: 400_000 + index * 3_600,
      by: "bob",
      text: `${one.text} <@${bob}>`,
      picture: true,
    }));
    const { find } = open([...said, ...others], { embedder: openKnowing() });
    // What is known from another search counts no more than what is not.
    await find("automobile");
    const { hits } = await find(text, asked);
    const shown = hits.map(({ message }) => /one|two|three|four/.exec(message.content)?.[0] ?? message.content);
    expect(shown.toSorted()).toEqual([...expected].toSorted());
  });
});

describe("the next page of a semantic search", () => {
  const many = Array.from({ length: 40 }, (_, index) => `zog ${word(index + 300)} ${word(index + 400)}`);
  const said = amid(BOTH, ...many, "glorp glorp");

  async function turn(find: ReturnType<typeof open>["find"], onPage: (page: number) => void = () => {}) {
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const page: SearchResult = await find("zog", { limit: 7, ...(cursor !== null && { cursor }) });
      pages.push(...texts(page));
      cursor = page.cursor;
      expect(page.has_more).toBe(cursor !== null);
      onPage(pages.length);
    } while (cursor !== null);
    return pages;
  }

  it("a semantic search continued by its cursor gives every hit once, in the same order, also when more is said meanwhile", async () => {
    const { find, tell } = open(said, { embedder: openKnowing() });
    const whole = texts(await find("zog", { limit: 100 }));
    expect(whole).not.toEqual(texts(await open(said).find("zog", { limit: 100 })));
    const pages = await turn(find, (shown) => {
      const message = toMessage({ channel: "a", second: 900_000 + shown, by: "bob", text: `zog glorp ${word(shown)}` });
      tell({ type: "message", message, addressed: false });
    });
    expect(pages).toEqual(whole);
  });

  it("a search that began without an embedder continues without one", async () => {
    let isUp = false;
    const embedder = openAnswering(async (all) => (isUp ? all.map(toMeaning) : new Promise(() => {})));
    const { find } = open(said, { embedder, embedderWaitMs: 5 });
    const pages = await turn(find, () => {
      isUp = true;
    });
    expect(pages).toEqual(texts(await open(said).find("zog", { limit: 100 })));
  });

  it("a continued search loses no keyword hit when the embedder fails on the way", async () => {
    const isUp = { knowing: true };
    const knowing = openAnswering(async (all) => {
      if (!isUp.knowing) throw new EarshotError("unavailable", "No.");
      return all.map(toMeaning);
    });
    const { find, tell } = open(said, { embedder: knowing });
    const plain = texts(await open(said).find("zog", { limit: 100 }));
    const pages = await turn(find, (shown) => {
      if (shown < 14) return;
      isUp.knowing = false;
      // Its vector is gone, and no new one to be had.
      const message = { ...toMessage({ channel: "a", second: 0, by: "ann", text: "changed" }), edited_ts: EDITED };
      tell({ type: "message_update", message });
    });
    expect(new Set(pages)).toEqual(new Set(plain));
  });
});
