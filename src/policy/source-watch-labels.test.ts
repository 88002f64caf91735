import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  ANN,
  BOT,
  CHANNEL,
  createSourceWatchWorld,
  DM,
  directory,
  GUILD,
  guildOf,
  MINUTE,
  START,
  TICKER,
} from "../../test/support/source-watch-world.ts";
import { openTestDatabase } from "../../test/support/test-database.ts";
import type { ChannelId, GuildId, MessageId, RoleId, UserId } from "../domain/ids.ts";
import { type FactReading, Label, type RecordReading } from "../domain/label.ts";
import { toFactSet } from "../domain/memory/fact-set.ts";
import { openConsent } from "../memory/consent.ts";
import { deriveMark } from "../memory/keyed-hashes.ts";
import type { Directory } from "../ports/directory.ts";
import { createOptOutStore } from "../stores/sqlite/opt-out-store.ts";
import { SourceWatch, type SourceWatchDeps } from "./source-watch.ts";

/** Of every channel more was read than what is live. */
const ALL = new Set([CHANNEL, DM]);

describe("judging everything that was read", () => {
  const OPEN = { kind: "people", people: new Set([ANN.id]) } as const;
  const LAST = { kind: "people", people: new Set([TICKER.id]) } as const;
  /** What the bot reads and what it knows of deleted channels; `lost` ones are neither. */
  const directoryOf = ({ readable = [] as string[], deleted = [] as string[], guilds = [GUILD] as string[] } = {}) =>
    ({
      guild: (id: string) => (guilds.includes(id) ? { id } : undefined),
      channel: (id: string) => (readable.includes(id) ? { id, guildId: guildOf(id) } : undefined),
      canRead: (person: string, id: string) => person === BOT && readable.includes(id),
      audience: () => OPEN,
      lastAudience: (id: string) => (deleted.includes(id) ? LAST : undefined),
      isDeleted: (id: string) => deleted.includes(id),
    }) as unknown as Parameters<SourceWatch["judge"]>[1];
  const searchedIn = (id: ChannelId) => {
    const label = new Label();
    label.join({ channels: [], searched: [id], guilds: [], messages: [], links: [] }, START);
    return label;
  };

  it("gives the audience of every channel that can be read", () => {
    const { watch, read } = createSourceWatchWorld();
    expect(watch.judge(read("101"), directoryOf({ readable: [CHANNEL] }), ALL)).toEqual({
      audiences: [OPEN],
      state: "standing",
    });
  });

  it("marks the audience of a channel as live unless more was read than what is live", () => {
    const { watch, read } = createSourceWatchWorld();
    const site = { kind: "guild", place: {} };
    const directory = { ...directoryOf({ readable: [CHANNEL] }), audience: () => site as never };
    expect(watch.judge(read("101"), directory, new Set()).audiences).toEqual([{ ...site, isLive: true }]);
    expect(watch.judge(read("101"), directory, ALL).audiences).toEqual([site]);
  });

  it("finds a channel deleted if something of it was returned, and its last audience if it was only searched", () => {
    const { watch, read } = createSourceWatchWorld();
    const directory = directoryOf({ deleted: [CHANNEL] });
    expect(watch.judge(read("101"), directory, ALL)).toEqual({ audiences: [], state: "deleted" });
    expect(watch.judge(searchedIn(CHANNEL), directory, ALL)).toEqual({ audiences: [LAST], state: "standing" });
  });

  it("is uncertain about a channel that the bot can no longer see, and about a server that it has left", () => {
    const { watch, read } = createSourceWatchWorld();
    expect(watch.judge(searchedIn(CHANNEL), directoryOf(), ALL)).toEqual({ audiences: [], state: "uncertain" });
    const label = read("101");
    label.join({ channels: [], guilds: [GUILD], messages: [], links: [] }, START);
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL] }), ALL).state).toBe("standing");
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL], guilds: [] }), ALL).state).toBe("uncertain");
  });

  it("finds a deleted message deleted even if a channel is out of sight", () => {
    const { watch, read, remove } = createSourceWatchWorld();
    const label = read("101");
    label.join({ channels: [], searched: ["99" as ChannelId], guilds: [], messages: [], links: [] }, START);
    remove("101");
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL] }), ALL).state).toBe("deleted");
  });

  it("is uncertain after a gap in the server of a channel, and of DMs after a gap of the first shard", () => {
    const { watch, read, gap, pass } = createSourceWatchWorld();
    const label = read("101");
    pass(MINUTE);
    gap([GUILD], 1);
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL] }), ALL).state).toBe("uncertain");
    const dm = read("102", { channel: DM }, new Label());
    expect(watch.judge(dm, directoryOf({ readable: [DM] }), ALL).state).toBe("standing");
    gap([], 0);
    expect(watch.judge(dm, directoryOf({ readable: [DM] }), ALL).state).toBe("uncertain");
  });
});

describe("a fact that was read", () => {
  const BASIS = { channelId: CHANNEL, messageId: "101" as MessageId };
  const known = { ...directory, member: (_: string, id: string) => (id === ANN.id ? {} : undefined) } as Directory;
  const arriveWith = (change: Partial<FactReading> = {}, stateOfFact?: SourceWatchDeps["stateOfFact"]) => {
    const arrived = createSourceWatchWorld(stateOfFact);
    const fact = { factId: "f1", version: 1, subjectId: ANN.id, guildId: GUILD, audiences: [], messages: [BASIS] };
    const rest = { facts: [], authorMarks: [], expiresAt: null, revision: 1 };
    const label = new Label();
    label.join({ channels: [], guilds: [], messages: [], links: [], facts: [{ ...fact, ...rest, ...change }] }, START);
    return { ...arrived, label, state: () => arrived.watch.state(label, known) };
  };

  it("stands while nothing that it rests on has changed", () => {
    const { state, remove, edit, pass } = arriveWith();
    pass(1);
    remove("102");
    edit("103", "other words");
    expect(state()).toBe("standing");
  });

  it("is deleted when the person it is about has left the server in which it is shared", () => {
    const mark = "9" as UserId;
    expect(arriveWith({ subjectId: mark }).state()).toBe("deleted");
    expect(arriveWith({ subjectId: mark, guildId: null }).state()).toBe("standing");
    expect(arriveWith({ subjectId: null }).state()).toBe("standing");
  });

  it("is deleted or changed with a message that it rests on, if that was edited after it was read", () => {
    const deleted = arriveWith();
    deleted.remove("101");
    expect(deleted.state()).toBe("deleted");
    const edited = arriveWith();
    edited.edit("101", "other words");
    expect(edited.state()).toBe("standing");
    edited.pass(1);
    edited.edit("101", "more words");
    expect(edited.state()).toBe("changed");
  });

  it("is uncertain when a change of what it rests on may have been missed, or its audience is unknown", () => {
    const missed = arriveWith();
    missed.gap([GUILD], 1);
    expect(missed.state()).toBe("uncertain");
    expect(arriveWith({ audiences: null }).state()).toBe("uncertain");
    expect(arriveWith({ messages: [] }).state()).toBe("standing");
  });

  it("that is deleted or changed decides for everything that was read, whatever is uncertain before it", () => {
    for (const gone of ["deleted", "changed"] as const) {
      const { label, state } = arriveWith({}, (source) =>
        "factId" in source && source.factId === "f2" ? gone : "uncertain",
      );
      expect(state()).toBe("uncertain");
      for (const fact of [...label.facts.values()]) label.join({ facts: [{ ...fact, factId: "f2" }] }, START);
      expect(state()).toBe(gone);
    }
  });

  it("is what the memory says of it, unless what it rests on says otherwise", () => {
    for (const state of ["deleted", "changed", "uncertain", "standing"] as const)
      expect(arriveWith({}, () => state).state()).toBe(state);
    const gone = arriveWith({}, () => "uncertain");
    gone.remove("101");
    expect(gone.state()).toBe("deleted");
  });

  it("is limited to its audiences, of which an unknown one adds none", () => {
    const { watch, label } = arriveWith({ audiences: [{ kind: "person", id: ANN.id }] });
    const people = [{ kind: "people", people: new Set([ANN.id]) }];
    expect(watch.judge(label, known, ALL)).toEqual({ audiences: people, state: "standing" });
    const unknown = arriveWith({ audiences: null });
    expect(unknown.watch.judge(unknown.label, known, ALL)).toEqual({ audiences: [], state: "uncertain" });
  });
});

describe("a record that was read", () => {
  const RECORD: RecordReading = {
    ...{ type: "docs", ref: "r1", version: "v1", subjectId: null, guildId: GUILD },
    audiences: [{ kind: "role", guildId: GUILD, id: "5" as RoleId }],
  };
  const read = (change: Partial<RecordReading>) => {
    const label = new Label();
    label.join({ records: [{ ...RECORD, ...change }] }, START);
    return label;
  };
  const present = { ...directory, member: (_: GuildId, id: UserId) => (id === ANN.id ? {} : undefined) } as Directory;

  it.each(["standing", "changed", "deleted", "uncertain"] as const)("is %s when its kind says so", (state) => {
    const { watch } = createSourceWatchWorld(undefined, () => state);
    expect(watch.state(read({}), present)).toBe(state);
  });

  it("is uncertain when nobody knows who may hear it, and gone when its person left or is left out", () => {
    const { watch, consent } = createSourceWatchWorld();
    expect(watch.state(read({ audiences: null }), present)).toBe("uncertain");
    expect(watch.state(read({ subjectId: ANN.id }), present)).toBe("standing");
    expect(watch.state(read({ subjectId: TICKER.id }), present)).toBe("deleted");
    consent.leaveOut(ANN.id);
    expect(watch.state(read({ subjectId: ANN.id, guildId: null }), present)).toBe("deleted");
  });

  it("is limited to each of its audiences", () => {
    const { watch } = createSourceWatchWorld();
    const asked: unknown[] = [];
    const members = (guildId: GuildId, roleId: RoleId | null) => {
      asked.push([guildId, roleId]);
      return { kind: "people", people: new Set() };
    };
    const judged = watch.judge(read({}), { ...present, members } as unknown as Directory, new Set());
    expect([judged.state, judged.audiences.length, asked]).toEqual(["standing", 1, [[GUILD, "5"]]]);
  });
});

describe("facts that were compared", () => {
  const facts = [CHANNEL, DM].map(
    (id) =>
      ({
        ...{ id, version: 1, home: { kind: "channel", id }, basis: [] },
        ...{ expiresAt: null, subjectId: ANN.id, guildId: null },
      }) as never,
  );
  const there = {
    channel: (id: string) => ({ guildId: guildOf(id) }),
    canRead: () => true,
    audience: () => ({ kind: "people", people: new Set() }),
    guild: () => ({}),
  } as unknown as Directory;
  const compare = () => {
    const label = new Label();
    label.join({ considered: [{ set: toFactSet(facts), revision: 1 }] }, START);
    return label;
  };

  it("are limited to each of their audiences", () => {
    const judged = createSourceWatchWorld().watch.judge(compare(), there, new Set());
    expect([judged.state, judged.audiences.length]).toEqual(["standing", 2]);
  });

  it("are deleted when anybody whom one of them is about has left the server in which it is shared", () => {
    const about = (people: readonly UserId[]) => {
      const shared = { version: 1, home: { kind: "guild", id: GUILD }, basis: [], expiresAt: null, guildId: GUILD };
      const label = new Label();
      const set = toFactSet(people.map((subjectId) => ({ ...shared, id: `of ${subjectId}`, subjectId }) as never));
      label.join({ considered: [{ set, revision: 1 }] }, START);
      return createSourceWatchWorld().watch.state(label, {
        ...there,
        member: (_, id) => (id === TICKER.id ? undefined : ({} as never)),
      });
    };
    expect(about([ANN.id, BOT])).toBe("standing");
    expect(about([ANN.id, TICKER.id])).toBe("deleted");
  });

  it("are what the memory says of them", () => {
    const judged = createSourceWatchWorld(() => "deleted").watch.judge(compare(), there, new Set());
    expect(judged.state).toBe("deleted");
  });
});

describe("edits after a time", () => {
  const messages = ["101", "102"].map((id) => ({ channelId: CHANNEL, messageId: id as MessageId }));
  const fact = { factId: "f1", version: 1, subjectId: null, guildId: null, audiences: [], facts: [], authorMarks: [] };
  const basis = messages.map(({ messageId }) => ({ type: "discord_message", ref: `${CHANNEL}/${messageId}` }));
  const compared = {
    id: "f1",
    version: 1,
    home: { kind: "channel", id: CHANNEL },
    basis,
    subjectId: null,
    guildId: null,
  };
  const withMessages = new Label();
  withMessages.join({ messages: messages.map((one) => ({ ...one, authorId: null, text: null })) }, START);
  const withFact = new Label();
  withFact.join({ facts: [{ ...fact, messages, expiresAt: null, revision: 1 }] }, START);
  const withCompared = new Label();
  withCompared.join(
    { considered: [{ set: toFactSet([{ ...compared, expiresAt: null } as never]), revision: 1 }] },
    START,
  );

  it.each([
    ["read", withMessages],
    ["that facts rest on", withFact],
    ["that compared facts rest on", withCompared],
  ])("are found of messages %s, whatever was edited, and of no others", (_, label) => {
    const { watch, edit, pass } = createSourceWatchWorld();
    expect(watch.hasEdits(label, START)).toBe(false);
    edit("103", "other words");
    expect(watch.hasEdits(label, START)).toBe(false);
    pass(MINUTE);
    edit("102", "meet at five, all of you");
    expect(watch.hasEdits(label, START + MINUTE)).toBe(true);
    expect(watch.hasEdits(label, START + MINUTE + 1)).toBe(false);
    expect(watch.hasEdits(new Label(), START)).toBe(false);
  });

  it("are forgotten with a message that is deleted", () => {
    const { watch, edit, remove } = createSourceWatchWorld();
    for (const id of ["101", "102"]) edit(id, "meet at five, all of you");
    remove("101");
    expect(watch.hasEdits(withMessages, START)).toBe(true);
    remove("102");
    expect(watch.hasEdits(withMessages, START)).toBe(false);
  });
});

it("sources without a known person stand while somebody is left out, of whom only a keyed hash is stored", async () => {
  const clock = { now: () => START };
  const markOf = (id: UserId) => deriveMark(new Uint8Array(32).fill(7), id);
  const folder = mkdtempSync(join(tmpdir(), "earshot-consent-"));
  const database = await openTestDatabase(join(folder, "earshot.db"));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const store = createOptOutStore(database);
  const consent = await openConsent({ store, markOf, byOperator: [], clock });
  await consent.leaveOut(TICKER.id);
  const state = () => "standing" as const;
  const isLeftOut = (id: UserId) => consent.isLeftOut(id);
  const deps = { clock, botId: BOT, isLeftOut, stateOfFact: state, stateOfRecord: state, labelsKeptMs: 0 };
  const stateWith = (personId: UserId | null) => {
    const message = { messageId: "101" as MessageId, channelId: CHANNEL, authorId: personId, text: null };
    const record = { type: "crm", ref: "r1", version: "v1", guildId: null, audiences: [] } as const;
    return [{ messages: [message] }, { records: [{ ...record, subjectId: personId }] }].map((reading) => {
      const label = new Label();
      label.join(reading, START);
      return new SourceWatch(deps).state(label, directory);
    });
  };
  expect(stateWith(null)).toEqual(["standing", "standing"]);
  expect(stateWith(ANN.id)).toEqual(["standing", "standing"]);
  expect(stateWith(TICKER.id)).toEqual(["deleted", "deleted"]);
});
