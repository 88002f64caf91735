import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelKind } from "../../src/domain/guild.ts";
import { type ChannelId, compareIds } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import type { Progress } from "../../src/ports/timelines.ts";
import type { SearchDeps } from "../../src/search/open-search.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { assertUntil } from "../support/assert-until.ts";
import { until } from "../support/edge.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "../support/timelines-and-search.ts";

interface TestChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly parentId: string | null;
  readonly isArchived?: boolean;
}

/** The reader looks at the first six, of which the forum has only posts; the others are closed to them. */
const CHANNELS: readonly TestChannel[] = [
  { id: "10", kind: "text", parentId: null },
  { id: "11", kind: "public_thread", parentId: "10" },
  { id: "12", kind: "forum", parentId: null },
  { id: "13", kind: "private_thread", parentId: "10" },
  { id: "14", kind: "public_thread", parentId: "10", isArchived: true },
  { id: "15", kind: "public_thread", parentId: "12", isArchived: true },
  { id: "20", kind: "text", parentId: null },
  { id: "21", kind: "public_thread", parentId: "20" },
  { id: "22", kind: "private_thread", parentId: "20" },
  { id: "23", kind: "announcement_thread", parentId: "20" },
  { id: "24", kind: "private_thread", parentId: "10" },
  { id: "25", kind: "dm", parentId: null },
  { id: "26", kind: "public_thread", parentId: "20", isArchived: true },
  { id: "27", kind: "public_thread", parentId: "20", isArchived: true },
];
const toIds = (channels: readonly TestChannel[]) =>
  channels.filter(({ kind }) => kind !== "forum").map(({ id }) => id as ChannelId);
const OPEN = toIds(CHANNELS.slice(0, 6));
const CLOSED = toIds(CHANNELS.slice(6));
const OPEN_ARCHIVES = ["10", "12"] as ChannelId[];
const WORDS = ["heron", "otter", "badger", "marten", "stoat"];
const START = Date.parse("2026-11-15T12:00:00.000Z");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

type Happening =
  | {
      readonly in: "open";
      readonly channel: number;
      readonly do: "say" | "read" | "search" | "find" | "all";
      readonly count: number;
    }
  | {
      readonly in: "closed";
      readonly channel: number;
      /** `everywhere`: somebody who sees everything looks over open and closed channels together. */
      readonly do: "say" | "read" | "find" | "everywhere";
      readonly count: number;
    };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    in: fc.constant("open" as const),
    channel: fc.nat(OPEN.length - 1),
    do: fc.constantFrom(
      "say" as const,
      "say" as const,
      "read" as const,
      "search" as const,
      "find" as const,
      "all" as const,
    ),
    count: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({
    in: fc.constant("closed" as const),
    channel: fc.nat(CLOSED.length - 1),
    do: fc.constantFrom("say" as const, "say" as const, "read" as const, "find" as const, "everywhere" as const),
    count: fc.integer({ min: 1, max: 150 }),
  }),
);

/** Knows a few letters: enough for answers by meaning. */
const embedder: Embedder = {
  id: "letters",
  embed: async (texts) =>
    texts.map((text) => Float32Array.from("hobmst".split(""), (letter) => text.split(letter).length - 1 + 0.1)),
};

interface World {
  readonly answers: unknown[];
  readonly maxBytes: number;
  readonly held: number;
}

/** As Discord searches: all words, newest first, at most 25. */
function searchIn(channels: PlainChannels): NonNullable<SearchDeps["discord"]["search"]> {
  return async (_, { channelIds, content = "", maxId, limit }) => {
    const fitting = channelIds
      .flatMap((id) => channels.messages(id))
      .filter((one) => content.split(" ").every((word) => one.content.includes(word)))
      .filter(({ message_id }) => maxId === undefined || BigInt(message_id) < BigInt(maxId))
      .sort((a, b) => compareIds(b.message_id, a.message_id));
    return { state: "ready", messages: fitting.slice(0, limit), isFull: fitting.length > limit };
  };
}

/** Plays what happens, with or without what is closed to the reader, and notes everything that the reader sees. */
async function play(
  happenings: readonly Happening[],
  isQuiet: boolean,
  { hasSearch, ...options }: Partial<TimelineOptions> & { readonly hasSearch: boolean },
): Promise<World> {
  const channels = new PlainChannels(START);
  for (const { id, kind, parentId, isArchived } of CHANNELS) channels.add(id, kind, parentId, isArchived);
  const clock = { now: () => START + 86_400_000 };
  // The same moments in both worlds, whatever else is said.
  let moment = 0;
  const say = (channelId: ChannelId) => {
    moment += 1;
    channels.say(
      channelId,
      `${WORDS[moment % 5]} ${WORDS[(moment * 7) % 5]} ${moment} in ${channelId}`,
      START + moment * 1_000,
    );
  };
  for (let index = 0; index < 60; index += 1) say(OPEN[index % OPEN.length] as ChannelId);
  const discord = { ...channels.discord, ...(hasSearch && { search: searchIn(channels) }) };
  const deps = { discord, openIndex: openMessageIndex, clock, log: quiet, embedder };
  const timelines = openTimelinesAndSearch({ embedderWaitMs: 60_000, ...options }, deps);
  const answers: unknown[] = [];
  let maxBytes = 0;
  for (let listed = 0; listed < OPEN_ARCHIVES.length; ) listed = (await timelines.listArchives(OPEN_ARCHIVES)).size;
  for (const next of happenings) {
    const isClosed = next.in === "closed";
    const channelId = (isClosed ? CLOSED : OPEN)[next.channel] as ChannelId;
    if (isClosed && isQuiet) {
      if (next.do === "say") moment += next.count;
      continue;
    }
    if (next.do === "say") for (let index = 0; index < next.count; index += 1) say(channelId);
    else {
      // How long reading ahead takes is seen; what it has led to must not be.
      if (options.readsAhead && !isClosed) await until(() => hasReadAhead(timelines), "history was not read ahead");
      if (next.do === "everywhere") await timelines.listArchives(["20" as ChannelId, ...OPEN_ARCHIVES]);
      const progress: Progress[] = [];
      const answer = await ask({ timelines, onProgress: (step) => void progress.push(step) }, next, channelId);
      if (!isClosed) answers.push(answer, progress);
    }
    maxBytes = Math.max(maxBytes, timelines.stats().bytes);
  }
  const { messages: held } = timelines.stats();
  await timelines.close();
  return { answers, maxBytes, held };
}

function hasReadAhead(timelines: TimelinesAndSearch): boolean {
  const { unread, guildsRead } = timelines.stats();
  return unread === 0 && guildsRead === 1;
}

interface Asked {
  readonly timelines: TimelinesAndSearch;
  readonly onProgress: (progress: Progress) => void;
}

function ask({ timelines, onProgress }: Asked, { do: what, count }: Happening, channelId: ChannelId): Promise<unknown> {
  const word = WORDS[count % WORDS.length] ?? "";
  if (what === "read") return timelines.recent(channelId, { limit: Math.min(100, count), onProgress });
  if (what === "search") return timelines.contains(channelId, word, { limit: 10, scan: count * 5, onProgress });
  const channelIds = what === "all" ? OPEN : what === "everywhere" ? [...CLOSED, ...OPEN] : [channelId];
  const query = toQuery(parseQuery(word));
  const scan = what === "everywhere" ? count * 10 : count > 20 ? 100 : 0;
  return timelines.find({ channelIds, query, limit: 10, scan, onProgress });
}

describe("the held part of a channel", () => {
  const worlds = fc.array(happening, { minLength: 4, maxLength: 25 });

  it("does not depend on channels that the reader cannot see", async () => {
    let evicted = 0;
    await assertUntil(
      fc.asyncProperty(
        worlds,
        fc.constantFrom(40_000, 80_000, 160_000, 10_000_000),
        fc.record({ readsAhead: fc.boolean(), hasSearch: fc.boolean() }),
        async (happenings, totalBytes, how) => {
          const options = { ...how, totalBytes, backgroundIntervalMs: 0 };
          const busy = await play(happenings, false, options);
          const calm = await play(happenings, true, options);
          expect(busy.answers).toEqual(calm.answers);
          expect(busy.maxBytes).toBeLessThanOrEqual(totalBytes);
          const said = happenings.reduce((sum, next) => sum + (next.do === "say" ? next.count : 0), 60);
          if (busy.held < said / 2) evicted += 1;
        },
      ),
      // Else nothing would have been tried.
      () => expect(evicted).toBeGreaterThan(10),
      { numRuns: Number(process.env["SOAK_RUNS"] ?? 9) },
    );
  });

  it("is all of it, by default, in a community of 22,616 messages in 12 channels", async () => {
    const total = 22_616;
    const channels = new PlainChannels(START);
    const ids = Array.from({ length: 12 }, (_, index) => channels.add(String(100 + index)));
    // The busiest has two messages in five, and the others the same share of what is left.
    const shares = ids.map((_, index) => Math.floor(total * 0.4 * 0.6 ** index));
    shares[1] = (shares[1] ?? 0) + total - shares.reduce((sum, share) => sum + share, 0);
    for (const [index, channelId] of ids.entries())
      for (let count = 0; count < (shares[index] ?? 0); count += 1)
        channels.say(channelId, toProse(count + index * 7_919));
    const clock = { now: () => START + 86_400_000 };
    const deps = { discord: channels.discord, openIndex: openMessageIndex, clock, log: quiet };
    const timelines = openTimelinesAndSearch({ readsAhead: true, backgroundIntervalMs: 0 }, deps);
    await until(() => hasReadAhead(timelines), "history was not read ahead");
    const found = await timelines.find({ channelIds: ids, query: toQuery(parseQuery("sol")), limit: 10, scan: 0 });
    expect(found.coverage).toMatchObject({ scanned: total, complete: true });
    expect(timelines.stats().messages).toBe(total);
    await timelines.close();
  });
});

it("a channel of 3,600 messages among 140 channels is held whole by default", async () => {
  const channels = new PlainChannels(START);
  const [busy = "" as ChannelId] = Array.from({ length: 140 }, (_, index) => channels.add(String(100 + index)));
  for (let count = 0; count < 3_600; count += 1) channels.say(busy, toProse(count));
  const clock = { now: () => START + 86_400_000 };
  const deps = { discord: channels.discord, openIndex: openMessageIndex, clock, log: quiet };
  const timelines = openTimelinesAndSearch({ readsAhead: true, backgroundIntervalMs: 0 }, deps);
  await until(() => hasReadAhead(timelines), "history was not read ahead");
  expect(timelines.stats().messages).toBe(3_600);
  await timelines.close();
});

/** About a hundred characters of made-up words. */
function toProse(seed: number): string {
  const syllables = "ka ro mi ten sol vu par ner li dos gra fe hum til bo wex cha zan".split(" ");
  const pick = (index: number) => syllables[(seed * 31 + index * index * 17 + index * (seed % 97)) % syllables.length];
  const word = (index: number) => Array.from({ length: 1 + ((seed + index) % 3) }, (_, part) => pick(index * 5 + part));
  return Array.from({ length: 10 + (seed % 15) }, (_, index) => word(index).join("")).join(" ");
}
