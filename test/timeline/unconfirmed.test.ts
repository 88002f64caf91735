import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { PlainChannels } from "../support/plain-channels.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "../support/timelines-and-search.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const which = fc.nat(50);
const change = fc.oneof(
  fc.record({ do: fc.constant("say" as const) }),
  fc.record({ do: fc.constantFrom("edit" as const, "delete" as const), which }),
);
const restart = fc.record({
  do: fc.constant("restart" as const),
  how: fc.constantFrom("closed" as const, "killed" as const),
  meanwhile: fc.array(change, { maxLength: 3 }),
  hours: fc.nat(30),
  tellsGap: fc.boolean(),
});
const step = fc.oneof(
  { weight: 4, arbitrary: change },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 13 }) }) },
  { weight: 2, arbitrary: restart },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("read" as const, "deafen" as const, "gap" as const, "guild" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("switch" as const), isDown: fc.boolean() }) },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Counts how often something that matters was met. */
const met = { erasedInTime: 0, keptInTime: 0 };

/** Real timelines over a real file. Beside them: which texts are gone from Discord since when, and which were certain when. */
class Play {
  readonly #truth = new PlainChannels(START);
  readonly #general = this.#truth.add("10");
  readonly #other = this.#truth.add("11");
  readonly #clock = { at: START + DAY, now: () => this.#clock.at };
  readonly #folders: string[] = [];
  readonly #opened: TimelinesAndSearch[] = [];
  /** Texts that were deleted or replaced on Discord, and when. */
  readonly #goneAt = new Map<string, number>();
  /** When each text was last known to stand there; those that events keep current are known up to now. */
  readonly #certainAt = new Map<string, number>();
  #current = new Set<string>();
  #deafSince: number | null = null;
  #isDown = false;
  #said = 0;
  #timelines: TimelinesAndSearch;

  constructor() {
    this.#folders.push(mkdtempSync(join(tmpdir(), "earshot-unconfirmed-")));
    this.#timelines = this.#open();
  }

  async perform(next: Step): Promise<void> {
    if (next.do === "say" || next.do === "edit" || next.do === "delete") this.#change(next, this.#deafSince === null);
    if (next.do === "wait") this.#pass(next.hours * HOUR);
    if (next.do === "switch") this.#isDown = next.isDown;
    if (next.do === "read") await this.#read();
    if (next.do === "deafen") this.#deafen();
    if (next.do === "gap") this.#endDeafness();
    if (next.do === "guild" && this.#deafSince === null) {
      this.#truth.describeGuild();
      this.#current.clear();
    }
    if (next.do === "restart") await this.#restart(next);
    await this.#sweep();
    this.#check();
  }

  async close(): Promise<void> {
    for (const timelines of this.#opened) await timelines.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true });
  }

  #check(): void {
    const folder = this.#folders.at(-1) ?? "";
    const onDisk = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
    for (const [text, at] of this.#goneAt) {
      if (this.#clock.at - at < DAY + MINUTE) continue;
      met.erasedInTime += 1;
      expect(onDisk, `${text} is gone from Discord for more than a day`).not.toContain(text);
    }
    for (const { content } of this.#truth.messages(this.#general)) {
      const certainAt = this.#certainAt.get(content);
      // A process that was killed has noted within the last minute what it heard.
      if (certainAt === undefined || this.#clock.at - certainAt > DAY - 2 * MINUTE) continue;
      met.keptInTime += 1;
      expect(onDisk, `${content} was certain less than a day ago`).toContain(content);
    }
  }

  #change(next: Change, isHeard: boolean): void {
    this.#said += 1;
    const text = `text-${this.#said}-end`;
    const all = this.#truth.messages(this.#general);
    const old = "which" in next ? all[next.which % Math.max(1, all.length)]?.content : undefined;
    if (old !== undefined) {
      this.#goneAt.set(old, this.#clock.at);
      this.#certainAt.delete(old);
    }
    // An edit is heard as the text that stands there now; but it confirms nothing where the message itself is unconfirmed.
    const isCertain = isHeard && (next.do === "say" || (old !== undefined && this.#current.has(old)));
    this.#current.delete(old ?? "");
    if (next.do === "say") this.#truth.say(this.#general, text, this.#clock.at + this.#said);
    else if (next.do === "edit") this.#truth.edit(this.#general, next.which, text);
    else this.#truth.delete(this.#general, next.which);
    if (next.do === "delete" || !isCertain) return;
    this.#current.add(text);
    this.#certainAt.set(text, this.#clock.at);
  }

  /** Time goes by, and what events keep current stays certain. */
  #pass(ms: number): void {
    this.#clock.at += ms;
    if (this.#deafSince === null) for (const text of this.#current) this.#certainAt.set(text, this.#clock.at);
  }

  #deafen(): void {
    this.#deafSince ??= this.#clock.at;
    this.#truth.isDeaf = true;
    this.#truth.lastHeardAt = this.#deafSince;
  }

  #endDeafness(): void {
    if (this.#deafSince === null) return;
    const since = this.#deafSince;
    this.#listen();
    this.#truth.miss(since);
    this.#current.clear();
  }

  #listen(): void {
    this.#deafSince = null;
    this.#truth.isDeaf = false;
    this.#truth.lastHeardAt = Number.POSITIVE_INFINITY;
  }

  /** All of it fits on one page. */
  async #read(): Promise<void> {
    if (this.#deafSince !== null) return;
    const read = this.#timelines.recent(this.#general, { limit: 100 });
    const isRead = await read.then(
      () => true,
      () => false,
    );
    expect(isRead || this.#isDown).toBe(true);
    if (this.#isDown) return;
    for (const { content } of this.#truth.messages(this.#general)) {
      this.#current.add(content);
      this.#certainAt.set(content, this.#clock.at);
    }
  }

  async #restart({ how, meanwhile, hours, tellsGap }: Extract<Step, { do: "restart" }>): Promise<void> {
    const endedAt = this.#deafSince ?? this.#clock.at;
    if (how === "killed") {
      const folder = mkdtempSync(join(tmpdir(), "earshot-unconfirmed-"));
      cpSync(this.#folders.at(-1) ?? "", folder, { recursive: true });
      this.#folders.push(folder);
    }
    await this.#timelines.close();
    this.#current.clear();
    this.#deafen();
    for (const each of meanwhile) this.#change(each, false);
    this.#pass(hours * HOUR);
    this.#listen();
    this.#timelines = this.#open();
    if (tellsGap) this.#truth.miss(endedAt);
  }

  /** Any read brings it about. */
  async #sweep(): Promise<void> {
    this.#pass(MINUTE);
    await this.#timelines.recent(this.#other, { limit: 1 }).catch(() => {});
  }

  #open(): TimelinesAndSearch {
    const disk = { folder: this.#folders.at(-1) ?? "", channels: [this.#general], retentionDays: 1_000 };
    const { discord } = this.#truth;
    const history: typeof discord.history = (...request) => {
      if (this.#isDown) throw new EarshotError("unavailable", "Discord is down.");
      return discord.history(...request);
    };
    // Without the background, which would confirm things at moments that nobody can foretell.
    const timelines = openTimelinesAndSearch(
      { disk, backgroundIntervalMs: 2 ** 31 - 1 },
      { discord: { ...discord, history }, openIndex: openMessageIndex, clock: this.#clock, log: quiet },
    );
    this.#opened.push(timelines);
    return timelines;
  }
}

describe("messages on disk, whatever is missed and however often the process restarts,", () => {
  it("are erased within a day of their deletion on Discord, and kept for a day after they were last confirmed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const play = new Play();
        try {
          for (const next of steps) await play.perform(next);
        } finally {
          await play.close();
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
    expect(met.erasedInTime).toBeGreaterThan(50);
    expect(met.keptInTime).toBeGreaterThan(50);
  });
});
