import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { createIndexOpener } from "../../src/stores/sqlite/message-index.ts";
import { FailingDatabases } from "../support/failing-database.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "../support/timelines-and-search.ts";

type Step =
  | { readonly do: "say"; readonly channel: number; readonly count: number }
  | { readonly do: "edit" | "delete"; readonly channel: number; readonly which: number }
  | { readonly do: "read" | "access"; readonly channel: number }
  | { readonly do: "gap"; readonly channel: number; readonly which: number }
  | { readonly do: "guild" | "restart" | "sweep" };

/** Two channels on disk, one in memory. */
const NAMES = ["71", "72", "73"];
const ON_DISK = NAMES.slice(0, 2).map((id) => id as ChannelId);
const WORDS = ["heron", "otter", "badger"];
const START = Date.parse("2026-11-15T12:00:00.000Z");
/** The soak plays every case; the suite every few of them. */
const soakRuns = process.env["SOAK_RUNS"];
const EVERY = { call: soakRuns ? 1 : 9, size: soakRuns ? 1 : 3 };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const channel = fc.nat(NAMES.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant("say" as const), channel, count: fc.integer({ min: 1, max: 4 }) }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom("edit" as const, "delete" as const), channel, which: fc.nat(20) }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constantFrom("read" as const, "access" as const), channel }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant("gap" as const), channel, which: fc.nat(20) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constantFrom("guild" as const, "restart" as const, "sweep" as const) }), weight: 2 },
);
const fault = fc.record({
  count: fc.constantFrom(1, 4, 1_000),
  moment: fc.constantFrom("before" as const, "after" as const),
  errcode: fc.constantFrom(13, 10, 8, 5, 11),
});

/** Real timelines over a real file, and beside them what Discord holds. */
class Play {
  readonly databases = new FailingDatabases();
  readonly #truth = new PlainChannels(START);
  readonly #folder = mkdtempSync(join(tmpdir(), "earshot-disk-faults-"));
  readonly #clock = { ahead: 0, now: () => START + 86_400_000 + this.#clock.ahead };
  readonly #channels = NAMES.map((name) => this.#truth.add(name));
  #timelines: TimelinesAndSearch;
  #said = 0;

  constructor() {
    for (let index = 0; index < 30; index += 1) this.#say(index % 3);
    this.#timelines = this.#open();
  }

  async perform(next: Step): Promise<void> {
    const channelId = this.#channels["channel" in next ? next.channel : 0] as ChannelId;
    if (next.do === "say") for (let n = 0; n < next.count; n += 1) this.#say(next.channel);
    if (next.do === "edit") this.#edit(channelId, next.which);
    if (next.do === "delete") this.#truth.delete(channelId, next.which);
    if (next.do === "access") this.#truth.setReadable(channelId, !this.#truth.isReadable(channelId));
    if (next.do === "guild") this.#truth.describeGuild();
    if (next.do === "sweep") this.#clock.ahead += 61_000;
    if (next.do === "restart") await this.restart();
    if (next.do === "gap") {
      this.#truth.isDeaf = true;
      this.#truth.delete(channelId, next.which);
      this.#say(next.channel);
      this.#truth.isDeaf = false;
      this.#truth.miss(this.#clock.now());
    }
    await this.check(channelId, "right or unavailable");
  }

  async restart(): Promise<void> {
    await this.#timelines.close();
    try {
      this.#timelines = this.#open();
    } catch (error) {
      // Somebody has to put the file system right first.
      expect(error).toMatchObject({ code: "misconfigured" });
      this.databases.heal();
      this.#timelines = this.#open();
    }
  }

  /** As time goes by after the fault is gone. */
  async recover(): Promise<void> {
    this.databases.heal();
    this.#clock.ahead += 600_000;
    for (const channelId of this.#channels) await this.check(channelId, "right");
    await this.restart();
    for (const channelId of this.#channels) await this.check(channelId, "right");
  }

  async check(channelId: ChannelId, expected: "right" | "right or unavailable"): Promise<void> {
    const all = [...this.#truth.messages(channelId)].reverse();
    const mayFail = expected === "right or unavailable" && ON_DISK.includes(channelId);
    const compare = async (read: () => Promise<unknown>, wanted: unknown) => {
      try {
        expect(await read()).toEqual(wanted);
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        const isLost = !this.#truth.isReadable(channelId) && error.code === "not_found";
        if (!isLost && !(mayFail && error.code === "unavailable")) throw error;
      }
    };
    const timelines = this.#timelines;
    const query = toQuery(parseQuery("heron"));
    const herons = all.filter(({ content }) => content.includes("heron"));
    await compare(async () => (await timelines.recent(channelId, { limit: 7 })).messages, all.slice(0, 7));
    for (const word of WORDS) {
      const found = all.filter(({ content }) => content.includes(word));
      const search = () => timelines.contains(channelId, word, { limit: 100, scan: 1_000 });
      await compare(async () => (await search()).messages, found);
    }
    const [, second] = all;
    if (second) await compare(() => timelines.message(channelId, second.message_id), second);
    if (!this.#truth.isReadable(channelId)) return;
    await compare(async () => {
      const { hits } = await timelines.find({ channelIds: [channelId], query, limit: 100, scan: 1_000 });
      return hits.map(({ message }) => message).sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? 1 : -1));
    }, herons);
  }

  /** Stops, changes the file, and starts again. */
  async damage(change: (file: string) => void): Promise<void> {
    for (const channelId of this.#channels) await this.check(channelId, "right");
    await this.#timelines.close();
    change(join(this.#folder, "messages.db"));
    this.#timelines = this.#open();
    for (const channelId of this.#channels) await this.check(channelId, "right");
    await this.perform({ do: "say", channel: 0, count: 1 });
    await this.recover();
  }

  async close(): Promise<void> {
    await this.#timelines.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(): TimelinesAndSearch {
    const disk = { folder: this.#folder, channels: ON_DISK, retentionDays: 1_000 };
    const openIndex = createIndexOpener(this.databases.connect);
    return openTimelinesAndSearch(
      { disk },
      { discord: this.#truth.discord, openIndex, clock: this.#clock, log: quiet },
    );
  }

  /** A message keeps its word when it is edited, so that what is searched for does not change unheard. */
  #say(which: number): void {
    this.#said += 1;
    this.#truth.say(
      NAMES[which] as ChannelId,
      `${WORDS[this.#said % 3]} ${this.#said} of ${NAMES[which]} ${"lorem ".repeat(60)}`,
    );
  }

  #edit(channelId: ChannelId, which: number): void {
    const all = this.#truth.messages(channelId);
    const old = all[which % Math.max(1, all.length)];
    if (old) this.#truth.edit(channelId, which, `${old.content} edited`);
  }
}

/** Breaks it, plays the script, and looks whether everything is right again afterwards. */
async function play(script: readonly Step[], breakIt: (databases: FailingDatabases) => void): Promise<number> {
  const story = new Play();
  try {
    breakIt(story.databases);
    for (const next of script) await story.perform(next);
    const { calls } = story.databases;
    await story.recover();
    return calls;
  } finally {
    await story.close();
  }
}

/** Touches every kind of write. */
const EVERYTHING: readonly Step[] = [
  { do: "read", channel: 0 },
  { do: "say", channel: 1, count: 2 },
  { do: "edit", channel: 0, which: 3 },
  { do: "access", channel: 1 },
  { do: "access", channel: 1 },
  { do: "gap", channel: 0, which: 5 },
  { do: "say", channel: 1, count: 1 },
  { do: "restart" },
  { do: "delete", channel: 0, which: 1 },
];

describe("timelines with a failing disk", () => {
  it("answer correctly or with `unavailable`, whichever call fails and however, and recover", async () => {
    const cases = fc.tuple(
      fc.array(step, { minLength: 4, maxLength: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fault,
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([script, at, options]) => {
        const calls = await play(script, () => {});
        await play(script, (databases) => databases.failAt(databases.calls + Math.ceil(at * calls), options));
      }),
      { numRuns: Number(soakRuns ?? 10) },
    );
  });

  it("answer correctly or with `unavailable` when a call fails anywhere in a run with every kind of write", async () => {
    let before = 0;
    const calls = await play(EVERYTHING, (databases) => {
      before = databases.calls;
    });
    for (let call = before + 1; call <= calls; call += EVERY.call)
      await play(EVERYTHING, (databases) => databases.failAt(call, { moment: call % 2 === 0 ? "before" : "after" }));
  });

  it("answer correctly or with `unavailable` when SQLite finds the disk full, at every size", async () => {
    for (let pages = 12; pages < 60; pages += EVERY.size)
      await play(EVERYTHING, (databases) => databases.limitPages(pages));
  });
});

describe("timelines with a damaged file", () => {
  const damages: Record<string, (file: string) => void> = {
    "is not a database": (file) => writeFileSync(file, "no database at all ".repeat(500)),
    "is cut short": (file) => truncateSync(file, 5_000),
    "is empty": (file) => truncateSync(file, 0),
    "is gone": (file) => rmSync(file),
    "has changed bytes": (file) => {
      const bytes = readFileSync(file);
      for (let at = 100; at < bytes.length; at += 331) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      writeFileSync(file, bytes);
    },
    "is of the version before": (file) => change(file, "UPDATE meta SET version = '1/' || substr(version, 3)"),
    "holds messages of one channel under another": (file) =>
      change(file, "UPDATE message SET place = 2 WHERE place = 1"),
    "holds messages of a channel that it does not know": (file) => change(file, "DELETE FROM place WHERE n = 1"),
  };

  it.each(Object.keys(damages))("start and answer correctly when the file %s", async (name) => {
    for (const wasKilled of [false, true]) {
      const story = new Play();
      try {
        await story.damage((file) => {
          if (wasKilled) rmSync(`${file}.digest`);
          damages[name]?.(file);
        });
      } finally {
        await story.close();
      }
    }
  });

  it("start and answer correctly whichever bytes of the file have changed", async () => {
    const flips = fc.array(
      fc.tuple(fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.integer({ min: 1, max: 255 })),
      {
        minLength: 1,
        maxLength: 10,
      },
    );
    await fc.assert(
      fc.asyncProperty(flips, async (changes) => {
        const story = new Play();
        try {
          await story.damage((file) => {
            const bytes = readFileSync(file);
            for (const [where, by] of changes) {
              const at = Math.floor(where * bytes.length);
              bytes[at] = (bytes[at] ?? 0) ^ by;
            }
            writeFileSync(file, bytes);
          });
        } finally {
          await story.close();
        }
      }),
      { numRuns: Number(soakRuns ?? 8) },
    );
  });
});

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
