import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { describeChannel } from "../support/describe-world.ts";
import type { InProcessOptions } from "../support/in-process.ts";
import { MASK } from "../support/plain-world.ts";
import { ADA, BO, CEM, GUILD, PLACE, STAFF } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY, SHARED, toBasis } from "../support/with-memory.ts";

const me = ADA as UserId;

/** Ada may tell knowingly what not everyone can read. */
async function arrive(options: InProcessOptions = {}) {
  const system = await openWithMemory({ rules: { ...SHARED, disclosure: { guilds: [GUILD] } }, ...options });
  const { asked, gate } = system;
  const confirm = (id = asked.at(-1)?.id ?? "") =>
    gate.confirm(id, me, { inPerson: true }).then(
      () => "done",
      ({ code }: { code: string }) => code,
    );
  return { ...system, confirm };
}

describe("what somebody tells knowingly", () => {
  it("is nothing that others have taken back from under what is remembered about them", async () => {
    const { hear, keep, say, tell2, clock, send, asked, departures } = await arrive();
    const message = say(PLACE.staff, BO, "Ada moves to Berlin");
    const basis = [toBasis({ channelId: PLACE.staff, id: message.id }, { words: "Ada moves to Berlin", authorId: BO })];
    await keep({ basis });
    clock.ahead += 1_000;
    Object.assign(message, { content: "never mind", edited: true });
    tell2("MESSAGE_UPDATE", PLACE.staff, message);
    clock.ahead += 1_000;
    const { operation, values } = await hear(ADA, PLACE.general, {}, PRIVATELY);
    expect(values).toEqual(["city=Berlin"]);
    expect(await send(operation, "I move to Berlin")).toMatchObject({ ok: false, code: "forbidden" });
    expect([asked, departures]).toEqual([[], []]);
  });

  it("reaches nobody who came in the place of another whom it would have reached", async () => {
    const { hear, remember, send, tell, leave, asked, confirm, departures } = await arrive();
    const join = (id: string) =>
      tell("GUILD_MEMBER_ADD", { guild_id: GUILD, user: { id, username: `u${id}` }, roles: [], pending: true });
    await remember(ADA, ["city", "Berlin"], "org");
    join("3101");
    const { operation, values } = await hear(ADA, PLACE.general, {}, PRIVATELY);
    expect(values).toEqual(["city=Berlin"]);
    expect(await send(operation, "I live in Berlin")).toMatchObject({ code: "confirmation_needed" });
    expect(asked).toMatchObject([{ action: { disclosure: { barred: [{ channelId: null, learners: 1 }] } } }]);
    leave("3101");
    join("3102");
    expect(await confirm()).toBe("forbidden");
    expect(departures).toEqual([]);
  });

  it("leaves once, however often and fast it is confirmed", async () => {
    const { hear, remember, send, asked, confirm, departures } = await arrive();
    await remember(ADA, ["city", "Berlin"]);
    const { operation } = await hear(ADA, PLACE.general, {}, PRIVATELY);
    await send(operation, "I live in Berlin");
    await send(operation, "Berlin it is");
    expect(asked).toHaveLength(2);
    const first = asked[0]?.id;
    expect((await Promise.all([confirm(first), confirm(first), confirm()])).sort()).toEqual([
      "done",
      "done",
      "not_found",
    ]);
    expect(departures).toHaveLength(2);
  });

  it("is nothing that is remembered of others", async () => {
    const { hear, keep, send, asked } = await arrive();
    await keep({
      scopeId: BO,
      subjectId: BO as UserId,
      visibility: "project",
      home: { kind: "channel", id: PLACE.staff as never },
    });
    const { operation, values } = await hear(ADA, PLACE.general, { user: BO }, PRIVATELY);
    expect(values).toEqual(["city=Berlin"]);
    expect(await send(operation, "Bo lives in Berlin")).toMatchObject({ ok: false, code: "forbidden" });
    expect(asked).toEqual([]);
  });

  it("is nothing of somebody who was left out before they confirmed", async () => {
    const { open, call, send, consent, asked, confirm, departures } = await arrive();
    const operation = await open(ADA, PLACE.general, {}, PRIVATELY);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    expect(await send(operation, "tide")).toMatchObject({ code: "confirmation_needed" });
    consent.set(BO, true);
    expect(await confirm(asked[0]?.id)).toMatch(/forbidden|not_found/);
    expect(departures).toEqual([]);
  });

  it("reaches nobody who could read the source when they were shown whom it would reach", async () => {
    const { open, call, send, join, confirm, departures } = await arrive();
    const operation = await open(ADA, PLACE.general, {}, PRIVATELY);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    expect(await send(operation, "tide")).toMatchObject({ code: "confirmation_needed" });
    join(BO, []);
    join(CEM, [STAFF]);
    expect(await confirm()).toBe("forbidden");
    expect(departures).toEqual([]);
  });

  it.each([
    ["holds", false],
    ["is void when the rules of a channel change", true],
  ])("%s where nobody knows how many people it reaches", async (_, changes) => {
    const { open, call, send, asked, confirm, tell, world, departures } = await arrive({ members: "asked" });
    const operation = await open(ADA, PLACE.general, {}, PRIVATELY);
    await call(operation, "discord.channel.messages", { channel_id: PLACE.staff });
    expect(await send(operation, "tide")).toMatchObject({ code: "confirmation_needed" });
    expect(asked).toMatchObject([{ action: { disclosure: { barred: [{ learners: null }] } } }]);
    const [guild] = world.guilds;
    const staff = guild?.channels.find(({ id }) => id === PLACE.staff);
    if (changes) staff?.overwrites.push({ id: CEM, type: 1, allow: MASK.view, deny: 0n });
    if (guild && staff) tell("CHANNEL_UPDATE", { ...describeChannel(guild, staff), guild_id: GUILD });
    expect(await confirm()).toBe(changes ? "forbidden" : "done");
    expect(departures).toHaveLength(changes ? 0 : 1);
  });
});
