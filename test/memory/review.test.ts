import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { createTestConsent } from "../support/consent.ts";
import { openCoreOnDisk } from "../support/core-on-disk.ts";
import { FailingStores } from "../support/failing-stores.ts";
import { openMemoryIn } from "../support/memory.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";

const DAY_MS = 86_400_000;
const [ada, bo] = [ADA, BO] as [UserId, UserId];

async function arrive(userDays = 3_650) {
  const retentionDays = { user: userDays, project: 3_650, org: 3_650 };
  const files = await openCoreOnDisk(smallWorld(), { rules: { memory: { people: "shared", retentionDays } } });
  const { core, clock, audit } = files;
  const own = core.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const ask = async (actor: UserId, key: string, channelId: string = PLACE.general) => {
    const client = { name: "test", grant: OPERATOR_GRANT };
    const operation = await core.operations.open(client, { actor, channelId: channelId as ChannelId });
    await core.gate.callTool({ name: "memory_read.get_user_facts", args: { user: ADA, key }, operation });
    await audit.settled();
  };
  const remember = (key: string, channelId: string = PLACE.general) =>
    own.remember(ada, {
      ...{ key, value: "x", visibility: channelId === PLACE.general ? "org" : "project", typedIn: "1" },
      channelId: channelId as ChannelId,
    });
  const review = async () => (await own.review(ada)).map(({ fact, why }) => [fact.name, why]);
  const goOn = (days: number) => {
    clock.ahead += days * DAY_MS;
  };
  return { ...files, own, ask, remember, review, goOn };
}

describe("the review of one's own facts", () => {
  it("has those that nobody was told for a year, since they were remembered, used or kept", async () => {
    const { ask, remember, review, goOn, own } = await arrive();
    const boat = await remember("boat");
    await remember("hat");
    goOn(200);
    await ask(bo, "hat");
    expect(await review()).toEqual([]);
    goOn(165);
    expect(await review()).toEqual([["boat", "unused"]]);
    await own.keep(ada, boat.id);
    expect(await review()).toEqual([]);
    goOn(200);
    expect(await review()).toEqual([]);
    // The month in which it was used is known, not the day.
    goOn(31);
    expect(await review()).toEqual([["hat", "unused"]]);
    goOn(134);
    expect(await review()).toEqual([
      ["hat", "unused"],
      ["boat", "unused"],
    ]);
  });

  it("has those that end within a month, and keeping one has it remembered as long as a new fact, for the same people", async () => {
    const { ask, remember, review, goOn, own, clock } = await arrive(365);
    const boat = await remember("boat");
    const short = {
      key: "hat",
      value: "x",
      visibility: "private",
      typedIn: "1",
      channelId: PLACE.general as ChannelId,
    };
    goOn(300);
    await own.remember(ada, { ...short, visibility: "private", expiresAt: clock.now() + 40 * DAY_MS });
    await ask(bo, "boat");
    goOn(34);
    expect(await review()).toEqual([]);
    goOn(1);
    expect(await review()).toEqual([["boat", "ending"]]);
    const kept = await own.keep(ada, boat.id);
    expect(kept.id).not.toBe(boat.id);
    const { name, value, visibility, home, guildId } = boat;
    const until = clock.now() + 365 * DAY_MS;
    expect(kept).toMatchObject({ name, value, visibility, home, guildId, expiresAt: until });
    expect(await review()).toEqual([]);
    await expect(own.keep(ada, boat.id)).rejects.toMatchObject({ code: "not_found" });
    goOn(300);
    expect((await own.list(ada)).map(({ fact }) => fact.name)).toEqual(["boat"]);
  });

  it("takes no time from a fact that is kept, also where new ones are remembered for less time by now", async () => {
    const { own, memory, review, goOn, clock } = await arrive(10);
    const expiresAt = clock.now() + 100 * DAY_MS;
    const fact = { name: "boat", value: "x", visibility: "private", home: { kind: "person", id: ada } } as const;
    const { id } = await memory.remember({
      ...{ scope: "user", scopeId: ADA, subjectId: ada, guildId: null, createdBy: ada, ...fact },
      ...{ verification: "user_confirmed", confidence: 1, expiresAt, ends: [] },
      basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
    });
    goOn(80);
    expect(await review()).toEqual([["boat", "ending"]]);
    expect(await own.keep(ada, id)).toMatchObject({ value: "x", expiresAt });
    expect(await review()).toEqual([]);
  });

  it("is the person's own: looking at it is no use, and nobody else keeps anything", async () => {
    const { remember, review, goOn, own } = await arrive();
    const boat = await remember("boat");
    goOn(365);
    await own.list(ada);
    await own.show(ada, boat.id);
    expect(await review()).toEqual([["boat", "unused"]]);
    for (const refused of [() => own.keep(bo, boat.id), () => own.keep(ada, "nothing")])
      await expect(refused()).rejects.toMatchObject({ code: "not_found", message: "You have no such fact." });
    expect(await own.review(bo)).toEqual([]);
  });

  it("forgets when a fact was used together with the fact", async () => {
    const { remember, ask, own, memory, core } = await arrive();
    const boat = await remember("boat");
    const hat = await remember("hat");
    await ask(bo, "boat");
    await ask(bo, "hat");
    const used = async () => (await memory.uses([boat, hat])).map(({ fact_id, times }) => [fact_id, times]).sort();
    expect(await used()).toEqual(
      [
        [boat.id, 1],
        [hat.id, 1],
      ].sort(),
    );
    await own.forget(ada, boat.id);
    expect(await used()).toEqual([[hat.id, 1]]);
    await core.erasePerson(ada);
    expect(await used()).toEqual([]);
  });

  it("notes nothing of a fact that was used right before it was forgotten", async () => {
    const { remember, ask, own, memory } = await arrive();
    const boat = await remember("boat");
    await ask(bo, "boat");
    await own.forget(ada, boat.id);
    expect(await memory.uses([boat])).toEqual([]);
  });

  it("has a fact whose message was edited until it is confirmed again, resting on the message as it is now", async () => {
    const { own, keep, say, edit, hear } = await openWithEdits();
    const message = say(PLACE.general, ADA, "city: Berlin");
    const said = { channelId: PLACE.general, id: message.id };
    await keep({ basis: [toBasis(said, { words: "city: Berlin", authorId: ADA, isOwn: true })] });
    expect(await own.review(ada)).toEqual([]);
    edit(PLACE.general, message.id, "my city: Berlin!");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
    const [shown] = await own.review(ada);
    expect(shown).toMatchObject({ why: "dormant", dormant: "source_edited" });
    const kept = await own.keep(ada, shown?.fact.id ?? "");
    expect(kept).toMatchObject({ value: "Berlin", basis: [{ isOwn: true }] });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Berlin"]);
    expect(await own.review(ada)).toEqual([]);
    edit(PLACE.general, message.id, "I moved");
    // Own words that do not stand there any more limit who hears it.
    expect(await own.keep(ada, kept.id)).toMatchObject({ basis: [{ type: "discord_message", isOwn: false }] });
    await expect(own.keep(ada, kept.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("shows what was kept although it is not in use again after three months", async () => {
    const { own, keep, say, clock } = await openWithEdits();
    const message = say(PLACE.staff, BO, "the tide turns");
    const basis = [toBasis({ channelId: PLACE.staff, id: message.id }, { words: "the tide turns", authorId: BO })];
    const about = { scopeId: CEM, subjectId: CEM as UserId, createdBy: CEM as UserId };
    const { id } = await keep({ ...about, basis });
    const review = async () => (await own.review(CEM as UserId)).map(({ why, isReadable }) => [why, isReadable]);
    expect(await review()).toEqual([["dormant", false]]);
    await own.keep(CEM as UserId, id);
    expect(await review()).toEqual([]);
    clock.ahead += 90 * DAY_MS;
    expect(await review()).toEqual([["dormant", false]]);
  });

  it("disturbs no fact when a store fails at any moment, and says so only to the person who keeps one", async () => {
    const work = async (call: number) => {
      const folder = mkdtempSync(join(tmpdir(), "earshot-review-"));
      const clock = { now: () => 1_000 * DAY_MS };
      const failing = new FailingStores(call, { isKilled: false, moment: "after" });
      const wrap = <Store extends object>(store: Store) => failing.wrap(store);
      const { memory, close } = await openMemoryIn(folder, { consent: createTestConsent(), clock }, wrap);
      const basis = [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" } as const];
      const home = { kind: "person", id: ada } as const;
      const fact = await memory.remember({
        ...{ scope: "user", scopeId: ada, subjectId: ada, guildId: null, visibility: "private", home, name: "boat" },
        ...{
          value: "Tern",
          basis,
          createdBy: ada,
          verification: "user_confirmed",
          confidence: 1,
          expiresAt: null,
          ends: [],
        },
      });
      const before = failing.calls;
      const problem = await memory.noteKept(fact).then(
        () => null,
        ({ code }: { code: string }) => code,
      );
      const after = failing.calls;
      expect(await memory.openById(fact.id)).toMatchObject({ value: "Tern" });
      close();
      rmSync(folder, { recursive: true });
      return { before, after, problem };
    };
    const { before, after, problem } = await work(Number.POSITIVE_INFINITY);
    expect([after - before, problem]).toEqual([1, null]);
    expect((await work(before + 1)).problem).toBe("unavailable");
  });
});

async function openWithEdits() {
  const system = await openWithMemory();
  const edit = (channelId: string, id: string, content: string) => {
    const message = system.world.messages.get(channelId)?.find((one) => one.id === id);
    if (!message) throw new Error("there is no such message");
    Object.assign(message, { content, edited: true });
    system.tell2("MESSAGE_UPDATE", channelId, message);
  };
  return { ...system, edit };
}

describe("a fact that its person has confirmed again", () => {
  /** A fact that ends soon, so that to keep it is to confirm it again. */
  const arriveBeforeTheEnd = async () => {
    const world = await arrive(120);
    const { id } = await world.remember("boat");
    world.goOn(100);
    const left = async () => (await world.own.export(ada)).map(({ fact }) => fact.name);
    return { ...world, id, left };
  };

  it("is gone when it is forgotten by what it was before, as with a button that was shown earlier", async () => {
    const { own, id, left } = await arriveBeforeTheEnd();
    const kept = await own.keep(ada, id);
    expect(kept.id).not.toBe(id);
    expect(await own.forget(ada, id)).toMatchObject({ facts: 2 });
    expect(await left()).toEqual([]);
  });

  it("stays when an older value of it is forgotten that was another one", async () => {
    const { own, id, left } = await arriveBeforeTheEnd();
    const channelId = PLACE.general as ChannelId;
    await own.remember(ada, { key: "boat", value: "y", visibility: "org", typedIn: "1", channelId });
    expect(await own.forget(ada, id)).toMatchObject({ facts: 1 });
    expect(await left()).toEqual(["boat"]);
  });

  it("is gone when it is forgotten at the same moment, whichever comes first", async () => {
    const { own, keep, clock } = await openWithMemory();
    for (let steps = 0; steps < 80; steps += 1) {
      const { id } = await keep({ expiresAt: clock.now() + 120 * DAY_MS });
      clock.ahead += 100 * DAY_MS;
      const keeping = own.keep(ada, id).catch(() => null);
      for (let step = 0; step < steps; step += 1) await null;
      await own.forget(ada, id);
      await keeping;
      expect([steps, await own.export(ada)]).toEqual([steps, []]);
    }
  });
});
