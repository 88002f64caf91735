import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { toTypedParts } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { SearchRequest, SearchResult } from "../../src/ports/search.ts";
import type { Progress } from "../../src/ports/timelines.ts";
import { GUILD, openArchive } from "../support/archive.ts";
import { channelOf, idOf, PEOPLE, type Said, START, toChannels } from "./said.ts";

type Asked = Partial<Omit<SearchRequest, "query">>;

/** Says everything, and gives back a way to ask about it in room "a" unless told otherwise. */
function open(said: readonly Said[], options: Parameters<typeof openArchive>[1] = {}) {
  const rooms = [...new Set(["a", ...said.map(({ channel }) => channel)])];
  const archive = openArchive(toChannels(rooms, said), options);
  onTestFinished(() => archive.timelines.close());
  const find = (text: string, asked: Asked = {}): Promise<SearchResult> =>
    archive.timelines.find({
      channelIds: [channelOf("a")],
      query: toQuery(parseQuery(text)),
      limit: 10,
      scan: 1_000,
      ...asked,
    });
  return { ...archive, find };
}

/** A room where one speaks each hour, so that nobody has anything to do with anybody else. */
function hourly(...texts: readonly string[]): Said[] {
  return texts.map((text, index) => ({ channel: "a", second: index * 3_600, by: "ann", text }));
}

const texts = ({ hits }: SearchResult) => hits.map(({ message }) => message.content);

describe("search", () => {
  it("search finds what a plain question asks about", async () => {
    const { find } = open(hourly("the turtles laid eggs", "lunch?", "a boat came in"));
    expect(texts(await find("What did I say about turtles earlier?"))).toEqual(["the turtles laid eggs"]);
  });

  it("search finds the word that was meant by a mistyped one", async () => {
    const { find } = open(hourly("the kubernetes migration is done", "lunch?"));
    expect(texts(await find("kuberentes"))).toEqual(["the kubernetes migration is done"]);
    expect(texts(await find("migratoin"))).toEqual(["the kubernetes migration is done"]);
    expect(texts(await find("kuber"))).toEqual(["the kubernetes migration is done"]);
  });

  it("search finds longer words that have the word inside, after the word itself and before typos", async () => {
    const { find } = open(hourly("my wheelbarrows", "barron came", "the barrow", "lunch?", "ask Mark", "an ar k"));
    expect(texts(await find("barrow"))).toEqual(["the barrow", "my wheelbarrows"]);
    expect(texts(await find("barrows"))).toEqual(["the barrow", "my wheelbarrows"]);
    expect(texts(await find("ark"))).toEqual(["ask Mark"]);
    expect(texts(await find("ar"))).toEqual(["an ar k"]);
    const { find: findAlone } = open(hourly("my wheelbarrows", "lunch?", "barron came"));
    expect(texts(await findAlone("barrow"))).toEqual(["my wheelbarrows", "barron came"]);
    const { find: findPlural } = open(hourly("the wheelbarrowmen", "lunch?"));
    expect(texts(await findPlural("barrows"))).toEqual(["the wheelbarrowmen"]);
  });

  it("search fills only places with longer words that the word itself leaves free", async () => {
    const { find } = open(hourly("Mark", "ark 1", "ark 2", "ark 3", "ark 4", "Mark Mark Mark"));
    expect(texts(await find("ark", { limit: 4 }))).toEqual(["ark 4", "ark 3", "ark 2", "ark 1"]);
    expect(
      texts(await find("ark"))
        .slice(4)
        .toSorted(),
    ).toEqual(["Mark", "Mark Mark Mark"]);
  });

  it("search finds the singular of a plural, and nothing that is merely alike", async () => {
    const { find } = open(hourly("a whistle", "white paint", "he hissed", "whites", "heave it", "a heavy box"));
    expect(texts(await find("whistles"))).toEqual(["a whistle"]);
    expect(texts(await find("heave"))).toEqual(["heave it"]);
    expect(texts(await find("heaves"))).toEqual(["heave it"]);
  });

  it("search finds what others write as one word, or as two", async () => {
    const { find } = open(hourly("a screenshot of it", "lunch?", "the light house"));
    expect(texts(await find("screen shot"))).toEqual(["a screenshot of it"]);
    expect(texts(await find("lighthouse"))).toEqual(["the light house"]);
  });

  it("search finds messages with the exact phrase and without the unwanted words", async () => {
    const { find } = open(hourly("tide table", "table of the tide", "tide table by bob", "the tide"));
    expect(texts(await find('"tide table"')).toSorted()).toEqual(["tide table", "tide table by bob"]);
    expect(texts(await find('tide -table -"tide at noon"'))).toEqual(["the tide"]);
    expect(texts(await find("tide -tide-table")).toSorted()).toEqual(["table of the tide", "the tide"]);
    expect(texts(await find('tide -"tide table"')).toSorted()).toEqual(["table of the tide", "the tide"]);
  });

  it("search finds messages by author, content kind and time, the newest first", async () => {
    const said: Said[] = [
      { channel: "a", second: 1, by: "ann", text: "one", picture: true },
      { channel: "a", second: 4_000, by: "bob", text: "two", picture: true },
      {
        channel: "a",
        second: 8_000,
        by: "ann",
        text: `three <@${PEOPLE["bob"]}> https://tides.example`,
        picture: true,
      },
      { channel: "a", second: 12_000, by: "ann", text: "four" },
    ];
    const { timelines } = open(said);
    const ask = async (text: string, resolved: Parameters<typeof toQuery>[1] = {}) => {
      const query = toQuery(parseQuery(text), resolved);
      const result = await timelines.find({ channelIds: [channelOf("a")], query, limit: 10, scan: 100 });
      return texts(result).map((content) => content.split(" ")[0]);
    };
    const [ann, bob] = [PEOPLE["ann"], PEOPLE["bob"]].filter((id) => id !== undefined);
    if (!ann || !bob) return;
    expect(await ask("", { from: [ann] })).toEqual(["four", "three", "one"]);
    expect(await ask("has:image", { from: [ann] })).toEqual(["three", "one"]);
    expect(await ask("has:link")).toEqual(["three"]);
    expect(await ask("-has:link has:file")).toEqual(["two", "one"]);
    expect(await ask("", { mentions: [bob] })).toEqual(["three"]);
    expect(await ask("", { since: START + 4_000_000, until: START + 8_000_000 })).toEqual(["three", "two"]);
  });

  it("search does not take typed text for a poll, a sticker or an embed", async () => {
    const kinds = ["poll", "sticker", "embed"] as const;
    const texts = { poll: "Poll: zog?", sticker: "[sticker: zog]", embed: "zog" };
    const said = kinds.flatMap((kind, index): Said[] => [
      { channel: "a", second: index * 9_000, by: "ann", text: texts[kind], parts: [{ kind, text: texts[kind] }] },
      { channel: "a", second: index * 9_000 + 4_000, by: "bob", text: texts[kind] },
    ]);
    const { timelines } = open(said);
    const ask = async (text: string) => {
      const query = toQuery(parseQuery(text), {});
      const { hits } = await timelines.find({ channelIds: [channelOf("a")], query, limit: 10, scan: 100 });
      return hits.map(({ message }) => [message.author.name, message.content]);
    };
    expect(await ask("has:poll")).toEqual([["ann", texts.poll]]);
    expect(await ask("has:sticker")).toEqual([["ann", texts.sticker]]);
    expect(await ask("zog -has:poll -has:sticker -has:embed")).toHaveLength(3);
  });

  it("search ranks a message higher when it was said at the time that the query mentions", async () => {
    const day = 86_400;
    const said = [0, 40 * day].map((second) => ({ channel: "a", second, by: "ann", text: "zog" }));
    const { find } = open(said);
    const times = async (text: string) => (await find(text)).hits.map(({ message }) => message.ts.slice(0, 7));
    expect(await times("zog")).toEqual(["2026-04", "2026-03"]);
    expect(await times("zog in March")).toEqual(["2026-03", "2026-04"]);
  });

  it("search finds an answer that repeats none of the words of the query", async () => {
    const { find } = open([
      { channel: "a", second: 0, by: "ann", text: "unrelated" },
      { channel: "a", second: 9_000, by: "ann", text: "where does the ferry leave for the island?" },
      { channel: "a", second: 9_060, by: "bob", text: "platform nine" },
      { channel: "a", second: 90_000, by: "bob", text: "the ferry" },
    ]);
    const found = texts(await find("ferry island"));
    expect(found.slice(0, 2)).toEqual(["where does the ferry leave for the island?", "platform nine"]);
    expect(texts(await find("ferry"))).not.toContain("platform nine");
  });

  it("search puts what tells before who asks in the middle of a message, where more than two people speak", async () => {
    const [tells, asks] = ["the winch takes oil as always, friends", "does the winch take oil? I have spare"];
    const said = (people: readonly string[]): Said[] =>
      [tells, asks, "kettle", "lunch"].map((text, index) => ({
        ...{ channel: "a", second: index * 3_600, text },
        by: people[index % people.length] ?? "",
      }));
    expect(texts(await open(said(["ann", "bob", "cyd"])).find("which oil for the winch?"))[0]).toBe(tells);
    expect(texts(await open(said(["ann", "bob"])).find("which oil for the winch?"))[0]).toBe(asks);
  });

  it("search shows each hit with the messages around it, and no message twice", async () => {
    const { find } = open([
      { channel: "a", second: 0, by: "cyd", text: "shall we sail" },
      { channel: "a", second: 50_000, by: "ann", text: "before" },
      { channel: "a", second: 50_060, by: "bob", text: "zog", answers: 0 },
      { channel: "a", second: 50_120, by: "ann", text: "after" },
      { channel: "a", second: 50_180, by: "ann", text: "zog sailed along" },
      { channel: "a", second: 99_000, by: "dot", text: "late answer", answers: 50_060 },
    ]);
    const { hits } = await find("zog");
    const shown = hits.flatMap(({ message, around }) => [message, ...around]).map(({ message_id }) => message_id);
    expect(new Set(shown).size).toBe(shown.length);
    expect(hits[0]?.message.content).toBe("zog");
    expect(hits[0]?.around.map(({ content }) => content)).toEqual(["shall we sail", "before", "after", "late answer"]);
    expect(hits[1]?.around).toEqual([]);
  });

  it("search returns neither excepted nor refused messages", async () => {
    const { find } = open([
      { channel: "a", second: 0, by: "ann", text: "zog one" },
      { channel: "a", second: 9, by: "bob", text: "zog two" },
      { channel: "a", second: 18, by: "ann", text: "zog three" },
    ]);
    const asked = {
      except: [idOf("a", 18)],
      isWanted: ({ author }: { author: { name: string } }) => author.name !== "bob",
    };
    const { hits } = await find("zog", asked);
    expect(hits.map(({ message, around }) => [message.content, ...around.map(({ content }) => content)])).toEqual([
      ["zog one"],
    ]);
  });

  it("search refuses a query with nothing to look for", async () => {
    const { find } = open([]);
    await expect(find("?!")).rejects.toMatchObject({ code: "invalid" });
    await expect(find("zog", { limit: 0 })).rejects.toMatchObject({ code: "invalid" });
    await expect(find("zog", { scan: -1 })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("the next page of a search", () => {
  const many = hourly(...Array.from({ length: 25 }, (_, index) => `zog ${index}`));

  it("a search continued by its cursor gives every hit once, in the same order, also when more is said meanwhile", async () => {
    const { find, tell } = open(many);
    const whole = texts(await find("zog", { limit: 100 }));
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const page: SearchResult = await find("zog", { limit: 7, ...(cursor !== null && { cursor }) });
      pages.push(...texts(page));
      cursor = page.cursor;
      expect(page.has_more).toBe(cursor !== null);
      const [message] = [
        ...toChannels(["a"], [{ channel: "a", second: 900_000 + pages.length, by: "bob", text: "zog zog" }]).values(),
      ].flat();
      if (message) tell({ type: "message", message, addressed: false });
    } while (cursor !== null);
    expect(pages).toEqual(whole);
  });

  it("search refuses the cursor of another search", async () => {
    const { find } = open(many);
    const { cursor } = await find("zog", { limit: 5 });
    for (const wrong of [cursor?.replace(/^\d+/, "6"), "5", "x.y.z", ""])
      await expect(find("zog", { cursor: wrong ?? "" })).rejects.toMatchObject({ code: "invalid" });
    await expect(find("kuv", { cursor: cursor ?? "" })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("how far back a search looks", () => {
  const long = (channel: string, count: number): Said[] =>
    Array.from({ length: count }, (_, index) => ({
      channel,
      second: index * 60,
      by: "ann",
      text: `${index === 0 ? "needle" : "hay"} ${index}`,
    }));

  it("search looks at a page of each channel in turn, up to its scan limit, and reports its coverage", async () => {
    const { find, requests } = open([...long("a", 450), ...long("b", 450)]);
    const channelIds = ["a", "b"].map(channelOf);
    const progress: Progress[] = [];
    const first = await find("needle", { channelIds, scan: 300, onProgress: (each) => progress.push(each) });
    expect(requests()).toBe(3);
    expect(first).toMatchObject({ hits: [], coverage: { scanned: 300, complete: false }, older: "unavailable" });
    expect(progress.map(({ scanned }) => scanned)).toEqual([200, 300]);
    expect(await find("needle", { channelIds, scan: 300 })).toEqual(first);
    expect(requests()).toBe(3);
    const all = await find("needle", { channelIds, scan: 1_000 });
    expect(texts(all)).toEqual(["needle 0", "needle 0"]);
    expect(all).toMatchObject({ coverage: { scanned: 900, complete: true }, older: "not_needed" });
  });

  it("search covers many quiet channels at the cost of one busy channel, always the same ones", async () => {
    const names = [..."abcdefghijkl"];
    const { find, requests } = open([...names.flatMap((name) => long(name, 37)), ...long("z", 450)]);
    const channelIds = [...names, "z"].map(channelOf);
    const first = await find("needle", { channelIds, scan: 400 });
    expect(requests()).toBe(11);
    expect(first).toMatchObject({ coverage: { scanned: 11 * 37, complete: false } });
    for (const _ of [1, 2]) expect(await find("needle", { channelIds, scan: 400 })).toEqual(first);
    expect(requests()).toBe(11);
  });

  it("search finds messages that there is no space to hold, however often it is repeated", async () => {
    const { find, timelines } = open(long("a", 450), { messagesPerChannel: 120 });
    for (const _ of [1, 2]) {
      expect(texts(await find("needle"))).toEqual(["needle 0"]);
      expect(timelines.stats().messages).toBeLessThanOrEqual(120);
    }
  });

  it("search does not return messages that were deleted or changed while it was running", async () => {
    for (const isDeleted of [true, false]) {
      const { find, tell, timelines } = open(long("a", 450), { messagesPerChannel: 120 });
      const [needle] = (await find("needle")).hits.map(({ message }) => message);
      if (!needle) throw new Error("there is no needle");
      const { channel_id: channelId, message_id: id } = needle;
      const change = () => {
        if (isDeleted) tell({ type: "message_delete", channelId, messageIds: [id] });
        else
          tell({
            type: "message_update",
            message: {
              ...needle,
              content: "thread",
              parts: toTypedParts("thread"),
              edited_ts: "2026-05-01T00:00:00.000Z",
            },
          });
      };
      const onProgress = ({ scanned }: Progress) => (scanned === 450 ? change() : undefined);
      expect(timelines.stats().messages).toBeLessThan(450);
      expect((await find("needle", { onProgress })).hits).toEqual([]);
    }
  });

  it("search starts over when events were missed while it was running", async () => {
    const { find, tell, requests } = open(long("a", 450));
    let gaps = 0;
    const onProgress = ({ scanned }: Progress) => {
      if (scanned < 450 || gaps > 0) return;
      gaps += 1;
      const now = new Date(0).toISOString();
      tell({ type: "gap", from: now, to: now, reason: "restart", guildIds: [GUILD], shard: 0 });
    };
    const result = await find("needle", { onProgress });
    expect(texts(result)).toEqual(["needle 0"]);
    expect(result.coverage).toMatchObject({ scanned: 450, complete: true });
    expect(requests()).toBe(10);
  });

  it("search looks no further where more is held, so that nobody learns what others have read", async () => {
    const { find, timelines, requests } = open(long("a", 450));
    const cold = await find("hay", { scan: 100 });
    await timelines.recent(channelOf("a"), { limit: 100 });
    await timelines.contains(channelOf("a"), "nothing", { limit: 1, scan: 450 });
    const before = requests();
    expect(await find("hay", { scan: 100 })).toEqual(cold);
    expect(await find("hay", { scan: 0 })).toMatchObject({ coverage: { scanned: 0, complete: false } });
    expect(requests()).toBe(before);
  });

  it("search can be cancelled", async () => {
    const { find } = open(long("a", 450));
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(find("needle", { signal: controller.signal, onProgress })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});

describe("the time since which a search has examined everything", () => {
  const spoken = (counts: Readonly<Record<string, number>>, step: Readonly<Record<string, number>>): Said[] =>
    Object.entries(counts).flatMap(([channel, count]) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ channel, by: "ann", text: `u${channel}${index}` },
        second: 10_000_000 - (count - index) * (step[channel] ?? 1) * 60,
      })),
    );

  it("is the latest of the channels' ends, not the deepest", async () => {
    const { find } = open(spoken({ a: 300, b: 300 }, { a: 1, b: 7 }));
    const channelIds = [channelOf("a"), channelOf("b")];
    const result = await find("nothing", { channelIds, scan: 200 });
    expect(result).toMatchObject({ coverage: { complete: false, scanned: 200 }, further_back: true });
    expect(Date.parse(result.everything_since ?? "")).toBe(START + (10_000_000 - 100 * 60) * 1_000);
    expect(await find("nothing", { channelIds, scan: 100 })).toMatchObject({ everything_since: null });
    expect(await find("nothing", { channelIds })).toMatchObject({
      coverage: { complete: true },
      everything_since: null,
    });
  });

  it("is never earlier than a message that was not examined", async () => {
    const sizes = fc.record({ a: fc.nat(260), b: fc.nat(260), c: fc.nat(260) });
    const steps = fc.record({ a: fc.integer({ min: 1, max: 9 }), b: fc.integer({ min: 1, max: 9 }) });
    let claims = 0;
    await fc.assert(
      fc.asyncProperty(sizes, steps, fc.constantFrom(100, 200, 300, 400), async (counts, step, scan) => {
        const said = spoken(counts, step);
        const { find, timelines } = open(said);
        const channelIds = ["a", "b", "c"].filter((key) => counts[key as "a"] > 0).map(channelOf);
        const { everything_since: since } = await find("nothing", { channelIds, scan });
        const examined = said.filter(({ second }) => since !== null && START + second * 1_000 >= Date.parse(since));
        claims += Math.min(1, examined.length);
        for (const { text } of [examined[0], examined.at(-1), examined[examined.length >> 1]].flatMap(
          (one) => one ?? [],
        ))
          expect(texts(await find(`"${text}"`, { channelIds, scan }))).toEqual([text]);
        await timelines.close();
      }),
      { numRuns: 30 },
    );
    expect(claims).toBeGreaterThan(0);
  });
});
