import { describe, expect, it } from "vitest";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { areOwnWords } from "../../src/domain/memory/own-words.ts";
import { describeChannel } from "../support/describe-world.ts";
import type { PlainGuild } from "../support/plain-world.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF, smallWorld } from "../support/small-world.ts";
import { SHARED } from "../support/with-memory.ts";
import { IN_PERSON, openWithProposals } from "../support/with-proposals.ts";

const WRITERS = [
  {
    guild: GUILD,
    role: STAFF,
    scopes: ["memory:write_project", "memory:read_project", "memory:read_self", "memory:write_self"],
  },
];

describe("proposals that are made at once", () => {
  it("ask the person once for the same thing, so that a discarded one is not left waiting twice", async () => {
    const { begin, propose, proposeEnd, remember, waiting, gate } = await openWithProposals();
    const operation = await begin(ADA);
    const args = { key: "boat", value: "Heron" };
    await Promise.all([1, 2, 3].map(() => propose(operation, args)));
    expect(waiting(ADA)).toHaveLength(1);
    gate.confirmations.reject(waiting(ADA)[0]?.id ?? "", ADA as UserId, IN_PERSON);
    expect(await propose(operation, args)).toMatchObject({ code: "forbidden" });
    await remember(BO, ["city", "Berlin"]);
    const privately = await begin(BO, PLACE.general, { isPrivate: true });
    await Promise.all([1, 2, 3].map(() => proposeEnd(privately, { key: "city" })));
    expect(waiting(BO)).toHaveLength(1);
  });

  it("replace nothing that was not shown when both are pressed at once", async () => {
    const { begin, propose, waiting, press, own } = await openWithProposals();
    const operation = await begin(ADA);
    for (const value of ["Heron", "Gull"]) await propose(operation, { key: "boat", value });
    const pressed = await Promise.allSettled(waiting(ADA).map(({ id }) => press(ADA, id)));
    expect(pressed.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await own.export(ADA as UserId)).toHaveLength(1);
  });
});

/** Audit writes wait while it is closed. */
function openTurnstile() {
  const waiting: (() => void)[] = [];
  let isClosed = false;
  return {
    pause: (what: string) =>
      isClosed && what === "audit" ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve(),
    close: () => {
      isClosed = true;
    },
    async open(happen: () => void) {
      while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      happen();
      isClosed = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

describe("a press", () => {
  it("stores nothing for a server when the right to decide for it is lost while the audit is written", async () => {
    const turnstile = openTurnstile();
    const rules = { ...SHARED, roles: WRITERS };
    const system = await openWithProposals({ rules, pause: turnstile.pause });
    await system.propose(await system.begin(BO), { about: "server", key: "port", value: "Kiel" });
    turnstile.close();
    const pressed = expect(system.press(BO)).rejects.toMatchObject({ code: "forbidden" });
    await turnstile.open(() =>
      system.tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id: BO, username: "bo" }, roles: [] }),
    );
    await pressed;
    expect(await system.memory.find({ scopeType: "org" })).toEqual([]);
  });

  it("stores nothing when the words that it repeats are deleted while the audit is written", async () => {
    const turnstile = openTurnstile();
    const system = await openWithProposals({ pause: turnstile.pause });
    const message = system.say(PLACE.general, ADA, "remember: my day is Tuesday");
    const operation = await system.begin(ADA, PLACE.general, { messageId: message.id as never });
    await system.propose(operation, { key: "day", value: "Tuesday" });
    turnstile.close();
    const pressed = expect(system.press(ADA)).rejects.toMatchObject({ code: "forbidden" });
    await turnstile.open(() => system.remove(PLACE.general, message.id));
    await pressed;
    expect(await system.memory.find({ subjectId: ADA as UserId })).toEqual([]);
  });

  it("keeps nothing when the words that it repeats are deleted after they were looked at for the last time", async () => {
    const { say, begin, propose, press, remove, memory } = await openWithProposals();
    const message = say(PLACE.general, ADA, "remember: my day is Tuesday");
    await propose(await begin(ADA, PLACE.general, { messageId: message.id as never }), {
      key: "day",
      value: "Tuesday",
    });
    const { findNamed } = memory;
    let looks = 0;
    memory.findNamed = async (...request) => {
      const found = await findNamed.apply(memory, request);
      looks += 1;
      if (looks === 2) remove(PLACE.general, message.id);
      // Until whoever hears of it has looked through the store.
      for (let turn = 0; turn < 100 && looks === 2; turn += 1) await new Promise(setImmediate);
      return found;
    };
    await press(ADA).catch(() => {});
    expect(looks).toBeGreaterThan(1);
    expect(await memory.find({ subjectId: ADA as UserId })).toEqual([]);
  });

  it("that was refused for a lost role can be asked for again once the role is back", async () => {
    const { begin, propose, waiting, press, tell } = await openWithProposals({ rules: { ...SHARED, roles: WRITERS } });
    const operation = await begin(BO);
    const give = (roles: string[]) =>
      tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id: BO, username: "bo" }, roles });
    await propose(operation, { key: "boat", value: "Heron" });
    give([]);
    await expect(press(BO)).rejects.toMatchObject({ code: "forbidden" });
    give([STAFF]);
    await propose(operation, { key: "boat", value: "Heron" });
    expect(waiting(BO)).toHaveLength(1);
  });

  it.each([
    ["timed out", { communication_disabled_until: "2999-01-01T00:00:00Z" }],
    ["pending", { pending: true }],
  ])(
    "decides nothing for a server by a role whose holder is %s, and neither shows nor ends what is shared",
    async (_, state) => {
      const roles = WRITERS.map((rule) => ({ ...rule, scopes: [...rule.scopes, "memory:admin"] }));
      const { begin, propose, press, tell, keep, memory, sharedMemory } = await openWithProposals({
        rules: { ...SHARED, roles },
      });
      const { id } = await keep();
      const list = () => sharedMemory?.list(BO as UserId, GUILD as GuildId, { offset: 0, limit: 5 });
      const give = (more: object) =>
        tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: { id: BO, username: "bo" }, roles: [STAFF], ...more });
      expect(await list()).toMatchObject({ count: 1 });
      const asked = { about: "server", key: "port", value: "Kiel" };
      await propose(await begin(BO), asked);
      give(state);
      const isForbidden = { code: "forbidden" };
      await expect(press(BO)).rejects.toMatchObject(isForbidden);
      expect(await propose(await begin(BO), asked)).toMatchObject(isForbidden);
      await expect(list()).rejects.toMatchObject(isForbidden);
      await expect(sharedMemory?.forget(BO as UserId, GUILD as GuildId, id)).rejects.toMatchObject(isForbidden);
      expect(await memory.find({ guildId: GUILD as GuildId })).toHaveLength(1);
      give({ communication_disabled_until: null, pending: false });
      expect(await list()).toMatchObject({ count: 1 });
    },
  );

  it("does not share one's own words once their channel is age-restricted", async () => {
    const { begin, say, call, propose, press, world, tell, memory } = await openWithProposals();
    const message = say(PLACE.staff, BO, "my day is Tuesday");
    const operation = await begin(BO, PLACE.general, { isPrivate: true });
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff }, true);
    await propose(operation, { key: "day", value: "Tuesday", visibility: "server", message_id: message.id });
    const guild = world.guilds[0] as PlainGuild;
    const staff = guild.channels.find(({ id }) => id === PLACE.staff) as PlainGuild["channels"][number];
    tell("CHANNEL_UPDATE", { ...describeChannel(guild, { ...staff, ageRestricted: true }), guild_id: GUILD });
    await expect(press(BO, undefined, "as_shown")).rejects.toMatchObject({ code: "forbidden" });
    expect(await memory.find({ subjectId: BO as UserId })).toEqual([]);
  });
});

describe("a proposal", () => {
  it("that is nested thousands of levels deep is refused as invalid", async () => {
    const { begin, propose } = await openWithProposals();
    const value = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    expect(await propose(await begin(ADA), { key: "boat", value })).toMatchObject({ code: "invalid" });
  });

  it("follows the earlier value of its channel, also after that was moved into a category", async () => {
    const world = smallWorld();
    const guild = world.guilds[0] as PlainGuild;
    const general = guild.channels[0] as PlainGuild["channels"][number];
    guild.channels.push({ ...general, id: "4100", type: 4, name: "ships" });
    const { begin, propose, proposeEnd, press, waiting, gate, tell, call, memory } = await openWithProposals({}, world);
    const project = { about: "project", key: "port" };
    await propose(await begin("3000"), { ...project, value: "Kiel" });
    await press("3000");
    tell("CHANNEL_UPDATE", { ...describeChannel(guild, general), parent_id: "4100", guild_id: GUILD });
    await propose(await begin("3000"), { ...project, value: "Hamburg" });
    const preview = await gate.preview(waiting("3000")[0]?.id ?? "", "3000" as UserId, IN_PERSON);
    expect(preview).toMatchObject({ ways: [{ replaces: [{ fact: { value: "Kiel" } }] }] });
    await press("3000");
    const read = async () => call(await begin(CEM), "memory_read.get_project_facts", {});
    expect(await read()).toMatchObject({ value: { facts: [{ value: "Hamburg" }] } });
    // The earlier value goes with it.
    await proposeEnd(await begin("3000"), project);
    await press("3000");
    expect(await read()).toMatchObject({ value: { facts: [] } });
    expect(await memory.find({ scopeType: "project" })).toEqual([]);
  });
});

describe("one's own words", () => {
  it("are not used where the operator has the channel left out", async () => {
    const { ask, propose, waiting } = await openWithProposals({
      rules: { ...SHARED, optOut: { channels: [PLACE.staff] } },
    });
    const operation = await ask(BO, PLACE.staff, "my day is Tuesday");
    expect(await propose(operation, { key: "day", value: "Tuesday", visibility: "server" })).toMatchObject({
      code: "forbidden",
    });
    expect(waiting(BO)).toEqual([]);
  });

  it.each([
    ["day", "Tuesday", "My DAY: Tuesday!", true],
    ["𝒹ay", "😀", "𝒹ay 😀😀", true],
    ["day", "Tues", "day Tuesday", false],
    ["day", "day", "day Tuesd\u0061\u0301y", true],
    ["day", "e", "day e\u0301", false],
    ["i", "x", "İ x", false],
    ["day", "𝒹", "day 𝒹𝒹", false],
    ["day", "y", "day", false],
    ["day", "", "day", false],
    ["day", ".", "day is x.", false],
    ["day", "a\nb", "day a\nb", true],
    ["day", "a\nb", "day a\n> x\nb", false],
    ["day", "Tuesday", "see\r> day Tuesday", false],
    ["day", "Tuesday", "see\u2028\u200b> day Tuesday", false],
    ["day", "Tuesday", "- > day Tuesday", false],
    ["day", "Tuesday", "day\n >>> she said\nTuesday", false],
    ["day", "Tuesday", "day -> Tuesday", true],
  ])("%s: %s in “%s” are found as whole words only", (name, value, text, isFound) => {
    expect(areOwnWords({ name, value }, { parts: [{ kind: "typed", text }] })).toBe(isFound);
  });
});

describe("after the person had a fact forgotten", () => {
  // Whether a fact is found tells that there is one, so to name it is to read it, and nothing is said that rests on what is forgotten. The person
  // knows from their own press; what else there is to say needs another operation.
  it("nothing more is said in the operation that asked for it, and a new one can answer", async () => {
    const { begin, remember, proposeEnd, press, send } = await openWithProposals();
    await remember(ADA, ["city", "Berlin"], "org");
    const operation = await begin(ADA);
    await proposeEnd(operation, { key: "city" });
    await press(ADA);
    expect(await send(operation, "Done.")).toMatchObject({ ok: false });
    expect(await send(await begin(ADA), "Done.")).toMatchObject({ ok: true });
  });
});
