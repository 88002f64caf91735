import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { describeDispatch } from "../support/describe-world.ts";
import { type InProcess, type InProcessOptions, openInProcess } from "../support/in-process.ts";
import { BOT, MASK, type PlainPlace, type PlainWorld, placeOf, TYPE } from "../support/plain-world.ts";
import { canary, messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF, smallWorld } from "../support/small-world.ts";
import { addMember, setOverwrite, setRoles } from "../support/twists.ts";

const { general, staff, aside } = PLACE;
/** What the small world holds was said hours ago. */
const OLD = canary.text(general);
const OLD_ID = messageId(0);
const MINUTE = 60_000;

function placeIn(world: PlainWorld, id: string): PlainPlace {
  const place = placeOf(world, id);
  if (!place) throw new Error(`there is no ${id}`);
  return place;
}

function guildIn({ guilds: [guild] }: PlainWorld) {
  if (!guild) throw new Error("there is no server");
  return guild;
}

function openWorld(world: PlainWorld = smallWorld(), options: InProcessOptions = {}) {
  const test = openInProcess(world, options);
  onTestFinished(() => test.close());
  const open = (actor: string, channelId: string, more: object = {}): Promise<Operation> => {
    const request = { actor: actor as UserId, channelId: channelId as ChannelId, ...more };
    return test.operations.open({ name: "test", grant: OPERATOR_GRANT }, request);
  };
  /** What came of a call, as text. */
  const call = (operation: Operation, name: string, args: object = {}): Promise<string> =>
    test.gate.callTool({ name, args, operation, wantsText: true }).then(
      ({ value, text }) => JSON.stringify({ value, text }),
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
  const say = (channelId: string, authorId: string, content: string): string => {
    const message = { id: test.mintMessageId(), authorId, content, edited: false, replyTo: null, file: true };
    world.messages.set(channelId, [...(world.messages.get(channelId) ?? []), message]);
    const how = { hasMember: true, isAddressed: false };
    test.tell("MESSAGE_CREATE", describeDispatch(world, { channelId, guild: guildIn(world), message }, how));
    return message.id;
  };
  const send = (operation: Operation, more: object = {}) =>
    call(operation, "discord.send", { channel_id: operation.origin.channelId, text: "ahoy", ...more });
  return { ...test, world, open, call, say, send };
}

/** Cem sees the channel and cannot read back what was said there. */
function withhold(test: InProcess, channelId = general, deny: bigint = MASK.read): void {
  setOverwrite(test, placeIn(test.world, channelId), { id: CEM, type: 1, allow: 0n, deny });
}

function openWithheld(options: InProcessOptions = {}) {
  const test = openWorld(smallWorld(), options);
  withhold(test);
  return test;
}

/** More that was said long ago. */
function addOld(world: PlainWorld, count: number): void {
  const old = { authorId: ADA, content: OLD, edited: false, replyTo: null, file: false };
  const many = Array.from({ length: count }, (_, index) => ({ ...old, id: messageId(20 + index) }));
  world.messages.set(general, [...(world.messages.get(general) ?? []), ...many]);
}

/** Whether the history of a channel can be used in it. */
async function usesHistory(test: ReturnType<typeof openWorld>, channelId: string, actor = BO): Promise<boolean> {
  const told = await test.call(await test.open(actor, channelId), "get_recent_messages");
  expect(told).toContain('"messages":');
  return told.includes(canary.text(channelId));
}

const READS: readonly [string, object][] = [
  ["context.window", {}],
  ["get_recent_messages", { limit: 50 }],
  ["get_channel_summary", { timeframe: "past week" }],
  ["discord.channel.messages", { channel_id: general }],
  ["discord.channel.messages", { channel_id: general, cache: false }],
  ["discord.channel.messages", { channel_id: general, after: OLD_ID }],
  ["discord.channel.messages", { channel_id: general, after: OLD_ID, cache: false }],
  ["discord.search.window", { channel_id: general, query: "tide" }],
];
const OLD_READS: readonly [string, object][] = [
  ["discord.channel.messages", { channel_id: general, before: messageId(1) }],
  ["discord.channel.messages", { channel_id: general, around: OLD_ID }],
  ["discord.channel.messages", { channel_id: general, around: OLD_ID, cache: false }],
  ["search_messages", { query: "tide" }],
  ["search_channel_messages", { query: "tide", channel: general }],
  ["memory_read.search_context", { query: "tide" }],
];

describe("in a channel that somebody sees and cannot read back,", () => {
  it("every read hands out what is being said there and nothing older", async () => {
    const test = openWithheld();
    test.say(general, ADA, "the live tide");
    const request = test.say(general, BO, "which tide?");
    for (const [name, args] of READS) {
      const told = await test.call(await test.open(BO, general, { messageId: request }), name, args);
      expect(told, name).toContain("the live tide");
      expect(told, name).not.toContain(OLD);
      expect(told, name).toContain('"complete":false');
      expect(told, name).not.toContain('"has_more":true');
    }
  });

  it("how much was said before does not show in a read that goes forward from something old", async () => {
    const test = openWithheld();
    addOld(test.world, 20);
    const [one = ""] = ["one", "two", "three"].map((words) => test.say(general, ADA, `the live ${words}`));
    for (const cache of [true, false]) {
      const page = { channel_id: general, after: OLD_ID, limit: 2, cache };
      const told = await test.call(await test.open(BO, general), "discord.channel.messages", page);
      expect(told).toMatch(/live one.*live two|live two.*live one/s);
      expect(told).not.toMatch(/live three|zq/);
      const next = { ...page, after: one };
      const later = await test.call(await test.open(BO, general), "discord.channel.messages", next);
      expect(later).toMatch(/live two.*live three|live three.*live two/s);
      expect(later).not.toContain("live one");
    }
  });

  it("progress is not told, because it counts what was said before", async () => {
    for (const isWithheld of [false, true]) {
      const test = isWithheld ? openWithheld() : openWorld();
      addOld(test.world, 300);
      const heard: unknown[] = [];
      const args = { channel_id: general, query: "tide", scan: 500 };
      const operation = await test.open(BO, general);
      await test.gate.callTool({
        name: "discord.search.window",
        args,
        operation,
        onProgress: (one) => heard.push(one),
      });
      expect(heard.length > 0).toBe(!isWithheld);
    }
  });

  it("a limit is not reached earlier because much was said before", async () => {
    const test = openWithheld({ rules: { limits: { scansPerMinute: { actor: 30 } } } });
    addOld(test.world, 100);
    for (let round = 0; round < 3; round += 1)
      for (const [name, args] of READS)
        expect(await test.call(await test.open(BO, general), name, args)).not.toContain("rate_limited");
    withhold(test, general, 0n);
    const told = [];
    for (const [name, args] of READS) told.push(await test.call(await test.open(BO, general), name, args));
    expect(told.join()).toContain("rate_limited");
  });

  it("a name is not found by who spoke there long ago, without a member list", async () => {
    for (const isWithheld of [false, true]) {
      const world = smallWorld();
      guildIn(world).roles.push({ id: "2003", name: "new", permissions: 0n });
      const test = openWorld(world, { members: "asked" });
      const left = { id: "3999", bot: false, nick: "nick3999", roles: [] };
      guildIn(world).members.push(left);
      test.say(general, left.id, "farewell");
      guildIn(world).members.pop();
      const deny = isWithheld ? MASK.read : 0n;
      setOverwrite(test, placeIn(world, general), { id: "2003", type: 0, allow: 0n, deny });
      test.clock.ahead += 30 * MINUTE;
      const args = { user_name: "nick3999" };
      const told = await test.call(await test.open(BO, general), "search_user_messages", args);
      if (isWithheld) expect(told).toBe("not_found: Could not find user 'nick3999'");
      else expect(told).toContain("farewell");
    }
  });

  it("reads around something old, and searches, find nothing, and do not say that this is all", async () => {
    const test = openWithheld();
    test.say(general, ADA, "the live tide");
    for (const [name, args] of OLD_READS) {
      const told = await test.call(await test.open(BO, general), name, args);
      expect(told, name).not.toMatch(/tide [01]|live tide/);
      expect(told, name).not.toContain('"complete":true');
    }
  });

  it("a search for everybody's channels still finds what stands in the others", async () => {
    const world = smallWorld();
    const [channel] = guildIn(world).channels;
    if (channel) guildIn(world).channels.push({ ...channel, id: "4012", name: "open", overwrites: [] });
    const words = { authorId: ADA, content: "open tide", edited: false, replyTo: null, file: false };
    world.messages.set("4012", [{ id: messageId(20), ...words }]);
    const test = openWorld(world);
    withhold(test);
    const told = await test.call(await test.open(BO, general), "search_messages", { query: "tide" });
    expect(told).toContain("open tide");
    expect(told).not.toContain(OLD);
  });

  it("a link to an old message, its reactions and its file are not found", async () => {
    const test = openWithheld();
    const link = `https://discord.com/channels/${GUILD}/${general}/${OLD_ID}`;
    const live = test.say(general, ADA, "the live tide");
    const operation = await test.open(BO, general);
    const told = await test.call(operation, "get_message_context", { message_id: link });
    expect(told).toBe("not_found: Message not found");
    expect(await test.call(operation, "get_message_context", { message_id: live })).toContain("the live tide");
    const url = `https://cdn.discordapp.com/attachments/${general}/${OLD_ID}/file.txt`;
    expect(await test.call(operation, "discord.attachment.base64", { url })).toMatch(/^not_found/);
  });

  it("an old message can be neither reacted nor replied to, and a live one can", async () => {
    const test = openWithheld();
    const live = test.say(general, ADA, "the live tide");
    const operation = await test.open(BO, general);
    const react = (message_id: string) =>
      test.call(operation, "discord.react", { channel_id: general, message_id, emoji: "👍" });
    expect(await react(OLD_ID)).toBe("not_found: Message not found");
    expect(await react("123")).toBe("not_found: Message not found");
    expect(await test.send(operation, { reply_to: OLD_ID })).toBe("not_found: Message not found");
    expect(await react(live)).not.toContain("not_found");
    expect(await test.send(operation, { reply_to: live })).toContain("message_ids");
  });

  it("a reply from a private request shows nothing old there either", async () => {
    const test = openWithheld();
    const operation = await test.open(BO, general, { isPrivate: true });
    const text = { channel_id: general, text: "ahoy" };
    expect(await test.call(operation, "discord.send", { ...text, reply_to: OLD_ID })).toMatch(/^not_found/);
    expect(await test.call(operation, "discord.send", text)).not.toMatch(/^not_found|^forbidden/);
  });

  it("everything is there privately, and is not said there afterwards", async () => {
    const test = openWithheld();
    const operation = await test.open(BO, general, { isPrivate: true });
    expect(await test.call(operation, "search_messages", { query: "tide" })).toContain(OLD);
    expect(await test.call(operation, "get_recent_messages")).toContain(OLD);
    expect(await test.send(operation)).toMatch(/^forbidden: .*not for everyone there/);
  });

  it("what was live when the request was made stays so, and what was live for an earlier request does not", async () => {
    const test = openWithheld();
    test.say(general, ADA, "the live tide");
    test.clock.ahead += 9 * MINUTE;
    const operation = await test.open(BO, general);
    test.clock.ahead += 5 * MINUTE;
    expect(await test.call(operation, "get_recent_messages")).toContain("the live tide");
    expect(await test.send(operation)).toContain("message_ids");
    expect(await test.call(await test.open(BO, general), "get_recent_messages")).not.toContain("the live tide");
  });

  it("a request that is answered late can still be answered, without what was said around it", async () => {
    const test = openWithheld();
    test.say(general, ADA, "said before");
    const request = test.say(general, BO, "which tide?");
    test.say(general, ADA, "said after");
    test.clock.ahead += 30 * MINUTE;
    const operation = await test.open(BO, general, { messageId: request });
    const told = await test.call(operation, "context.window");
    expect(told).toContain("which tide?");
    expect(told).not.toMatch(/said before|said after/);
    expect(await test.send(operation, { reply_to: request })).toContain("message_ids");
  });

  it("a request that is answered late comes back alone, whether or not something was said after it", async () => {
    const seen = async (isFollowed: boolean) => {
      const test = openWithheld();
      const request = test.say(general, BO, "which tide?");
      if (isFollowed) test.say(general, ADA, "said after");
      test.clock.ahead += 30 * MINUTE;
      const operation = await test.open(BO, general, { messageId: request });
      const read = (args: object) => test.call(operation, "discord.channel.messages", { channel: general, ...args });
      const around = { around: request, limit: 3 };
      const reads = [{ limit: 1 }, { limit: 1, cache: false }, { limit: 2 }, around, { ...around, cache: false }];
      const told: string[] = [];
      for (const args of reads) told.push(JSON.stringify(await read(args)).replaceAll(request, "request"));
      return told;
    };
    expect(await seen(true)).toEqual(await seen(false));
  });
});

describe("what was read of a channel's history", () => {
  it("is not said there once somebody there cannot read it back", async () => {
    const test = openWorld();
    const operation = await test.open(BO, general);
    expect(await test.call(operation, "get_recent_messages")).toContain(OLD);
    withhold(test);
    expect(await test.send(operation)).toMatch(/^forbidden: .*not for everyone there/);
  });

  it("is not said there once somebody joins who cannot read it back", async () => {
    const world = smallWorld();
    const [everyone] = guildIn(world).roles;
    if (everyone) everyone.permissions &= ~MASK.read;
    for (const member of guildIn(world).members) member.roles = [STAFF];
    const [, staffRole] = guildIn(world).roles;
    if (staffRole) staffRole.permissions = MASK.read;
    const test = openWorld(world);
    const operation = await test.open(BO, general);
    expect(await test.call(operation, "get_recent_messages")).toContain(OLD);
    addMember(test, guildIn(world), "3100");
    expect(await test.send(operation)).toMatch(/^forbidden: .*not for everyone there/);
    setRoles(test, guildIn(world), { id: "3100", roles: [STAFF] });
    expect(await test.send(operation)).toContain("message_ids");
  });

  it("counts as used in a search without a hit as well", async () => {
    const test = openWorld();
    test.say(general, ADA, "the live tide");
    const operation = await test.open(BO, general);
    expect(await test.call(operation, "search_messages", { query: "walrus" })).toContain('"hits":[]');
    withhold(test);
    expect(await test.send(operation)).toMatch(/^forbidden: .*not for everyone there/);
  });

  it("does not count where nothing but live messages was read", async () => {
    const test = openWorld();
    const live = test.say(general, ADA, "the live tide");
    const operation = await test.open(BO, general);
    const page = { channel_id: general, around: live, limit: 1 };
    expect(await test.call(operation, "discord.channel.messages", page)).toContain("the live tide");
    withhold(test);
    expect(await test.send(operation)).toContain("message_ids");
  });

  it.each(["history answered", "audit"])("is not handed out if that changes meanwhile (%s)", async (moment) => {
    let isDone = false;
    const test = openWorld(smallWorld(), {
      async pause(what) {
        if (what !== moment || isDone) return;
        isDone = true;
        withhold(test);
      },
    });
    test.say(general, ADA, "the live tide");
    const told = await test.call(await test.open(BO, general), "get_recent_messages");
    expect(isDone).toBe(true);
    expect(told).toContain("the live tide");
    expect(told).not.toContain(OLD);
  });
});

describe("whether everybody in a channel can read it back", () => {
  it("is not changed by administrators, the owner and bots, whatever is denied to them", async () => {
    const world = smallWorld();
    guildIn(world).roles.push({ id: "2002", name: "admin", permissions: MASK.administrator });
    const cem = guildIn(world).members.find(({ id }) => id === CEM);
    if (cem) cem.roles = ["2002"];
    guildIn(world).members.push({ id: "3200", bot: true, nick: "bot", roles: [] });
    const test = openWorld(world);
    withhold(test);
    for (const id of ["3000", "3200"])
      setOverwrite(test, placeIn(world, general), { id, type: 1, allow: 0n, deny: MASK.read });
    expect(await usesHistory(test, general)).toBe(true);
    if (cem) setRoles(test, guildIn(world), { id: CEM, roles: [] });
    expect(await usesHistory(test, general)).toBe(false);
  });

  it("is not changed by somebody who cannot see it at all", async () => {
    const test = openWorld();
    withhold(test, general, MASK.view);
    expect(await usesHistory(test, general)).toBe(true);
  });

  it("depends on Connect in a voice channel, and only there", async () => {
    for (const type of [TYPE.voice, TYPE.text]) {
      const world = smallWorld();
      const { channels } = guildIn(world);
      channels.splice(0, 1, ...channels.slice(0, 1).map((channel) => ({ ...channel, type })));
      const test = openWorld(world);
      expect(await usesHistory(test, general)).toBe(true);
      withhold(test, general, MASK.connect);
      expect(await usesHistory(test, general)).toBe(type === TYPE.text);
    }
  });

  it("is asked of the channel for its public threads, and of the members for a private one", async () => {
    const world = smallWorld();
    const thread = { id: "5004", type: TYPE.publicThread, name: "thread", parentId: general, members: [] };
    guildIn(world).threads.push({ ...thread, tellsMembers: true });
    const old = { id: messageId(40), authorId: ADA, edited: false, replyTo: null, file: false };
    world.messages.set("5004", [{ ...old, content: canary.text("5004") }]);
    const test = openWorld(world);
    expect([await usesHistory(test, "5004"), await usesHistory(test, aside)]).toEqual([true, true]);
    withhold(test);
    expect(await usesHistory(test, "5004")).toBe(false);
    // The private thread is in another channel, and Ada is in it.
    setOverwrite(test, placeIn(world, aside), { id: ADA, type: 1, allow: 0n, deny: MASK.read });
    expect(await usesHistory(test, aside)).toBe(false);
  });

  it("is asked of the channel for a private thread whose members are not known", async () => {
    for (const isOpen of [true, false]) {
      const world = smallWorld();
      for (const thread of guildIn(world).threads) Object.assign(thread, { tellsMembers: false });
      guildIn(world).roles.push({ id: "2004", name: "threads", permissions: MASK.manageThreads });
      for (const member of guildIn(world).members) if ([BO, BOT].includes(member.id)) member.roles = [STAFF, "2004"];
      const test = openWorld(world);
      if (!isOpen) setOverwrite(test, placeIn(world, aside), { id: ADA, type: 1, allow: 0n, deny: MASK.read });
      const own = test.directory.audience(aside as ChannelId);
      expect(own.kind === "guild" && own.place.thread?.thread?.members).toBe(null);
      expect(await usesHistory(test, aside)).toBe(isOpen);
    }
  });

  it("is doubted without a member list wherever some roles could be without it", async () => {
    const world = smallWorld();
    const test = openWorld(world, { members: "asked" });
    expect([await usesHistory(test, general), await usesHistory(test, staff)]).toEqual([true, true]);
    // Nobody holds the role, but somebody may.
    guildIn(world).roles.push({ id: "2003", name: "new", permissions: 0n });
    const deny = { id: "2003", type: 0, allow: 0n, deny: MASK.read } as const;
    setOverwrite(test, placeIn(world, general), deny);
    expect(await usesHistory(test, general)).toBe(false);
    const listed = openWorld(world);
    expect(await usesHistory(listed, general)).toBe(true);
  });

  it("concerns no direct message", async () => {
    const test = openWorld();
    expect(await usesHistory(test, PLACE.letters, ADA)).toBe(true);
  });
});
