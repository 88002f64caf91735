import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { describeUse } from "../../src/transports/kit/fact-record.ts";
import { PersonMemory } from "../../src/transports/kit/person-memory.ts";
import { openCoreOnDisk } from "../support/core-on-disk.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";

const DAY_MS = 86_400_000;
const [ada, bo, cem] = [ADA, BO, CEM] as [UserId, UserId, UserId];
const HERE = { channelId: PLACE.general as ChannelId, typedIn: "1" };

async function arrive(auditDays = 90) {
  const files = await openCoreOnDisk(smallWorld(), { rules: { memory: { people: "shared" } }, auditDays });
  const { core, clock, audit } = files;
  const own = core.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const begin = (actor: UserId, grant: Partial<Grant> = {}, { isPrivate = false, channelId = HERE.channelId } = {}) =>
    core.operations.open({ name: "test", grant: { ...OPERATOR_GRANT, ...grant } }, { actor, channelId, isPrivate });
  /** Somebody's agent asks what is remembered about Ada, some times within one request. */
  const ask = async (actor: UserId, calls = 1, channelId = HERE.channelId) => {
    const operation = await begin(actor, {}, { channelId });
    for (let call = 0; call < calls; call += 1)
      await core.gate.callTool({ name: "memory_read.get_user_facts", args: { user: ADA }, operation });
    await audit.settled();
  };
  const times = async () => (await own.list(ada)).map(({ fact, use }) => [fact.name, use?.times]);
  const remember = (actor: UserId, key: string, visibility: "org" | "private" = "org") =>
    own.remember(actor, { key, value: `the ${key}`, visibility, ...HERE });
  const goOn = (days: number) => {
    clock.ahead += days * DAY_MS;
  };
  return { ...files, own, begin, ask, times, remember, goOn };
}

describe("how often a fact was used", () => {
  it("is the number of requests for which it was handed out, whoever asked, and however often within one", async () => {
    const { ask, times, remember, goOn } = await arrive();
    await remember(ada, "boat");
    await remember(ada, "hat", "private");
    await ask(bo, 3);
    await ask(cem);
    await ask(ada);
    goOn(1);
    expect(await times()).toEqual([
      ["hat", 0],
      ["boat", 3],
    ]);
  });

  it("does not change on the day of a use: that would tell when somebody asked", async () => {
    const { ask, times, remember, goOn } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    expect(await times()).toEqual([["boat", 0]]);
    goOn(1);
    await ask(cem);
    expect(await times()).toEqual([["boat", 1]]);
    goOn(30);
    expect(await times()).toEqual([["boat", 1]]);
    goOn(1);
    expect(await times()).toEqual([["boat", 0]]);
  });

  it("leaves out requests in channels that the person cannot read now", async () => {
    const { ask, times, remember, goOn, discord } = await arrive();
    const staff = PLACE.staff as ChannelId;
    await remember(ada, "hat");
    await ask(bo, 1, staff);
    await ask(bo);
    goOn(1);
    expect(await times()).toEqual([["hat", 2]]);
    const canRead = discord.directory.canRead.bind(discord.directory);
    discord.directory.canRead = (person, channel) => !(person === ada && channel === staff) && canRead(person, channel);
    expect(await times()).toEqual([["hat", 1]]);
  });

  it("does not count what people look up about themselves", async () => {
    const { own, begin, core, discord, clock, times, remember, goOn } = await arrive();
    await remember(ada, "boat");
    const privacy = { previewErasure: () => ({ text: "" }) } as never;
    const programs = new PersonMemory({ ...core, ownMemory: own, privacy, directory: discord.directory, clock });
    const operation = await begin(ada, { actors: [ada] }, { isPrivate: true });
    const [fact] = (await programs.list(operation)).facts;
    await programs.show(operation, fact?.id ?? "");
    await programs.export(operation);
    goOn(1);
    expect(await times()).toEqual([["boat", 0]]);
    expect((await programs.list(operation)).facts[0]).toMatchObject({
      used: { times: 0, days: 30, minimum: false },
      used_text: "No use is known in the 30 days before today.",
    });
  });

  it("is told of earlier values, each on its own, in what people take along", async () => {
    const { own, ask, remember, goOn } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    await remember(ada, "boat");
    await ask(bo);
    await ask(cem);
    goOn(1);
    expect((await own.export(ada)).map(({ use }) => use?.times)).toEqual([2, 1]);
  });

  it("is unknown where the audit is kept for less than two days, and covers no more days than that", async () => {
    for (const [auditDays, days] of [
      [1, undefined],
      [2, 1],
      [10.5, 9],
      [31, 30],
    ] as const) {
      const { own, remember } = await arrive(auditDays);
      await remember(ada, "boat");
      expect((await own.list(ada)).map(({ use }) => use?.days)).toEqual([days]);
    }
  });

  it("is said to be a minimum once records of reads were erased to save space", async () => {
    const { own, ask, remember, goOn, audit } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    goOn(1);
    await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
    const [fact] = await own.list(ada);
    expect(fact?.use).toMatchObject({ times: 0, isMinimum: true });
  });

  it("is put in words that tell a minimum from a number", () => {
    const say = (times: number, isMinimum: boolean, days = 30) => describeUse({ times, isMinimum, days });
    expect([say(0, false), say(1, false), say(12, true), say(0, true), say(2, false, 1)]).toEqual([
      "No use is known in the 30 days before today.",
      "Used once in the 30 days before today.",
      "Used at least 12 times in the 30 days before today.",
      "No use is known in the 30 days before today.",
      "Used 2 times on the day before today.",
    ]);
  });
});
