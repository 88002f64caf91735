import { describe, expect, it } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import type { ChannelId, GuildId, MessageId, RoleId, UserId } from "../domain/ids.ts";
import { type FactReading, Label, type RecordReading, type SourceState } from "../domain/label.ts";
import { toFactSet } from "../domain/memory/fact-set.ts";
import { type Message, toTypedParts } from "../domain/message.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { SourceWatch } from "./source-watch.ts";

const GUILD = "1" as GuildId;
const CHANNEL = "11" as ChannelId;
const DM = "12" as ChannelId;
const BOT = "90" as UserId;
const ANN = { id: "7" as UserId, name: "ann", bot: false };
const TICKER = { id: "8" as UserId, name: "ticker", bot: true };
const guildOf = (id: string) => (id === CHANNEL ? GUILD : null);
const directory = { channel: (id: string) => ({ guildId: guildOf(id) }) } as unknown as Directory;
const START = Date.parse("2026-11-15T12:00:00.000Z");
const MINUTE = 60_000;

interface Said {
  readonly text?: string | null;
  readonly author?: Message["author"];
  readonly channel?: ChannelId;
}

function arrive(
  stateOfFact: () => SourceState = () => "standing",
  stateOfRecord: () => SourceState = () => "standing",
) {
  let now = START;
  const consent = createTestConsent();
  const isLeftOut = (id: UserId) => consent.isLeftOut(id);
  const states = { isLeftOut, stateOfFact, stateOfRecord };
  const watch = new SourceWatch({ clock: { now: () => now }, botId: BOT, ...states, labelsKeptMs: 0 });
  consent.listen((change) => watch.noteConsent(change));
  const label = new Label();
  const stand = (id: string, content: string, author = ANN, edited: string | null = null): Message =>
    ({
      message_id: id,
      channel_id: CHANNEL,
      author,
      content,
      parts: toTypedParts(content),
      edited_ts: edited,
      attachments: [],
    }) as unknown as Message;
  return {
    watch,
    consent,
    label,
    stand,
    state: (of = label) => watch.state(of, directory),
    read(id: string, { text = "meet at five", author = ANN, channel = CHANNEL }: Said = {}, into = label) {
      const message = {
        messageId: id as MessageId,
        channelId: channel,
        authorId: text === null ? null : author.id,
        text,
      };
      into.join({ channels: [channel], guilds: [], messages: [message], links: [] }, now);
      return into;
    },
    remove: (...ids: string[]) =>
      watch.note({ type: "message_delete", channelId: CHANNEL, messageIds: ids as MessageId[] }),
    edit: (id: string, content: string, author = ANN) =>
      watch.note({ type: "message_update", message: stand(id, content, author) }),
    gap: (guildIds: GuildId[], shard: number) =>
      watch.note({ type: "gap", from: "", to: "", reason: "events_lost", guildIds, shard } satisfies DiscordEvent),
    pass(ms: number) {
      now += ms;
    },
  };
}

describe("a source deleted after it was read", () => {
  it("is reported only when it is one of the messages that were read", () => {
    const { read, remove, state } = arrive();
    read("101");
    read("102");
    remove("103");
    expect(state()).toBe("standing");
    remove("104", "102");
    expect(state()).toBe("deleted");
    expect(state(new Label())).toBe("standing");
  });

  it("is reported as deleted for an hour after the last deletion, and as uncertain after that", () => {
    const { watch, read, remove, state, pass, label } = arrive();
    read("101");
    remove("101");
    pass(40 * MINUTE);
    remove("101");
    pass(40 * MINUTE);
    remove("200");
    expect(state()).toBe("deleted");
    pass(21 * MINUTE);
    remove("201");
    expect(state()).toBe("uncertain");
    expect(watch.doubtful(label, directory).map(({ messageId }) => messageId)).toEqual(["101"]);
    expect(state(read("300", {}, new Label()))).toBe("standing");
  });

  it("is reported as uncertain when its deletion was evicted by more recent ones", () => {
    const { read, remove, state, pass } = arrive();
    read("1");
    pass(1);
    remove("1");
    pass(1);
    for (let id = 10; id < 5_010; id += 1) remove(`${id}`);
    expect(state()).toBe("uncertain");
    expect(state(read("7", {}, new Label()))).toBe("standing");
  });
});

describe("a source edited after it was read", () => {
  it("counts as changed when typed words are gone, and not after additions or edits of other messages", () => {
    const { read, edit, state } = arrive();
    read("101");
    edit("102", "");
    edit("101", "meet at five, bring cake");
    expect(state()).toBe("standing");
    edit("101", "meet at six, bring cake");
    expect(state()).toBe("changed");
    edit("101", "meet at five");
    expect(state()).toBe("standing");
  });

  it("counts as changed only by what its author typed: a removed link preview does not count", () => {
    const { watch, read, state, stand } = arrive();
    read("101", { text: "see https://tides.example" });
    const bare = stand("101", "see https://tides.example");
    const preview = { kind: "embed" as const, text: "Tides today" };
    for (const parts of [[...bare.parts, preview], bare.parts])
      watch.note({ type: "message_update", message: { ...bare, parts } });
    expect(state()).toBe("standing");
    watch.note({
      type: "message_update",
      message: { ...bare, parts: [preview], content: "see https://tides.example" },
    });
    expect(state()).toBe("changed");
  });

  it("counts as changed when a later read shows that words are gone, even without an edit event", () => {
    const { read, state, pass } = arrive();
    read("101");
    pass(1);
    read("101", { text: "meet at six" });
    expect(state()).toBe("changed");
  });

  it("is compared with its text at the time of reading, not with earlier versions", () => {
    const { read, edit, state, pass } = arrive();
    edit("101", "meet at six");
    pass(1);
    read("101", { text: "meet at six" });
    expect(state()).toBe("standing");
  });

  it("does not count as changed when it is our own message or by a bot that edits all the time", () => {
    const { read, edit, state, pass } = arrive();
    read("101", { author: { ...ANN, id: BOT, bot: true }, text: "thinking" });
    edit("101", "the answer", { ...ANN, id: BOT, bot: true });
    expect(state()).toBe("standing");
    read("102", { author: TICKER, text: "12 aboard" });
    edit("102", "13 aboard", TICKER);
    expect(state()).toBe("changed");
    for (let count = 14; count < 20; count += 1) {
      pass(1_000);
      edit("102", `${count} aboard`, TICKER);
    }
    expect(state()).toBe("standing");
    pass(10 * MINUTE);
    expect(state()).toBe("changed");
  });

  it("counts as changed when a bot removes its text, however often the bot edits other messages", () => {
    const { read, edit, state, pass } = arrive();
    read("101", { author: TICKER, text: "my address is 12 Quay Road" });
    for (let count = 0; count < 5; count += 1) {
      pass(1_000);
      edit("102", `${count} aboard`, TICKER);
    }
    edit("101", "removed", TICKER);
    expect(state()).toBe("changed");
  });

  it("counts as changed when a file or a bot's embed is removed", () => {
    const { watch, read, state, stand } = arrive();
    read("101", { text: "here\nplan.txt" });
    watch.note({ type: "message_update", message: stand("101", "here") });
    expect(state()).toBe("changed");
  });

  it("counts as changed when a person edits it, however often they edit", () => {
    const { read, edit, state, pass } = arrive();
    read("101");
    for (let count = 0; count < 9; count += 1) {
      pass(1_000);
      edit("101", `meet at ${count}`);
    }
    expect(state()).toBe("changed");
  });

  it("is reported as uncertain when its edit was evicted by more recent ones", () => {
    const { read, edit, state, pass } = arrive();
    read("1");
    pass(1);
    edit("1", "");
    for (let id = 10; id < 310; id += 1) edit(`${id}`, "x");
    expect(state()).toBe("uncertain");
    expect(state(read("2", { channel: DM }, new Label()))).toBe("standing");
  });
});

describe("a source that may have changed unnoticed", () => {
  it("is uncertain when it was read before a gap in its server or in direct messages", () => {
    const { read, gap, state, pass } = arrive();
    const [inGuild, inDm] = [read("101", {}, new Label()), read("102", { channel: DM }, new Label())];
    pass(1);
    gap(["2" as GuildId], 1);
    expect([state(inGuild), state(inDm)]).toEqual(["standing", "standing"]);
    gap([GUILD], 1);
    expect([state(inGuild), state(inDm)]).toEqual(["uncertain", "standing"]);
    gap([], 0);
    expect(state(inDm)).toBe("uncertain");
    pass(1);
    expect(state(read("103", {}, new Label()))).toBe("standing");
  });

  it.each<[string, DiscordEvent]>([
    ["the bot left the server", { type: "guild_removed", guildId: GUILD, channelIds: [] }],
    ["the server was described again", { type: "guild", guildId: GUILD }],
    ["the bot lost access to the channel", { type: "access_lost", channelId: CHANNEL, guildId: GUILD, lineage: [] }],
  ])("is uncertain when it was read before %s, and sources elsewhere are not", (_, event) => {
    const { watch, read, state, pass } = arrive();
    const [there, elsewhere] = [read("101", {}, new Label()), read("102", { channel: DM }, new Label())];
    watch.note(event);
    expect([state(there), state(elsewhere)]).toEqual(["uncertain", "standing"]);
    pass(1);
    expect(state(read("103", {}, new Label()))).toBe("standing");
  });

  it("can only be a message: a name that was read cannot be deleted", () => {
    const { gap, state } = arrive();
    const named = new Label();
    named.join({ channels: [CHANNEL], guilds: [], messages: [], links: [] }, START);
    gap([GUILD], 0);
    expect(state(named)).toBe("standing");
  });

  it("is certain again after a lookup shows it unchanged", () => {
    const { watch, read, gap, state, stand, label, pass } = arrive();
    read("101");
    gap([GUILD], 1);
    pass(1);
    const [source] = watch.doubtful(label, directory);
    if (!source) throw new Error("it is doubtful");
    expect(watch.isUnchanged(source, stand("101", "meet at five, all"))).toBe(true);
    label.confirm(source.messageId, START + 1);
    expect(state()).toBe("standing");
  });

  it("counts as changed when a lookup shows lost words, or an edit after its text was forgotten", () => {
    const { watch, read, gap, state, stand, label, pass } = arrive();
    read("101");
    read("102", { text: null });
    read("103", { text: null });
    gap([GUILD], 1);
    pass(5 * MINUTE);
    const [told, silent, old] = watch.doubtful(label, directory);
    if (!told || !silent || !old) throw new Error("they are doubtful");
    const at = (ms: number) => new Date(START + ms).toISOString();
    expect(watch.isUnchanged(told, stand("101", "meet at six"))).toBe(false);
    expect(state()).toBe("changed");
    expect(watch.isUnchanged(silent, stand("102", "x", ANN, at(2 * MINUTE)))).toBe(false);
    expect(watch.isUnchanged(old, stand("103", "x", ANN, at(-2 * MINUTE)))).toBe(true);
    expect(watch.isUnchanged(old, stand("103", "x"))).toBe(true);
  });

  it("stays certain after any other event", () => {
    const { watch, read, state } = arrive();
    read("101");
    watch.note({ type: "connection", state: "ready" });
    watch.note({ type: "channel", channelId: CHANNEL });
    expect(state()).toBe("standing");
  });
});

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
    const { watch, read } = arrive();
    expect(watch.judge(read("101"), directoryOf({ readable: [CHANNEL] }), ALL)).toEqual({
      audiences: [OPEN],
      state: "standing",
    });
  });

  it("marks the audience of a channel as live unless more was read than what is live", () => {
    const { watch, read } = arrive();
    const site = { kind: "guild", place: {} };
    const directory = { ...directoryOf({ readable: [CHANNEL] }), audience: () => site as never };
    expect(watch.judge(read("101"), directory, new Set()).audiences).toEqual([{ ...site, isLive: true }]);
    expect(watch.judge(read("101"), directory, ALL).audiences).toEqual([site]);
  });

  it("finds a channel deleted if something of it was returned, and its last audience if it was only searched", () => {
    const { watch, read } = arrive();
    const directory = directoryOf({ deleted: [CHANNEL] });
    expect(watch.judge(read("101"), directory, ALL)).toEqual({ audiences: [], state: "deleted" });
    expect(watch.judge(searchedIn(CHANNEL), directory, ALL)).toEqual({ audiences: [LAST], state: "standing" });
  });

  it("is uncertain about a channel that the bot can no longer see, and about a server that it has left", () => {
    const { watch, read } = arrive();
    expect(watch.judge(searchedIn(CHANNEL), directoryOf(), ALL)).toEqual({ audiences: [], state: "uncertain" });
    const label = read("101");
    label.join({ channels: [], guilds: [GUILD], messages: [], links: [] }, START);
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL] }), ALL).state).toBe("standing");
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL], guilds: [] }), ALL).state).toBe("uncertain");
  });

  it("finds a deleted message deleted even if a channel is out of sight", () => {
    const { watch, read, remove } = arrive();
    const label = read("101");
    label.join({ channels: [], searched: ["99" as ChannelId], guilds: [], messages: [], links: [] }, START);
    remove("101");
    expect(watch.judge(label, directoryOf({ readable: [CHANNEL] }), ALL).state).toBe("deleted");
  });

  it("is uncertain after a gap in the server of a channel, and of DMs after a gap of the first shard", () => {
    const { watch, read, gap, pass } = arrive();
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

describe("a source whose author was erased", () => {
  it("has to be looked up again, and counts as changed by any edit, whatever it took away", () => {
    const { watch, read, edit, state, label, stand, pass } = arrive();
    read("101");
    pass(1);
    edit("101", "meet at five, all of you");
    expect(state()).toBe("standing");
    watch.forgetWordsOf(ANN.id);
    expect(state()).toBe("changed");
    label.forgetWordsOf(ANN.id);
    expect(state()).toBe("changed");
    const other = read("102", {}, new Label());
    other.forgetWordsOf(ANN.id);
    expect(state(other)).toBe("uncertain");
    const [source] = watch.doubtful(other, directory);
    if (!source) throw new Error("nothing is doubtful");
    expect(watch.isUnchanged(source, stand("102", "meet at five"))).toBe(true);
    expect(watch.isUnchanged(source, stand("102", "meet at five", ANN, "2026-01-01T00:00:00.000Z"))).toBe(false);
  });
});

describe("a source whose author wants to be left out", () => {
  it("counts as deleted, as if it had never been written, until they are included again", () => {
    const { read, state, consent } = arrive();
    read("101");
    consent.set("99", true);
    expect(state()).toBe("standing");
    consent.set(ANN.id, true);
    expect(state()).toBe("deleted");
    consent.set(ANN.id, false);
    expect(state()).toBe("standing");
  });

  it("is uncertain if its author is no longer known and somebody was left out since it was read", () => {
    const { read, state, consent, pass } = arrive();
    read("101", { text: null });
    consent.set(ANN.id, false);
    expect(state()).toBe("standing");
    consent.set("99", true);
    expect(state()).toBe("uncertain");
    pass(1);
    consent.set("99", false);
    expect(state(read("102", { text: null }, new Label()))).toBe("standing");
  });
});

describe("a fact that was read", () => {
  const BASIS = { channelId: CHANNEL, messageId: "101" as MessageId };
  const known = { ...directory, member: (_: string, id: string) => (id === ANN.id ? {} : undefined) } as Directory;
  const arriveWith = (change: Partial<FactReading> = {}, stateOfFact?: () => SourceState) => {
    const arrived = arrive(stateOfFact);
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
    const { watch } = arrive(undefined, () => state);
    expect(watch.state(read({}), present)).toBe(state);
  });

  it("is uncertain when nobody knows who may hear it, and gone when its person left or is left out", () => {
    const { watch, consent } = arrive();
    expect(watch.state(read({ audiences: null }), present)).toBe("uncertain");
    expect(watch.state(read({ subjectId: ANN.id }), present)).toBe("standing");
    expect(watch.state(read({ subjectId: TICKER.id }), present)).toBe("deleted");
    consent.leaveOut(ANN.id);
    expect(watch.state(read({ subjectId: ANN.id, guildId: null }), present)).toBe("deleted");
  });

  it("is limited to each of its audiences", () => {
    const { watch } = arrive();
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
    const judged = arrive().watch.judge(compare(), there, new Set());
    expect([judged.state, judged.audiences.length]).toEqual(["standing", 2]);
  });

  it("are what the memory says of them", () => {
    const judged = arrive(() => "deleted").watch.judge(compare(), there, new Set());
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
    const { watch, edit, pass } = arrive();
    expect(watch.hasEdits(label, START)).toBe(false);
    edit("103", "other words");
    expect(watch.hasEdits(label, START)).toBe(false);
    pass(MINUTE);
    edit("102", "meet at five, all of you");
    expect(watch.hasEdits(label, START + MINUTE)).toBe(true);
    expect(watch.hasEdits(label, START + MINUTE + 1)).toBe(false);
    expect(watch.hasEdits(new Label(), START)).toBe(false);
  });
});
