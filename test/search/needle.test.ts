import { randomUUID } from "node:crypto";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Community, generateCommunity, type PostPlan } from "../../sandbox/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { ToolCall } from "../../src/gate/call/tool-call.ts";
import { createCore } from "../../src/gate/create-core.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Progress, TimelineStats } from "../../src/ports/timelines.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import type { TimelineOptions } from "../../src/timeline/options.ts";
import { tools } from "../../src/tools/index.ts";
import { openTestAudit } from "../support/audit.ts";
import { createTestConsent } from "../support/consent.ts";
import { openTestEdge, until } from "../support/edge.ts";
import { toRules } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openTimelinesAndSearch } from "../support/timelines-and-search.ts";

const CHANNELS = 500;
const DAYS = 90;
const NEEDLE = "the halyardmoth sleeps under the third pile";
const SECRET = "the halyardmoth is what the staff call the new boat";
/** Open to all, and the one in which the most is said. */
const BUSIEST = "c0";
/** For the staff alone: p0 is of them, p1 is not. */
const HIDDEN = "c7";
const ELSEWHERE = "c2";
/** With how many requests archives are listed for the first search: of 10 channels, public threads and private ones. */
const ARCHIVES = 20;

/** As it looks to the one who asks, whichever tool it was. */
interface Found {
  readonly hits: readonly { readonly message: { readonly content: string } }[];
  readonly coverage: { readonly scanned: number; readonly complete: boolean };
  readonly older: string;
}

interface Asked extends Pick<ToolCall, "signal" | "onProgress"> {
  readonly as?: string;
  readonly isPrivate?: boolean;
}

/** Much was said in many channels, and before all of it one thing that is looked for. */
function community(): Community {
  const plan = generateCommunity({ seed: 3, messages: 8_000, channels: CHANNELS, people: 60, days: DAYS });
  const oldest = { minutesAgo: (DAYS + 1) * 1_440, by: "p0" };
  function* posts(): Generator<PostPlan> {
    yield { ...oldest, in: BUSIEST, text: NEEDLE };
    yield { ...oldest, in: HIDDEN, text: SECRET };
    yield* plan.posts;
    for (let day = 1; day <= 60; day += 1)
      yield {
        minutesAgo: 0,
        in: ELSEWHERE,
        by: "p1",
        text: `Pile ${day} was painted again after the storm, and the harbour office wants to see the bill before Friday.`,
      };
  }
  return { ...plan, posts: { [Symbol.iterator]: posts } };
}

async function arrive(bounds: Partial<TimelineOptions> = {}) {
  const requests: string[] = [];
  const watchers: (() => void)[] = [];
  const sandbox = await openTestSandbox({
    community: community(),
    rateLimits: false,
    onResponse({ path }) {
      requests.push(path);
      for (const watch of watchers) watch();
    },
  });
  const { discord } = await openTestEdge(sandbox);
  await until(() => discord.directory.guilds().every((guild) => guild.membersComplete), "not all members were told of");
  const clock = { now: () => Date.now() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const timelines = openTimelinesAndSearch(bounds, { discord, openIndex: openMessageIndex, clock, log });
  onTestFinished(() => timelines.close());
  const { audit } = await openTestAudit();
  const core = createCore({
    consent: createTestConsent(),
    tools,
    discord,
    timelines,
    search: timelines,
    rules: toRules(),
    audit,
    clock,
    mintId: randomUUID,
  });
  const id = (key: string) => (sandbox.community.channels.get(key) ?? key) as ChannelId;
  return {
    sandbox,
    timelines,
    id,
    /** Paths of what Discord was asked for, as it was answered. */
    requests,
    onRequest: (watch: () => void) => void watchers.push(watch),
    sizeOf: (key: string) => [...(sandbox.world.channels.get(id(key))?.messages ?? [])].length,
    refuseSearch: () =>
      sandbox.faults.failRest({ match: "/messages/search", status: 501, times: Number.POSITIVE_INFINITY }),
    async ask(name: string, args: object, { as = "p1", isPrivate = true, ...more }: Asked = {}) {
      const request = { actor: sandbox.as(as).id as UserId, channelId: id(ELSEWHERE), isPrivate };
      const operation = await core.operations.open({ name: "test", grant: OPERATOR_GRANT }, request);
      const before = requests.length;
      const { value, text } = await core.gate.callTool({ name, args, operation, wantsText: true, ...more });
      return { ...(value as Found), text: text ?? "", calls: requests.length - before };
    },
  };
}

const contents = ({ hits }: Found) => hits.map(({ message }) => message.content);

describe("one old message among many in many channels", () => {
  it("is found by Discord's own search, with as few requests as the scan limit allows", async () => {
    const { ask } = await arrive();
    const first = await ask("search_messages", { query: "halyardmoth" });
    expect(contents(first)).toContain(NEEDLE);
    expect(first.text).toContain(NEEDLE);
    expect(first).toMatchObject({ older: "searched", coverage: { complete: false } });
    // Of 1,000 messages that may be looked at, a page counts for 20 at least. The archives of 10 channels are listed once.
    expect(first.calls).toBeLessThanOrEqual(50);
    const again = await ask("search_messages", { query: "halyardmoth" });
    expect(contents(again)).toContain(NEEDLE);
    expect(again.calls).toBeLessThanOrEqual(4);
    const straight = await ask("search_messages", { query: "halyardmoth", scan: 0 });
    expect(contents(straight)).toContain(NEEDLE);
    expect(straight.calls).toBeLessThanOrEqual(4);
  });

  it("is found page by page on a server without search, with complete coverage", async () => {
    const { ask, refuseSearch, id, sizeOf, requests } = await arrive();
    refuseSearch();
    const progress: Progress[] = [];
    const args = { query: "halyardmoth", channel: id(BUSIEST), scan: 100_000 };
    const found = await ask("search_channel_messages", args, { onProgress: (each) => void progress.push(each) });
    const size = sizeOf(BUSIEST);
    expect(contents(found)).toEqual([NEEDLE]);
    expect(found).toMatchObject({ older: "not_needed", coverage: { scanned: size, complete: true } });
    const pages = Math.floor(size / 100) + 1;
    // And two for the channel's archive.
    expect(found.calls).toBe(pages + 2);
    expect(requests.filter((path) => path.endsWith("/search"))).toEqual([]);
    const scanned = progress.map((each) => each.scanned);
    expect(scanned).toHaveLength(pages);
    expect(scanned).toEqual([...new Set(scanned)].toSorted((a, b) => a - b));
    expect(scanned.at(-1)).toBe(size);
  });

  it("is not reported as absent where older history could not be searched", async () => {
    const { ask, refuseSearch } = await arrive();
    refuseSearch();
    const nothing = await ask("search_messages", { query: "halyardmoth" });
    expect(nothing).toMatchObject({ hits: [], older: "unavailable", coverage: { complete: false } });
    expect(nothing.text).toContain("Older history could not be searched;");
  });

  it("is returned within the token limit of the answer", async () => {
    const { ask } = await arrive();
    for (const room of [200, 400, 1_000]) {
      const { text } = await ask("search_messages", {
        query: "who pays the storm's bill?",
        limit: 50,
        max_tokens: room,
      });
      expect(text).toContain("was painted again after the storm");
      expect(encode(text).length).toBeLessThanOrEqual(room);
      expect(encode(text).length).toBeGreaterThan(room / 2);
    }
    expect((await ask("search_messages", { query: "halyardmoth", max_tokens: 200 })).text).toContain(NEEDLE);
  });
});

describe("a long search that is cancelled", () => {
  it("makes no more requests to Discord, in one channel", async () => {
    const { ask, id, requests } = await arrive();
    const controller = new AbortController();
    let atThatTime = 0;
    const onProgress = ({ scanned }: Progress) => {
      if (scanned !== 300) return;
      atThatTime = requests.length;
      controller.abort();
    };
    const args = { query: "halyardmoth", channel: id(BUSIEST), scan: 100_000 };
    const search = ask("search_channel_messages", args, { signal: controller.signal, onProgress });
    await expect(search).rejects.toMatchObject({ code: "cancelled" });
    expect(atThatTime).toBeGreaterThan(0);
    // Meanwhile it would have gone on.
    await ask("search_channel_messages", { query: "tide", channel: id("c1"), scan: 2_000 });
    expect(requests.slice(atThatTime).filter((path) => path.includes(id(BUSIEST)))).toEqual([]);
  });

  it("makes no more requests to Discord, in all channels, and has reported progress before", async () => {
    const { ask, requests, onRequest, refuseSearch, id } = await arrive();
    refuseSearch();
    const controller = new AbortController();
    const before = requests.length;
    const told: number[] = [];
    onRequest(() => {
      if (requests.length === before + ARCHIVES + 70) controller.abort();
    });
    const search = ask(
      "search_messages",
      { query: "halyardmoth", scan: 100_000 },
      { signal: controller.signal, onProgress: () => void told.push(requests.length - before) },
    );
    await expect(search).rejects.toMatchObject({ code: "cancelled" });
    expect(told).toEqual([ARCHIVES + 50]);
    await ask("search_channel_messages", { query: "tide", channel: id("c1"), scan: 2_000 });
    // What had left by then is answered all the same.
    const others = requests.slice(before).filter((path) => !path.includes(id("c1")));
    expect(others.length).toBeLessThanOrEqual(ARCHIVES + 100);
  });
});

it.each([
  { most: 400, totalBytes: 128_000_000 },
  { most: 100_000, totalBytes: 50_000_000 },
])(
  "a search holds at most $most messages of a long channel and its share of $totalBytes bytes, and finds messages that it cannot hold",
  async ({ most, totalBytes }) => {
    const { ask, timelines, onRequest, id, sizeOf } = await arrive({ messagesPerChannel: most, totalBytes });
    const seen: TimelineStats[] = [];
    onRequest(() => void seen.push(timelines.stats()));
    const found = await ask(
      "search_channel_messages",
      { query: "halyardmoth", channel: id(BUSIEST), scan: 100_000 },
      { onProgress: () => void seen.push(timelines.stats()) },
    );
    seen.push(timelines.stats());
    expect(contents(found)).toEqual([NEEDLE]);
    expect(found.coverage).toMatchObject({ complete: true, scanned: sizeOf(BUSIEST) });
    expect(Math.max(...seen.map(({ bytes }) => bytes))).toBeLessThanOrEqual(totalBytes / CHANNELS);
    expect(Math.max(...seen.map(({ messages }) => messages))).toBeLessThanOrEqual(most);
    expect(seen.at(-1)?.messages).toBeGreaterThan(0);
    expect(seen.at(-1)?.messages).toBeLessThan(sizeOf(BUSIEST));
  },
);

it("search never returns messages of a channel that the actor or the audience of the answer may not enter", async () => {
  const { ask, id, refuseSearch } = await arrive();
  const query = { query: "halyardmoth boat staff" };
  expect(contents(await ask("search_messages", query, { as: "p0" }))).toContain(SECRET);
  for (const [as, isPrivate] of [
    ["p1", true],
    ["p1", false],
    ["p0", false],
  ] as const) {
    const found = await ask("search_messages", query, { as, isPrivate });
    expect(contents(found)).toContain(NEEDLE);
    expect(found.text).not.toContain("call the new boat");
    const inside = ask("search_channel_messages", { ...query, channel: id(HIDDEN) }, { as, isPrivate });
    await expect(inside).rejects.toMatchObject({ code: "not_found" });
  }
  refuseSearch();
  const own = { ...query, channel: id(HIDDEN), scan: 10_000 };
  expect(contents(await ask("search_channel_messages", own, { as: "p0" }))).toContain(SECRET);
});
