import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
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
  statesOf,
  TICKER,
  worstStateOf,
} from "../../test/support/source-watch-world.ts";
import { openTestDatabase } from "../../test/support/test-database.ts";
import type { Audience } from "../domain/audience.ts";
import { type ChannelId, type GuildId, type MessageId, type RoleId, toFirstId, type UserId } from "../domain/ids.ts";
import { toFactSet } from "../domain/memory/fact-set.ts";
import type { FactReading, Kept, RecordKind, Source } from "../domain/source.ts";
import { openConsent } from "../memory/consent.ts";
import { deriveMark } from "../memory/key-ring.ts";
import type { Directory } from "../ports/directory.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { BARRED, judge } from "./judge.ts";
import { kindOf } from "./kinds/index.ts";
import type { SourceDirectory } from "./kinds/kind.ts";
import { Label } from "./label.ts";
import { SourceWatch } from "./source-watch.ts";

const SOME = { kind: "people", people: new Set([ANN.id]) } as const;
const OTHERS = { kind: "people", people: new Set([TICKER.id]) } as const;
/** Long after everything that was read: nothing of it is live. */
const LATER = { openedAt: START + 1_000 * MINUTE, origin: { messageId: null } };

describe("judging everything that was read", () => {
  /** The channels that the bot reads, and the known deleted ones; `lost` ones are neither. */
  const directoryOf = ({ readable = [] as string[], deleted = [] as string[], guilds = [GUILD] as string[] } = {}) =>
    ({
      guild: (id: string) => (guilds.includes(id) ? { id } : undefined),
      member: (_: string, id: string) => (id === ANN.id ? {} : undefined),
      channel: (id: string) => (readable.includes(id) ? { id, guildId: guildOf(id) } : undefined),
      canRead: (person: string, id: string) => person === BOT && readable.includes(id),
      audience: () => SOME,
      lastAudience: (id: string) => (deleted.includes(id) ? OTHERS : undefined),
      isDeleted: (id: string) => deleted.includes(id),
    }) as unknown as SourceDirectory;
  const searchedIn = (id: ChannelId) => {
    const label = new Label();
    label.add([{ kind: "searched", channelId: id }], START);
    return label;
  };
  const judgeFor = (
    { watch, label }: { watch: SourceWatch; label: Label },
    directory: SourceDirectory,
    readers: readonly Audience[] = [SOME],
  ) => judge(label, { readers, moment: LATER }, { watch, directory }).reason ?? "yes";

  it("tells those who can read the channel, and nobody else", () => {
    const { watch, read } = createSourceWatchWorld();
    const directory = directoryOf({ readable: [CHANNEL] });
    const label = read("101");
    expect(judgeFor({ watch, label }, directory)).toBe("yes");
    for (const readers of [[OTHERS], [SOME, OTHERS], [{ kind: "world" } as const], []])
      expect(judgeFor({ watch, label }, directory, readers)).toBe("not_for_everyone_there");
  });

  it("takes a channel as live unless more was read than what is live", () => {
    const { watch } = createSourceWatchWorld();
    const directory = directoryOf({ readable: [CHANNEL] });
    const limitsOf = (source: Kept) => kindOf(source).limits(source, { watch, directory }, LATER);
    const message = (id: string) =>
      ({ kind: "message", messageId: id, channelId: CHANNEL, isShown: true }) as unknown as Kept;
    const live = toFirstId<MessageId>(LATER.openedAt);
    const keys = [message("101"), message(live), { kind: "told", channelId: CHANNEL } as Kept].map((one) =>
      limitsOf(one)?.map(({ key }) => key),
    );
    expect(keys).toEqual([[`whole:${CHANNEL}`], [`live:${CHANNEL}`], [`live:${CHANNEL}`]]);
  });

  it("finds a channel deleted if something of it was returned, and asks its last audience if it was only searched", () => {
    const { watch, read } = createSourceWatchWorld();
    const directory = directoryOf({ deleted: [CHANNEL] });
    expect(judgeFor({ watch, label: read("101") }, directory)).toBe("source_deleted");
    const label = searchedIn(CHANNEL);
    expect(judgeFor({ watch, label }, directory)).toBe("not_for_everyone_there");
    expect(judgeFor({ watch, label }, directory, [OTHERS])).toBe("yes");
  });

  it("cannot tell about a channel that the bot can no longer see, and about a server that it has left", () => {
    const { watch, read } = createSourceWatchWorld();
    expect(judgeFor({ watch, label: searchedIn(CHANNEL) }, directoryOf())).toBe("source_uncertain");
    const label = read("101");
    label.add([{ kind: "server", guildId: GUILD }], START);
    expect(judgeFor({ watch, label }, directoryOf({ readable: [CHANNEL] }))).toBe("yes");
    expect(judgeFor({ watch, label }, directoryOf({ readable: [CHANNEL], guilds: [] }))).toBe("source_uncertain");
  });

  it("tells of a server only those who are in it", () => {
    const { watch } = createSourceWatchWorld();
    const label = new Label();
    label.add([{ kind: "server", guildId: GUILD }], START);
    const within = (id: string) => ({ kind: "guild", place: { guild: { id } } }) as unknown as Audience;
    const answers = [[SOME], [OTHERS], [within(GUILD)], [within("2")], [{ kind: "world" } as const]].map((readers) =>
      judgeFor({ watch, label }, directoryOf(), readers),
    );
    const no = "not_for_everyone_there";
    expect(answers).toEqual(["yes", no, "yes", no, no]);
  });

  it("finds a deleted message deleted even if a channel is out of sight", () => {
    const { watch, read, remove } = createSourceWatchWorld();
    const label = read("101");
    label.add([{ kind: "searched", channelId: "99" as ChannelId }], START);
    remove("101");
    expect(judgeFor({ watch, label }, directoryOf({ readable: [CHANNEL] }))).toBe("source_deleted");
  });

  it("cannot tell after a gap in the server of a channel, and of DMs after a gap of the first shard", () => {
    const { watch, read, gap, pass } = createSourceWatchWorld();
    const label = read("101");
    pass(MINUTE);
    gap([GUILD], 1);
    expect(judgeFor({ watch, label }, directoryOf({ readable: [CHANNEL] }))).toBe("source_uncertain");
    const dm = read("102", { channel: DM }, new Label());
    expect(judgeFor({ watch, label: dm }, directoryOf({ readable: [DM] }))).toBe("yes");
    gap([], 0);
    expect(judgeFor({ watch, label: dm }, directoryOf({ readable: [DM] }))).toBe("source_uncertain");
  });
});

describe("a fact that was read", () => {
  const BASIS = { channelId: CHANNEL, messageId: "101" as MessageId };
  const known = { ...directory, member: (_: string, id: string) => (id === ANN.id ? {} : undefined) } as Directory;
  const arriveWith = (change: Partial<FactReading> = {}, stateOfFact?: SourceWatch["stateOfFact"]) => {
    const arrived = createSourceWatchWorld(stateOfFact);
    const fact = { factId: "f1", version: 1, subjectId: ANN.id, guildId: GUILD, audiences: [], messages: [BASIS] };
    const rest = { facts: [], authorMarks: [], expiresAt: null, revision: 1 };
    const label = new Label();
    addReading(
      label,
      { channels: [], guilds: [], messages: [], links: [], facts: [{ ...fact, ...rest, ...change }] },
      START,
    );
    return { ...arrived, label, state: () => worstStateOf(label, { watch: arrived.watch, directory: known }) };
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
      for (const fact of [...label.of("fact").values()])
        addReading(label, { facts: [{ ...fact, factId: "f2" }] }, START);
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
    const judgeFor = (readers: Audience, of: { watch: SourceWatch; label: Label }) =>
      judge(of.label, { readers: [readers], moment: LATER }, { watch: of.watch, directory: known }).reason;
    expect([SOME, OTHERS].map((readers) => judgeFor(readers, { watch, label }))).toEqual([
      null,
      "not_for_everyone_there",
    ]);
    expect(judgeFor(SOME, arriveWith({ audiences: null }))).toBe("source_uncertain");
  });
});

describe("a record that was read", () => {
  const RECORD: Source<RecordKind> = {
    ...{ kind: "profile", ref: "r1", version: "v1", subjectId: null, guildId: GUILD },
    audiences: [{ kind: "role", guildId: GUILD, id: "5" as RoleId }],
  };
  const read = (change: Partial<Source<RecordKind>>) => {
    const label = new Label();
    addReading(label, { records: [{ ...RECORD, ...change }] }, START);
    return label;
  };
  const present = { ...directory, member: (_: GuildId, id: UserId) => (id === ANN.id ? {} : undefined) } as Directory;

  it.each(["standing", "changed", "deleted", "uncertain"] as const)("is %s when its kind says so", (state) => {
    const { watch } = createSourceWatchWorld(undefined, () => state);
    expect(worstStateOf(read({}), { watch, directory: present })).toBe(state);
  });

  it("is uncertain when nobody knows who may hear it, and gone when its person left or is left out", () => {
    const { watch, consent } = createSourceWatchWorld();
    expect(worstStateOf(read({ audiences: null }), { watch, directory: present })).toBe("uncertain");
    expect(worstStateOf(read({ subjectId: ANN.id }), { watch, directory: present })).toBe("standing");
    expect(worstStateOf(read({ subjectId: TICKER.id }), { watch, directory: present })).toBe("deleted");
    consent.leaveOut(ANN.id);
    expect(worstStateOf(read({ subjectId: ANN.id, guildId: null }), { watch, directory: present })).toBe("deleted");
  });

  it("is limited to each of its audiences", () => {
    const { watch } = createSourceWatchWorld();
    const asked: unknown[] = [];
    const members = (guildId: GuildId, roleId: RoleId | null) => {
      asked.push([guildId, roleId]);
      return { kind: "people", people: new Set() };
    };
    const world = { watch, directory: { ...present, members } as unknown as Directory };
    expect(judge(read({}), { readers: [SOME], moment: LATER }, world)).toBe(BARRED);
    expect(asked).toEqual([[GUILD, "5"]]);
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
    addReading(label, { considered: [{ set: toFactSet(facts), revision: 1 }] }, START);
    return label;
  };

  it("are limited to each of their audiences", () => {
    const { watch } = createSourceWatchWorld();
    const [source] = compare().of("facts").values();
    const limits = source && kindOf(source).limits(source, { watch, directory: there }, LATER);
    expect(limits?.map(({ key }) => key)).toEqual([`channel:${CHANNEL}`, `channel:${DM}`]);
  });

  it("are deleted when anybody whom one of them is about has left the server in which it is shared", () => {
    const about = (people: readonly UserId[]) => {
      const shared = { version: 1, home: { kind: "guild", id: GUILD }, basis: [], expiresAt: null, guildId: GUILD };
      const label = new Label();
      const set = toFactSet(people.map((subjectId) => ({ ...shared, id: `of ${subjectId}`, subjectId }) as never));
      addReading(label, { considered: [{ set, revision: 1 }] }, START);
      const member: Directory["member"] = (_, id) => (id === TICKER.id ? undefined : ({} as never));
      return worstStateOf(label, { watch: createSourceWatchWorld().watch, directory: { ...there, member } });
    };
    expect(about([ANN.id, BOT])).toBe("standing");
    expect(about([ANN.id, TICKER.id])).toBe("deleted");
  });

  it("are what the memory says of them", () => {
    const { watch } = createSourceWatchWorld(() => "deleted");
    expect(worstStateOf(compare(), { watch, directory: there })).toBe("deleted");
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
  addReading(withMessages, { messages: messages.map((one) => ({ ...one, authorId: null, text: null })) }, START);
  const withFact = new Label();
  addReading(withFact, { facts: [{ ...fact, messages, expiresAt: null, revision: 1 }] }, START);
  const withCompared = new Label();
  addReading(
    withCompared,
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
  const deps = { clock, botId: BOT, isLeftOut, ...statesOf(state, state), labelsKeptMs: 0 };
  const stateWith = (personId: UserId | null) => {
    const message = { messageId: "101" as MessageId, channelId: CHANNEL, authorId: personId, text: null };
    const record = { kind: "profile", ref: "r1", version: "v1", guildId: null, audiences: [] } as const;
    return [{ messages: [message] }, { records: [{ ...record, subjectId: personId }] }].map((reading) => {
      const label = new Label();
      addReading(label, reading, START);
      return worstStateOf(label, { watch: new SourceWatch(deps), directory });
    });
  };
  expect(stateWith(null)).toEqual(["standing", "standing"]);
  expect(stateWith(ANN.id)).toEqual(["standing", "standing"]);
  expect(stateWith(TICKER.id)).toEqual(["deleted", "deleted"]);
});
