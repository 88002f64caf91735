import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY, SHARED, toBasis } from "../support/with-memory.ts";
import { openWithProposals } from "../support/with-proposals.ts";

const HOUR_MS = 3_600_000;
const IN_SERVER = { tool: "memory_read.get_project_facts" };
const me = ADA as UserId;

describe("what has been forgotten or replaced", () => {
  it("is gone with its whole history when the clock was set back in between", async () => {
    const { remember, own, clock } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead -= 1_000;
    await remember(ADA, ["city", "Hamburg"], "org");
    clock.ahead += 5_000;
    const { id } = await remember(ADA, ["city", "Bremen"], "org");
    expect(await own.forget(me, id)).toMatchObject({ facts: 3 });
    expect((await own.export(me)).map(({ fact }) => fact.value)).toEqual([]);
  });

  it("is not heard again once what replaced it has expired", async () => {
    const { hear, remember, own, clock, memory } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead += 1_000;
    await remember(ADA, ["city", "Hamburg"], "org", { expiresAt: clock.now() + 60_000 });
    clock.ahead += 2 * HOUR_MS;
    await memory.sweep();
    const listed = (await own.list(me)).map(({ fact }) => `${fact.name}=${fact.value}`);
    expect(listed).toEqual([]);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(listed);
  });

  it("is not heard again once the message that its successor rested on is deleted", async () => {
    const { hear, keep, own, say, remove, clock } = await openWithMemory();
    await keep();
    clock.ahead += 1_000;
    const { id } = say(PLACE.general, ADA, "I live in Hamburg");
    const basis = [
      toBasis({ channelId: PLACE.general, id }, { words: "I live in Hamburg", authorId: ADA, isOwn: true }),
    ];
    await keep({ value: "Hamburg", basis });
    clock.ahead += 2 * HOUR_MS;
    remove(PLACE.general, id);
    await expect.poll(async () => (await own.list(me)).length).toBe(0);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
  });

  it("makes nothing else about its owner unheard for the time after it has been replaced and the replacement has expired", async () => {
    const { hear, remember, clock } = await openWithMemory();
    await remember(ADA, ["timezone", "UTC"], "org");
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead += 1_000;
    await remember(ADA, ["city", "Hamburg"], "org", { expiresAt: clock.now() + 60_000 });
    clock.ahead += 61_000;
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toContain("timezone=UTC");
  });

  it("is replaced by a later word also after the clock was set back", async () => {
    const { hear, remember, clock } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    clock.ahead -= 1_000;
    await remember(ADA, ["city", "Hamburg"], "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Hamburg"]);
  });

  it("is replaced under a name that differs only in white space", async () => {
    const { hear, remember, own, clock } = await openWithMemory();
    await remember(ADA, ["home  town", "Berlin"], "org");
    clock.ahead += 1_000;
    await remember(ADA, ["home town", "Hamburg"], "org");
    expect((await own.list(me)).map(({ fact }) => fact.value)).toEqual(["Hamburg"]);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["home town=Hamburg"]);
    clock.ahead += 2 * HOUR_MS;
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["home town=Hamburg"]);
  });

  it("does not come about because a request to remember was still being written down when everything was erased", async () => {
    const { remember, own } = await openWithMemory();
    const asked = remember(ADA, ["city", "Berlin"]).catch(() => null);
    await own.erase(me);
    await asked;
    expect(await own.list(me)).toEqual([]);
  });

  it("does not pile up without bound in the history of one name", async () => {
    const { remember, own, clock } = await openWithMemory();
    for (let count = 0; count < 40; count += 1) {
      clock.ahead += 1;
      await remember(ADA, ["city", count], "org");
    }
    expect((await own.export(me)).length).toBeLessThanOrEqual(21);
  });

  it("can be corrected by somebody who has as many facts as there may be", async () => {
    const { remember, clock } = await openWithMemory();
    for (let count = 0; count < 500; count += 1) {
      clock.ahead += 1;
      await remember(ADA, [`fact ${count}`, count]);
    }
    await expect(remember(ADA, ["fact 3", "corrected"])).resolves.toMatchObject({ value: "corrected" });
  });
});

describe("a hidden fact", () => {
  it("changes nothing for others when it follows one that they may hear", async () => {
    const told = async (isFollowed: boolean) => {
      const { hear, keep, clock } = await openWithMemory();
      await keep();
      clock.ahead += 1_000;
      const basis = [{ type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" }] as const;
      if (isFollowed) await keep({ value: "Hamburg", basis });
      return (await hear(CEM, PLACE.general, { user: ADA })).values;
    };
    expect(await told(true)).toEqual(await told(false));
  });
});

describe("a fact whose home is a channel", () => {
  it("is not for a client whose grant does not name the channel", async () => {
    const { hear, remember } = await openWithMemory();
    await remember(ADA, ["on call", "Tuesday"], "project", { channelId: PLACE.staff });
    const grant = { channels: [PLACE.general as ChannelId] };
    expect((await hear(BO, PLACE.general, { user: ADA }, { ...PRIVATELY, grant })).values).toEqual([]);
  });

  it.each([
    ["is closed to agents", { channels: { deny: [PLACE.staff] } }],
    ["is used for nothing", { optOut: { channels: [PLACE.staff] } }],
  ])("is not heard where the operator says that the channel %s", async (_, rules) => {
    const { hear, keep } = await openWithMemory({ rules: { ...SHARED, ...rules } });
    await keep({ visibility: "project", home: { kind: "channel", id: PLACE.staff as ChannelId } });
    expect((await hear(BO, PLACE.general, { user: ADA }, PRIVATELY)).values).toEqual([]);
  });

  it("stays age-restricted when it was typed in an age-restricted channel and shared with the server", async () => {
    const world = smallWorld();
    for (const channel of world.guilds[0]?.channels ?? []) channel.ageRestricted = channel.id === PLACE.lounge;
    const { hear, remember } = await openWithMemory({}, world);
    await remember(ADA, ["taste", "for adults"], "org", { channelId: PLACE.lounge }).catch(() => null);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
  });
});

describe("an answer that rests on a fact", () => {
  it("is not sent after the message that the fact rests on was deleted unheard", async () => {
    const { hear, keep, say, missing, drop, send, departures } = await openWithMemory();
    const { id } = say(PLACE.general, BO, "the launch is on the 30th");
    const basis = [toBasis({ channelId: PLACE.general, id }, { words: "the launch is on the 30th", authorId: BO })];
    await keep({ scope: "org", scopeId: GUILD, subjectId: null, basis });
    const { operation, values } = await hear(CEM, PLACE.general, {}, IN_SERVER);
    expect(values).toEqual(["city=Berlin"]);
    missing(() => drop(PLACE.general, id));
    expect(await send(operation, "on the 30th")).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });

  it("is not sent to others while what it rests on is edited and only its owner may hear it", async () => {
    const { hear, keep, say, tell2, clock, send, gate, asked, departures } = await openWithMemory();
    const message = say(PLACE.general, ADA, "I live in Berlin");
    const place = { channelId: PLACE.general, id: message.id };
    await keep({ basis: [toBasis(place, { words: "I live in Berlin", authorId: ADA, isOwn: true })] });
    clock.ahead += 1_000;
    Object.assign(message, { content: "never mind", edited: true });
    tell2("MESSAGE_UPDATE", PLACE.general, message);
    clock.ahead += 1_000;
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
    const { operation, values } = await hear(ADA, PLACE.general, {}, PRIVATELY);
    expect(values).toEqual(["city=Berlin"]);
    await send(operation, "Ada lives in Berlin");
    for (const { id } of asked) await gate.confirm(id, me).catch(() => null);
    expect(departures).toEqual([]);
  });

  it("is not sent after the author of the project's fact, whose own words it is, was left out", async () => {
    const { hear, keep, say, consent, send, departures } = await openWithMemory();
    const { id } = say(PLACE.general, BO, "the launch is on the 30th");
    const words = { words: "the launch is on the 30th", authorId: BO, isOwn: true };
    const basis = [toBasis({ channelId: PLACE.general, id }, words)];
    await keep({ scope: "org", scopeId: GUILD, subjectId: null, createdBy: BO as UserId, basis });
    const { operation, values } = await hear(CEM, PLACE.general, {}, IN_SERVER);
    expect(values).toEqual(["city=Berlin"]);
    consent.set(BO, true);
    expect((await hear(CEM, PLACE.general, {}, IN_SERVER)).values).toEqual([]);
    expect(await send(operation, "on the 30th")).toMatchObject({ ok: false });
    expect(departures).toEqual([]);
  });

  it("does not carry the link to a message of a hidden channel, which came with the fact, to where nobody may know of it", async () => {
    const { hear, keep, say, send, asked } = await openWithMemory();
    const { id } = say(PLACE.staff, ADA, "I live in Berlin");
    const words = { words: "I live in Berlin", authorId: ADA, isOwn: true };
    await keep({ basis: [toBasis({ channelId: PLACE.staff, id }, words)] });
    const { operation, outcome } = await hear(BO, PLACE.general, { user: ADA }, PRIVATELY);
    const link = `https://discord.com/channels/${GUILD}/${PLACE.staff}/${id}`;
    expect(JSON.stringify(outcome)).toContain(link);
    expect(await send(operation, `it says so in ${link}`)).toMatchObject({ ok: false, code: "forbidden" });
    expect(asked).toEqual([]);
  });

  it("is not given to somebody who loses the role that allows the tool while it is written down", async () => {
    let act = () => {};
    const pause = async (what: string) => void (what === "audit" && act());
    const rules = { ...SHARED, roles: [{ guild: GUILD, role: "2001", scopes: ["memory:read_project"] }] };
    const { hear, remember, world, tell } = await openWithMemory({ pause, rules });
    await remember(ADA, ["city", "Berlin"], "org");
    act = () => {
      for (const member of world.guilds[0]?.members ?? []) if (member.id === BO) member.roles = [];
      tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id: BO }, roles: [], nick: null });
    };
    expect((await hear(BO, PLACE.general, { user: ADA }, PRIVATELY)).values).not.toEqual(["city=Berlin"]);
  });
});

describe("people's own memory", () => {
  it("does not show its owner, who left the server, what rests on a channel there that they can no longer read", async () => {
    const { keep, leave, own } = await openWithMemory();
    const basis = [{ type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" }] as const;
    await keep({ basis });
    leave(ADA);
    expect((await own.list(me)).map(({ isReadable }) => isReadable)).toEqual([false]);
  });

  it("does not show what rests on somebody else's message alone, which was deleted unheard", async () => {
    const { keep, own, say, missing, drop } = await openWithMemory();
    const { id } = say(PLACE.general, BO, "I am allergic to penicillin");
    const basis = [toBasis({ channelId: PLACE.general, id }, { words: "I am allergic to penicillin", authorId: BO })];
    await keep({
      visibility: "private",
      guildId: null,
      home: { kind: "person", id: me },
      value: "Bo: penicillin",
      basis,
    });
    missing(() => drop(PLACE.general, id));
    const shown = (await own.list(me)).filter(({ isReadable }) => isReadable).map(({ fact }) => fact.value);
    expect(shown).toEqual([]);
  });

  it("ends a fact with the channel in which the last message that it rests on stood", async () => {
    const { keep, memory, say, world, tell } = await openWithMemory();
    const { id } = say(PLACE.staff, BO, "I am allergic to penicillin");
    const basis = [toBasis({ channelId: PLACE.staff, id }, { words: "I am allergic to penicillin", authorId: BO })];
    await keep({ visibility: "private", guildId: null, home: { kind: "person", id: me }, basis });
    const [guild] = world.guilds;
    guild?.channels.splice(
      guild.channels.findIndex((channel) => channel.id === PLACE.staff),
      1,
    );
    tell("CHANNEL_DELETE", { id: PLACE.staff, guild_id: GUILD, type: 0, name: "staff" });
    await expect.poll(async () => (await memory.find({ subjectId: me })).length).toBe(0);
  });

  it("says that nobody hears a fact while its owner is left out", async () => {
    const { remember, own, consent, hear } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "org");
    consent.set(ADA, true);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
    expect((await own.list(me)).map(({ dormant }) => dormant)).not.toEqual([null]);
  });

  it("remembers nothing that is typed in an unknown place while a server wants nothing to be remembered", async () => {
    const rules = { memory: { people: "private", servers: [{ guild: GUILD, people: "off" }] } };
    const { remember } = await openWithMemory({ rules });
    const typed = remember(ADA, ["city", "Berlin"], "private", { channelId: "4999" });
    await expect(typed).rejects.toMatchObject({ code: "forbidden" });
  });

  it("does not keep a fact for ever because the time until which it is wanted is not a number", async () => {
    const { remember, own, clock } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "private", { expiresAt: Number.NaN }).catch(() => null);
    clock.ahead += 400 * 24 * HOUR_MS;
    expect(await own.list(me)).toEqual([]);
  });

  it("shares nothing when it does not understand with whom something is to be shared", async () => {
    const { remember, hear } = await openWithMemory();
    await remember(ADA, ["city", "Berlin"], "Private" as never).catch(() => null);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
  });

  it.each(["heard", "asked"] as const)("lets a member share in a server whose members are only %s", async (members) => {
    const { remember } = await openWithMemory({ members });
    await expect(remember(ADA, ["city", "Berlin"], "org")).resolves.toMatchObject({ value: "Berlin" });
  });

  it("does not say that somebody has left a server whose member list is not complete", async () => {
    const { keep, own } = await openWithMemory({ members: "asked" });
    await keep();
    expect((await own.list(me)).map(({ dormant }) => dormant)).toEqual([null]);
  });
});

describe("without a complete member list", () => {
  it("an answer that rests on a fact is still sent a few minutes after the fact was read", async () => {
    const { hear, keep, clock, send } = await openWithMemory({ members: "asked" });
    await keep();
    const { operation, values } = await hear(CEM, PLACE.general, { user: `nick${ADA}` });
    expect(values).toEqual(["city=Berlin"]);
    clock.ahead += 5 * 60_000;
    expect(await send(operation, "Ada is in Berlin")).toMatchObject({ ok: true });
  });
});

describe("in another server", () => {
  const OTHER = { guild: "1001", general: "4100" };
  const worldOfTwo = () => {
    const world = smallWorld();
    const [first] = world.guilds;
    const [general] = first?.channels ?? [];
    if (!first || !general) throw new Error("there is no first server");
    const roles = first.roles.slice(0, 1).map((role) => ({ ...role, id: OTHER.guild }));
    const members = first.members.map((member) => ({ ...member, roles: [] }));
    const channels = [{ ...general, id: OTHER.general, overwrites: [] }];
    world.guilds.push({ ...first, id: OTHER.guild, roles, members, channels, threads: [] });
    world.messages.set(OTHER.general, []);
    return world;
  };

  it("what somebody shared in the first does not exist, not even in an answer for one person who is in both", async () => {
    const { hear, remember } = await openWithMemory({}, worldOfTwo());
    await remember(ADA, ["都市", "ベルリン"], "org");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["都市=ベルリン"]);
    expect((await hear(CEM, OTHER.general, { user: ADA })).values).toEqual([]);
    expect((await hear(CEM, OTHER.general, { user: ADA }, PRIVATELY)).values).toEqual([]);
  });
});

describe("somebody who may say nothing in a server", () => {
  it.each([
    ["timed out", { communication_disabled_until: "2999-01-01T00:00:00Z" }],
    ["pending", { pending: true }],
  ])("because they are %s shares nothing there either, by a command or by a model", async (_, state) => {
    const { begin, propose, press, remember, tell, own } = await openWithProposals();
    const become = (more: object) =>
      tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id: CEM, username: "cem" }, roles: [], ...more });
    const operation = await begin(CEM);
    await propose(operation, { key: "boat", value: "Heron", visibility: "server" });
    become(state);
    const isForbidden = { code: "forbidden" };
    await expect(press(CEM)).rejects.toMatchObject(isForbidden);
    for (const share of ["project", "org"] as const)
      await expect(remember(CEM, ["hat", "red"], share)).rejects.toMatchObject(isForbidden);
    expect(await propose(operation, { key: "hat", value: "red", visibility: "channel" })).toMatchObject(isForbidden);
    await remember(CEM, ["hat", "red"]);
    become({ communication_disabled_until: null, pending: false });
    await remember(CEM, ["hat", "blue"], "org");
    expect((await own.list(CEM as UserId)).map(({ fact }) => fact.value)).toEqual(["blue", "red"]);
  });
});
