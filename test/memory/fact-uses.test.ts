import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { FactUse } from "../../src/gate/memory/own-facts.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { describeWhy } from "../../src/transports/kit/describe-why.ts";
import { describeUse } from "../../src/transports/kit/fact-record.ts";
import { PersonMemory } from "../../src/transports/kit/person-memory.ts";
import { toPlainWords } from "../../src/transports/kit/plain-words.ts";
import { openCoreOnDisk } from "../support/core-on-disk.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";

const DAY_MS = 86_400_000;
const [ada, bo, cem] = [ADA, BO, CEM] as [UserId, UserId, UserId];
const HERE = { channelId: PLACE.general as ChannelId, typedIn: "1" };

async function arrive() {
  const files = await openCoreOnDisk(smallWorld(), { rules: { memory: { people: "shared" } } });
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
  // To the beginning of a month.
  const nextMonth = () => {
    const now = new Date(clock.now());
    clock.ahead += Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  };
  nextMonth();
  const times = async () => (await own.list(ada)).map(({ fact, use }) => [fact.name, use && toTimes(use)]);
  const remember = (actor: UserId, key: string, visibility: "org" | "private" = "org") =>
    own.remember(actor, { key, value: `the ${key}`, visibility, ...HERE });
  const goOn = (days: number) => {
    clock.ahead += days * DAY_MS;
  };
  return { ...files, own, begin, ask, times, remember, goOn, nextMonth };
}

function toTimes({ places }: FactUse): number {
  return places.reduce((sum, { times }) => sum + times, 0);
}

describe("how often a fact was used", () => {
  it("is the number of requests for which it was handed out, whoever asked, and however often within one", async () => {
    const { ask, times, remember, nextMonth } = await arrive();
    await remember(ada, "boat");
    await remember(ada, "hat", "private");
    await ask(bo, 3);
    await ask(cem);
    await ask(ada);
    nextMonth();
    expect(await times()).toEqual([
      ["hat", 0],
      ["boat", 3],
    ]);
  });

  it("does not change within a month: that would tell when somebody asked", async () => {
    const { ask, times, remember, goOn, nextMonth } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    // Remembered after the month that is told of.
    expect(await times()).toEqual([["boat", null]]);
    goOn(20);
    expect(await times()).toEqual([["boat", null]]);
    nextMonth();
    await ask(cem);
    expect(await times()).toEqual([["boat", 1]]);
    goOn(20);
    expect(await times()).toEqual([["boat", 1]]);
    nextMonth();
    expect(await times()).toEqual([["boat", 1]]);
    nextMonth();
    expect(await times()).toEqual([["boat", 0]]);
  });

  it("is told for each channel, and for all private uses together, never by whom", async () => {
    const { own, begin, core, audit, remember, ask, nextMonth, discord } = await arrive();
    const { id } = await remember(ada, "boat");
    await ask(bo, 1, PLACE.staff as ChannelId);
    await ask(bo);
    await ask(cem);
    const narrowed = await begin(bo);
    core.operations.narrow(narrowed);
    for (const operation of [await begin(cem, {}, { isPrivate: true }), narrowed])
      await core.gate.callTool({ name: "memory_read.get_user_facts", args: { user: ADA }, operation });
    await audit.settled();
    nextMonth();
    const fact = await own.show(ada, id);
    expect(new Map(fact.use?.places.map(({ channelId, times }) => [channelId, times]))).toEqual(
      new Map([
        [PLACE.staff, 1],
        [PLACE.general, 2],
        [null, 2],
      ]),
    );
    const text = describeWhy(fact, toPlainWords(ada, discord.directory)).join("\n");
    expect(text).toMatch(/\nUsed 5 times in \d{4}-\d\d\.\n/);
    expect(text).toMatch(/\n- in #.*: 2 times(?:\n|$)/);
    expect(text).toMatch(/\n- privately: 2 times(?:\n|$)/);
    for (const asker of [BO, CEM]) expect(text).not.toContain(asker);
  });

  it("leaves out requests in channels that the person cannot read now", async () => {
    const { ask, times, remember, nextMonth, discord } = await arrive();
    const staff = PLACE.staff as ChannelId;
    await remember(ada, "hat");
    await ask(bo, 1, staff);
    await ask(bo);
    nextMonth();
    expect(await times()).toEqual([["hat", 2]]);
    const canRead = discord.directory.canRead.bind(discord.directory);
    discord.directory.canRead = (person, channel) => !(person === ada && channel === staff) && canRead(person, channel);
    expect(await times()).toEqual([["hat", 1]]);
  });

  it("does not count what people look up about themselves", async () => {
    const { own, begin, core, discord, clock, times, remember, nextMonth } = await arrive();
    await remember(ada, "boat");
    const privacy = { previewErasure: () => ({ text: "" }) } as never;
    const programs = new PersonMemory({ ...core, ownMemory: own, privacy, directory: discord.directory, clock });
    const operation = await begin(ada, { actors: [ada] }, { isPrivate: true });
    const [fact] = (await programs.list(operation)).facts;
    await programs.show(operation, fact?.id ?? "");
    await programs.export(operation);
    nextMonth();
    expect(await times()).toEqual([["boat", 0]]);
    expect((await programs.list(operation)).facts[0]).toMatchObject({
      used: { places: [] },
      used_text: expect.stringMatching(/^Not used in \d{4}-\d\d\.$/),
    });
  });

  it("is told of earlier values, each on its own, in what people take along", async () => {
    const { own, ask, remember, nextMonth } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    await remember(ada, "boat");
    await ask(bo);
    await ask(cem);
    nextMonth();
    expect((await own.export(ada)).map(({ use }) => use && toTimes(use))).toEqual([2, 1]);
  });

  it("does not end when records of reads are erased to save space", async () => {
    const { own, ask, remember, nextMonth, audit } = await arrive();
    await remember(ada, "boat");
    await ask(bo);
    nextMonth();
    await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
    const [fact] = await own.list(ada);
    expect(fact?.use).toMatchObject({ places: [{ times: 1 }] });
  });

  it("is put in words", () => {
    const say = (times: number) =>
      describeUse({ month: "2026-10", places: times === 0 ? [] : [{ channelId: null, times }] });
    expect([say(0), say(1), say(12)]).toEqual([
      "Not used in 2026-10.",
      "Used once in 2026-10.",
      "Used 12 times in 2026-10.",
    ]);
  });
});
