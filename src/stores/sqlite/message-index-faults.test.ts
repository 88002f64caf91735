import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FailingDatabases } from "../../../test/support/failing-database.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId } from "../../domain/ids.ts";
import { NEWEST, OLDEST } from "../../domain/intervals.ts";
import type { Message } from "../../domain/message.ts";
import { toKeywords } from "../../domain/search/keywords.ts";
import type { HeldInterval, MessageIndex } from "../../ports/message-index.ts";
import { ALL, say, search } from "../message-index.suite.ts";
import { createIndexOpener, openMessageIndex } from "./message-index.ts";

type Step =
  | { readonly do: "put"; readonly channel: number; readonly ids: readonly number[]; readonly word: string }
  | { readonly do: "remove"; readonly channel: number; readonly ids: readonly number[] }
  | { readonly do: "cover"; readonly channel: number; readonly from: number; readonly since: number | null }
  | { readonly do: "hear"; readonly at: number }
  | { readonly do: "forget"; readonly channel: number }
  | { readonly do: "tidy" };

const CHANNELS = ["71", "72", "73"].map((id) => id as ChannelId);
const WORDS = ["heron", "otter", "badger"];
const channel = fc.nat(CHANNELS.length - 1);
const ids = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 4 });
const since = fc.option(fc.maxSafeNat());
const steps = fc.array(
  fc.oneof(
    { arbitrary: fc.record({ do: fc.constant("put"), channel, ids, word: fc.constantFrom(...WORDS) }), weight: 5 },
    { arbitrary: fc.record({ do: fc.constant("remove"), channel, ids }), weight: 2 },
    { arbitrary: fc.record({ do: fc.constant("cover"), channel, from: fc.nat(30), since }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant("hear"), at: fc.maxSafeNat() }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant("forget"), channel }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant("tidy") }), weight: 1 },
  ),
  { minLength: 3, maxLength: 10 },
) as fc.Arbitrary<Step[]>;
const faults = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  moment: fc.constantFrom("before" as const, "after" as const),
  errcode: fc.constantFrom(13, 10, 8, 5, 11, 778),
  count: fc.constantFrom(1, 2, 50),
});

/** The expected content: by channel, each message's text and the complete interval; and the time up to which events were received. */
interface Model {
  readonly channels: Map<ChannelId, { messages: Map<string, string>; complete: HeldInterval[]; wasUsed: boolean }>;
  heardAt: number | null;
}
const EMPTY: Model = { channels: new Map(), heardAt: null };

const interval = (from: number, since: number | null) => ({ from: BigInt(from), to: NEWEST, unconfirmedSince: since });
/** Ids are unique across channels, as Discord's are. */
const idIn = (which: number, id: number) => String(id * CHANNELS.length + which + 1) as MessageId;

function perform(index: MessageIndex, step: Step): void {
  const channelId = CHANNELS["channel" in step ? step.channel : 0] as ChannelId;
  const all = "ids" in step ? step.ids.map((id) => idIn(step.channel, id)) : [];
  if (step.do === "tidy") index.tidy();
  if (step.do === "forget") index.forget(channelId);
  if (step.do === "hear") index.noteHeard(step.at);
  if (step.do === "cover") index.write(channelId, { complete: [interval(step.from, step.since)] });
  if (step.do === "remove") index.write(channelId, { remove: all });
  if (step.do !== "put") return;
  // Long enough that a few messages need pages of their own.
  index.write(channelId, {
    put: all.map((id) => say(id, `${step.word} ${id} ${"lorem ".repeat(150)}`, channelId)),
  });
}

function imagine({ channels, heardAt }: Model, step: Step): Model {
  const next = new Map([...channels].map(([id, held]) => [id, { ...held, messages: new Map(held.messages) }]));
  if (step.do === "hear" || step.do === "tidy") return { channels: next, heardAt: "at" in step ? step.at : heardAt };
  const channelId = CHANNELS[step.channel] as ChannelId;
  const held = next.get(channelId) ?? { messages: new Map<string, string>(), complete: [], wasUsed: false };
  next.set(channelId, held);
  if (step.do === "put") held.wasUsed = true;
  if (step.do === "forget") next.delete(channelId);
  else if (step.do === "cover") held.complete = [interval(step.from, step.since)];
  else
    for (const id of step.ids.map((each) => idIn(step.channel, each)))
      if (step.do === "remove") held.messages.delete(id);
      else held.messages.set(id, step.word);
  return { channels: next, heardAt };
}

/** Everything that can be read, through every way of reading. */
function readAll(index: MessageIndex): unknown {
  const everyId = CHANNELS.flatMap((_, which) => Array.from({ length: 31 }, (__, id) => idIn(which, id)));
  const wordOf = ({ content, message_id }: Message) => `${message_id} ${content.split(" ")[0]}`;
  const channels = CHANNELS.map((channelId) => ({
    complete: index.held().find((held) => held.channelId === channelId)?.complete ?? [],
    got: index.get(channelId, everyId).map(wordOf).sort(),
    found: WORDS.map((word) => search(index, word, ALL, channelId).map(wordOf).sort()),
  }));
  return { channels, heardAt: index.heardAt() };
}

function expectAll(model: Model): unknown {
  const channels = CHANNELS.map((channelId) => {
    const held = model.channels.get(channelId);
    const all = [...(held?.messages ?? [])].map(([id, word]) => `${id} ${word}`).sort();
    const found = WORDS.map((word) => all.filter((each) => each.endsWith(word)));
    // A channel without messages is listed nowhere.
    return { complete: held?.wasUsed ? held.complete : [], got: all, found };
  });
  return { channels, heardAt: model.heardAt };
}

function withFolder<Result>(work: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "earshot-faults-"));
  try {
    return work(join(folder, "messages.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof EarshotError && error.code === "unavailable";
}

/** Plays the steps until the index fails; returns the expected content before and after the failed step. */
function play(index: MessageIndex, script: readonly Step[]): { before: Model; after: Model } {
  let before = EMPTY;
  for (const step of script) {
    const after = imagine(before, step);
    try {
      perform(index, step);
      expect(readAll(index)).toEqual(expectAll(after));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      expect(index.failure).not.toBeNull();
      return { before, after };
    }
    before = after;
  }
  return { before, after: before };
}

/** Whatever failed, the file contains the last step completely or not at all, or reports that it is unusable. */
function checkFile(file: string, { before, after }: { before: Model; after: Model }): void {
  try {
    const again = openMessageIndex(file);
    try {
      expect([expectAll(before), expectAll(after)]).toContainEqual(readAll(again));
    } finally {
      again.close();
    }
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  const fresh = openMessageIndex(file, { startEmpty: true });
  expect(readAll(fresh)).toEqual(expectAll(EMPTY));
  fresh.close();
}

describe("a message index with a failing database", () => {
  it("has exactly the expected content or becomes permanently unavailable, whichever call fails", () => {
    fc.assert(
      fc.property(steps, faults, (script, { at, ...fault }) => {
        const calls = withFolder((file) => {
          const counting = new FailingDatabases();
          const index = createIndexOpener(counting.connect)(file);
          const opened = counting.calls;
          play(index, script);
          index.close();
          return { opened, all: counting.calls };
        });
        withFolder((file) => {
          const databases = new FailingDatabases();
          const index = createIndexOpener(databases.connect)(file);
          databases.failAt(calls.opened + 1 + Math.floor(at * (calls.all - calls.opened)), fault);
          const models = play(index, script);
          if (index.failure !== null) {
            expect(() => readAll(index)).toThrow(expect.objectContaining({ code: "unavailable" }));
            expect(() => index.forget(CHANNELS[0] as ChannelId)).toThrow();
            expect(() => index.tidy()).toThrow(expect.objectContaining({ code: "unavailable" }));
            expect(() => index.held()).toThrow(expect.objectContaining({ code: "unavailable" }));
          }
          index.close();
          checkFile(file, models);
        });
      }),
      { numRuns: 25 },
    );
  });

  it("has exactly the expected content or becomes unavailable when the disk is full, at any size", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 12, max: 40 }), (script, pages) => {
        withFolder((file) => {
          const databases = new FailingDatabases();
          const index = createIndexOpener(databases.connect)(file);
          databases.limitPages(pages);
          const models = play(index, script);
          index.close();
          checkFile(file, models);
        });
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ["belongs to another channel", "UPDATE message SET place = 2 WHERE place = 1"],
    ["is missing", "DELETE FROM message WHERE place = 1"],
  ])("closes itself when a message indexed for a channel %s", (_, damage) => {
    withFolder((file) => {
      const [mine, other] = CHANNELS as [ChannelId, ChannelId];
      const databases: DatabaseSync[] = [];
      const index = createIndexOpener((file) => {
        const database = new DatabaseSync(file);
        databases.push(database);
        return database;
      })(file);
      index.write(mine, { put: [say(1, "heron", mine)] });
      index.write(other, { put: [say(2, "heron", other)] });
      const look = () => index.candidates(mine, toKeywords("heron"), { from: OLDEST, to: NEWEST, limit: 9 });
      expect(look()).toEqual(["1"]);
      databases.at(-1)?.exec(damage);
      expect(look).toThrow(expect.objectContaining({ code: "unavailable" }));
      expect(index.failure).toBe("a message is entered under another place");
      index.close();
    });
  });

  it("is not damaged by an invalid write", () => {
    withFolder((file) => {
      const index = openMessageIndex(file);
      const [mine, other] = CHANNELS as [ChannelId, ChannelId];
      index.write(mine, { put: [say(1, "heron", mine)] });
      const stolen = say(1, "otter", other);
      expect(() => index.write(other, { put: [say(2, "otter", other), stolen] })).toThrow(
        expect.objectContaining({ code: "invalid" }),
      );
      expect(index.failure).toBeNull();
      expect(index.get(mine, ["1" as MessageId])).toHaveLength(1);
      expect(index.get(other, ["2" as MessageId])).toEqual([]);
      index.close();
    });
  });

  it("leaves no byte of a deleted message behind when emptying the write-ahead log failed", () => {
    withFolder((file) => {
      const databases = new FailingDatabases();
      const index = createIndexOpener(databases.connect)(file);
      const [mine] = CHANNELS as [ChannelId];
      index.write(mine, {
        put: [say(1, "qqzjxk wvdeleted", mine), say(2, "stays", mine)],
      });
      const onDisk = () =>
        readdirSync(join(file, ".."))
          .map((name) => readFileSync(join(file, "..", name), "latin1"))
          .join("");
      let failed = 0;
      for (let call = 1; call < 30 && failed === 0; call += 1) {
        databases.failAt(databases.calls + call);
        try {
          index.write(mine, { remove: ["1" as MessageId] });
          index.write(mine, { put: [say(1, "qqzjxk wvdeleted", mine)] });
        } catch {
          failed = call;
        }
      }
      expect(failed).toBeGreaterThan(0);
      databases.heal();
      const again = openMessageIndex(file);
      if (again.get(mine, ["1" as MessageId]).length > 0) again.write(mine, { remove: ["1" as MessageId] });
      expect(onDisk()).not.toContain("wvdeleted");
      again.close();
    });
  });
});

describe("a message index file that was damaged while closed", () => {
  function fill(file: string): unknown {
    const index = openMessageIndex(file);
    for (const [which, channelId] of CHANNELS.entries())
      index.write(channelId, {
        put: Array.from({ length: 20 }, (_, id) =>
          say(idIn(which, id), `${WORDS[id % 3]} ${id} ${"lorem ".repeat(40)}`, channelId),
        ),
        complete: [{ from: 1n, to: NEWEST, unconfirmedSince: null }],
      });
    const all = readAll(index);
    index.close();
    return all;
  }

  it("is opened with its original content or not at all, whatever bytes were changed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        (flips, cut) => {
          withFolder((file) => {
            const all = fill(file);
            const original = readFileSync(file);
            const bytes = Buffer.from(original);
            for (const [where, by] of flips) {
              const at = Math.floor(where * bytes.length);
              bytes[at] = (bytes[at] ?? 0) ^ by;
            }
            writeFileSync(file, bytes);
            if (cut !== null) truncateSync(file, Math.floor(cut * bytes.length));
            const isSame = readFileSync(file).equals(original);
            // Two changes may undo each other.
            if (isSame) {
              const again = openMessageIndex(file);
              expect(readAll(again)).toEqual(all);
              again.close();
            } else expect(() => openMessageIndex(file)).toThrow(expect.objectContaining({ code: "unavailable" }));
            const fresh = openMessageIndex(file, { startEmpty: true });
            expect(readAll(fresh)).toEqual(expectAll(EMPTY));
            fresh.close();
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  const damages: Record<string, (database: DatabaseSync) => void> = {
    "a message belongs to a place that does not exist": (database) =>
      database.exec("UPDATE message SET place = 99 WHERE id IN (SELECT id FROM message LIMIT 1)"),
    "a place is gone": (database) => database.exec("DELETE FROM place WHERE n = 1"),
    "messages have moved to another place": (database) => database.exec("UPDATE message SET place = 2 WHERE place = 1"),
    "a message is gone": (database) =>
      database.exec("DELETE FROM message WHERE id IN (SELECT id FROM message LIMIT 1)"),
    "one place has two numbers": (database) =>
      database.exec(
        "DROP INDEX place_name; UPDATE place SET channel = (SELECT channel FROM place WHERE n = 1) WHERE n = 2",
      ),
    "its version is missing": (database) => database.exec("DELETE FROM meta"),
    "a table is missing": (database) => database.exec("DROP TABLE stretch"),
  };

  it.each(Object.keys(damages))("is not opened when %s, even after the process was killed", (name) => {
    withFolder((file) => {
      fill(file);
      rmSync(`${file}.digest`);
      const database = new DatabaseSync(file);
      damages[name]?.(database);
      database.close();
      expect(() => openMessageIndex(file)).toThrow(expect.objectContaining({ code: "unavailable" }));
      openMessageIndex(file, { startEmpty: true }).close();
    });
  });

  it("starts empty, and keeps no byte of it, when it has another version", () => {
    withFolder((file) => {
      fill(file);
      rmSync(`${file}.digest`);
      const database = new DatabaseSync(file);
      database.exec("UPDATE meta SET version = '1/' || substr(version, 3)");
      database.close();
      const index = openMessageIndex(file);
      expect(index.failure).toBeNull();
      expect(index.bytes()).toBeLessThan(100_000);
      index.close();
      expect(readFileSync(file, "latin1")).not.toContain("lorem");
    });
  });

  it("is opened after the process was killed when it is intact", () => {
    withFolder((file) => {
      const all = fill(file);
      rmSync(`${file}.digest`);
      const again = openMessageIndex(file);
      expect(readAll(again)).toEqual(all);
      again.close();
      expect(statSync(`${file}.digest`).mode & 0o077).toBe(0);
    });
  });

  it("is left unchanged when it is another program's database", () => {
    withFolder((file) => {
      const foreign = new DatabaseSync(file);
      foreign.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('keep me')");
      foreign.close();
      expect(() => openMessageIndex(file)).toThrow(expect.objectContaining({ code: "misconfigured" }));
      expect(readFileSync(file, "latin1")).toContain("keep me");
    });
  });
});
