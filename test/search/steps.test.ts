import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Message, toTypedParts } from "../../src/domain/message.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { MAX_UNITS_AT_ONCE, UNITS_PER_STEP } from "../../src/domain/steps/pace.ts";
import type { SearchRequest, SearchResult } from "../../src/ports/search.ts";
import { GUILD, openArchive } from "../support/archive.ts";
import { countPace } from "../support/counted-pace.ts";
import { arbitraryTalk, channelOf, type Said, toChannels, WORDS } from "./said.ts";
import { openKnowing, openRandom } from "./test-embedder.ts";

const ROOMS = ["a", "b"];
/** The soak stops at every pause and plays everything in full; the suite at every few of them. */
const soakRuns = process.env["SOAK_RUNS"];
const EVERY_PAUSE = soakRuns ? 1 : 3;

function toRequest(text: string, rooms: readonly string[] = ROOMS, more: Partial<SearchRequest> = {}): SearchRequest {
  return { channelIds: rooms.map(channelOf), query: toQuery(parseQuery(text)), limit: 10, scan: 100_000, ...more };
}

/** Different for each number, in small letters, none of them a known word. */
function rareWord(number: number): string {
  let word = "";
  for (let left = number + 26 ** 4; left > 0; left = Math.floor(left / 26))
    word += String.fromCharCode(97 + (left % 26));
  return `q${word}`;
}

function fill(count: number, textOf: (index: number) => string, room = "a"): Said[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ channel: room, second: index * 20, by: index % 3 ? "ann" : "bob", text: textOf(index) },
    ...(index % 7 === 0 && index > 0 && { answers: (index - 1) * 20 }),
  }));
}

const manyRooms = Array.from({ length: 80 }, (_, index) => String.fromCodePoint(0x4e00 + index));
const rareWords = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => rareWord(index * 977))
    .join(" ")
    .slice(0, length);

const HARD: readonly (readonly [what: string, rooms: readonly string[], said: () => Said[], text: string])[] = [
  [
    "500 characters of rare words",
    ["a"],
    () => fill(5_000, (at) => `${rareWord(at)} ${rareWord(at * 31)}`),
    rareWords(90, 500),
  ],
  [
    "one-letter words",
    ["a"],
    () => fill(5_000, (at) => `${rareWord(at)} ${"abcdefghij"[at % 10]} x`),
    "q w e r t z u o p k l j h g f d s y x c v b n m".repeat(10).slice(0, 500),
  ],
  ["words that everybody uses", ["a"], () => fill(5_000, () => "tide harbour boat"), "tide harbour boat"],
  ["stop words alone", ["a"], () => fill(5_000, (at) => `the of ${rareWord(at)} and to is`), "the of and to is"],
  [
    "many channels",
    manyRooms,
    () => manyRooms.flatMap((room) => fill(60, (at) => `tide ${rareWord(at)}`, room)),
    rareWords(90, 500),
  ],
  [
    "long messages",
    ["a"],
    () =>
      fill(soakRuns ? 40 : 15, (at) =>
        Array.from({ length: 3_000 }, (_, n) => rareWord(at * 3_000 + n))
          .join(" ")
          .slice(0, 20_000),
      ),
    rareWords(90, 500),
  ],
  [
    "a script without spaces",
    ["a"],
    () =>
      fill(soakRuns ? 12 : 5, (at) =>
        Array.from({ length: 20_000 }, (_, n) =>
          String.fromCodePoint(0x4e00 + ((n * 7919 + at * 104_729) % 20_000)),
        ).join(""),
      ),
    Array.from({ length: 500 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(""),
  ],
  [
    "phrases that need the text of messages",
    ["a"],
    () => fill(3_000, (at) => `a b c ${rareWord(at)}`),
    Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => `"${letter}"`).join(" "),
  ],
  [
    "one message that all others answer",
    ["a"],
    () => fill(5_000, (at) => `tide ${at}`).map((one, at) => (at ? { ...one, answers: 0 } : one)),
    "tide",
  ],
  [
    "a chain of answers",
    ["a"],
    () => fill(5_000, (at) => `tide ${at}`).map((one, at) => (at ? { ...one, answers: (at - 1) * 20 } : one)),
    "tide",
  ],
];

describe("search in steps", () => {
  it.each(HARD)("keeps every step within its budget: %s", async (_, rooms, said, text) => {
    const counted = countPace();
    const channels = toChannels(rooms, said());
    const { timelines } = openArchive(channels, { openPace: counted.openPace });
    for (const isWanted of [undefined, () => true])
      await timelines.find(toRequest(text, rooms, { ...(isWanted && { isWanted }) }));
    await timelines.close();
    const messages = [...channels.values()].reduce((sum, room) => sum + room.length, 0);
    expect(counted.total()).toBeGreaterThan(messages);
    expect(counted.maxAtOnce()).toBeLessThanOrEqual(MAX_UNITS_AT_ONCE);
    expect(counted.maxStep()).toBeLessThanOrEqual(UNITS_PER_STEP + MAX_UNITS_AT_ONCE);
  });

  it("keeps every step within its budget when it is semantic too", async () => {
    const counted = countPace();
    const channels = toChannels(
      ["a"],
      fill(5_000, (at) => `tide ${rareWord(at)}`),
    );
    const embedder = openRandom(1);
    const { timelines } = openArchive(channels, { openPace: counted.openPace, embedder, embedderWaitMs: 60_000 });
    await timelines.find(toRequest("tide", ["a"]));
    await timelines.close();
    expect(counted.pauses()).toBeGreaterThan(10);
    expect(counted.maxStep()).toBeLessThanOrEqual(UNITS_PER_STEP + MAX_UNITS_AT_ONCE);
  });

  it("costs the same whatever is said in channels that are not searched", async () => {
    const cost = async (elsewhere: number) => {
      const counted = countPace();
      const hidden = fill(elsewhere, (at) => `harbu${rareWord(at)} harbuo${rareWord(at)}`, "b");
      const { timelines } = openArchive(
        toChannels(ROOMS, [...fill(50, (at) => `harbour ${rareWord(at)}`), ...hidden]),
        {
          openPace: counted.openPace,
        },
      );
      await timelines.find(toRequest("tide", ROOMS));
      await timelines.find(toRequest("tide", ["a"]));
      const before = counted.total();
      const { hits } = await timelines.find(toRequest("harbuor harbuo", ["a"]));
      await timelines.close();
      return { cost: counted.total() - before, hits };
    };
    expect(await cost(3_000)).toEqual(await cost(0));
  });

  it("stops at the next step once it is cancelled", async () => {
    const channels = toChannels(ROOMS, [...fill(40, (at) => `zog ${at}`), ...fill(40, (at) => `kuv ${at}`, "b")]);
    const all = countPace({ unitsPerStep: 500 });
    const whole = openArchive(channels, { openPace: all.openPace });
    await whole.timelines.find(toRequest("zog kuvv"));
    expect(all.pauses()).toBeGreaterThan(50);
    for (let stop = 1; stop <= all.pauses(); stop += EVERY_PAUSE) {
      const controller = new AbortController();
      const counted = countPace({
        unitsPerStep: 500,
        onPause: (pause) => {
          if (pause === stop) controller.abort();
        },
      });
      const { timelines } = openArchive(channels, { openPace: counted.openPace });
      const request = toRequest("zog kuvv", ROOMS, { signal: controller.signal });
      await expect(timelines.find(request)).rejects.toMatchObject({ code: "cancelled" });
      expect(counted.pauses()).toBe(stop);
      await timelines.close();
    }
  });
});

type Change =
  | { readonly kind: "delete" | "lose" | "gap"; readonly at: number; readonly pick: number }
  | { readonly kind: "edit" | "say"; readonly at: number; readonly pick: number; readonly text: string };

const moment = { at: fc.integer({ min: 1, max: 120 }), pick: fc.nat({ max: 99 }) };
const anyText = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("delete" as const), ...moment }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("edit" as const, "say" as const), ...moment, text: anyText }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("lose" as const, "gap" as const), ...moment }) },
);

/** A Discord in which something happens at certain pauses of a search. */
function openChanging(talks: readonly Said[], changes: readonly Change[], unitsPerStep: number) {
  const channels = toChannels(ROOMS, talks);
  let clock = 1_000_000;
  const apply = (each: Change) => {
    clock += 100;
    const all = [...channels.values()].flat();
    const old = all[each.pick % Math.max(1, all.length)];
    const room = old && channels.get(old.channel_id);
    if (!old || !room) return;
    const { channel_id: channelId, message_id: messageId } = old;
    if (each.kind === "delete") {
      room.splice(room.indexOf(old), 1);
      archive.tell({ type: "message_delete", channelId, messageIds: [messageId] });
    } else if (each.kind === "edit") {
      const edited_ts = new Date(clock * 1_000).toISOString();
      const message: Message = { ...old, content: each.text, parts: toTypedParts(each.text), edited_ts };
      room[room.indexOf(old)] = message;
      archive.tell({ type: "message_update", message });
    } else if (each.kind === "say") {
      const id = String(
        BigInt(all.reduce((last, one) => (BigInt(one.message_id) > BigInt(last) ? one.message_id : last), "0")) +
          BigInt(clock),
      );
      const parts = toTypedParts(each.text);
      const message = { ...old, message_id: id, content: each.text, parts, reply_to: null } as Message;
      room.push(message);
      archive.tell({ type: "message", message, addressed: false });
    } else if (each.kind === "gap") {
      const now = new Date(0).toISOString();
      archive.tell({ type: "gap", from: now, to: now, reason: "restart", guildIds: [GUILD], shard: 0 });
    } else {
      room.length = 0;
      archive.tell({ type: "access_lost", channelId, guildId: GUILD, lineage: [channelId] });
    }
  };
  const counted = countPace({
    unitsPerStep,
    onPause: (pause) => {
      for (const each of changes) if (each.at === pause) apply(each);
    },
  });
  const archive = openArchive(channels, { openPace: counted.openPace });
  return { ...archive, channels, counted };
}

function shown({ hits }: SearchResult): Message[] {
  return hits.flatMap(({ message, around }) => [message, ...around]);
}

describe("a search that pauses between steps", () => {
  const talk = fc.tuple(arbitraryTalk("a", 25), arbitraryTalk("b", 25)).map((talks) => talks.flat());

  it("returns nothing that was deleted, edited or made inaccessible in a pause", async () => {
    await fc.assert(
      fc.asyncProperty(
        talk,
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("zog", '"zog"', "kuv zog lortt", '"bax" zgo'),
        fc.constantFrom(60, 400),
        async (talks, changes, text, unitsPerStep) => {
          const { timelines, channels } = openChanging(talks, changes, unitsPerStep);
          // What is at hand already is searched in steps alone; else it is fetched first.
          for (const room of ROOMS) await timelines.recent(channelOf(room), { limit: 50 });
          const result = await timelines.find(toRequest(text)).catch((error: unknown) => {
            expect(error).toMatchObject({ code: "unavailable" });
            return null;
          });
          await timelines.close();
          if (!result) return;
          for (const message of shown(result)) {
            const current = channels
              .get(message.channel_id)
              ?.find(({ message_id }) => message_id === message.message_id);
            expect(message).toEqual(current);
          }
          const phrase = /"(.*)"/.exec(text)?.[1];
          if (phrase !== undefined)
            for (const { message } of result.hits) expect(message.content.split(" ")).toContain(phrase);
        },
      ),
      { numRuns: Number(soakRuns ?? 12) },
    );
  });

  it("sends the embedder nothing that was deleted, edited or made inaccessible in a pause, although it was fetched before", async () => {
    const said = fill(30, (at) => `tide ${rareWord(at)}`);
    const tell = async (stop: number, kind: "delete" | "edit" | "lose") => {
      const channels = toChannels(["a"], said);
      const room = channels.get(channelOf("a")) ?? [];
      const embedder = openKnowing();
      const gone: string[] = [];
      const happen = () => {
        for (const old of embedder.told.length > 0 ? [] : room.splice(0, kind === "lose" ? room.length : 5)) {
          const { channel_id: channelId, message_id: messageId } = old;
          gone.push(old.content);
          const message = { ...old, content: "other", parts: toTypedParts("other"), edited_ts: old.ts };
          if (kind === "delete") archive.tell({ type: "message_delete", channelId, messageIds: [messageId] });
          else if (kind === "edit") archive.tell({ type: "message_update", message });
          else archive.tell({ type: "access_lost", channelId, guildId: GUILD, lineage: [channelId] });
        }
      };
      const counted = countPace({ unitsPerStep: 1_000, onPause: (pause) => pause === stop && happen() });
      // Few are held, the others only pass by.
      const bounds = { messagesPerChannel: 5, embedderWaitMs: 60_000 };
      const archive = openArchive(channels, { openPace: counted.openPace, embedder, ...bounds });
      await archive.timelines.find(toRequest("tide", ["a"]));
      await archive.timelines.close();
      return { pauses: counted.pauses(), shown: gone.filter((text) => embedder.told.includes(text)) };
    };
    const { pauses } = await tell(0, "delete");
    expect(pauses).toBeGreaterThan(20);
    for (let stop = 1; stop <= pauses; stop += EVERY_PAUSE)
      for (const kind of ["delete", "edit", "lose"] as const)
        expect(await tell(stop, kind)).toMatchObject({ shown: [] });
  });

  it("returns the same with pauses as without", async () => {
    await fc.assert(
      fc.asyncProperty(talk, anyText, fc.constantFrom(1, 37, 1_000), async (talks, text, unitsPerStep) => {
        const query = `${text} lortt harbuor`;
        const paused = openChanging(talks, [], unitsPerStep);
        const plain = openChanging(talks, [], Number.POSITIVE_INFINITY);
        const [first, second] = [
          await paused.timelines.find(toRequest(query)),
          await plain.timelines.find(toRequest(query)),
        ];
        expect(first).toEqual(second);
        expect(plain.counted.pauses()).toBe(0);
        await paused.timelines.close();
        await plain.timelines.close();
      }),
      { numRuns: Number(soakRuns ?? 6) },
    );
  });

  it("returns the same beside other searches as alone", async () => {
    await fc.assert(
      fc.asyncProperty(talk, fc.array(anyText, { minLength: 2, maxLength: 4 }), async (talks, texts) => {
        const together = openChanging(talks, [], 300);
        const results = await Promise.all(texts.map((text) => together.timelines.find(toRequest(text))));
        await together.timelines.close();
        for (const [index, text] of texts.entries()) {
          const alone = openChanging(talks, [], 300);
          expect(results[index]).toEqual(await alone.timelines.find(toRequest(text)));
          await alone.timelines.close();
        }
      }),
      { numRuns: Number(soakRuns ?? 6) },
    );
  });
});
