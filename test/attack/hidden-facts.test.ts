import { describe, expect, it } from "vitest";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { toBasis } from "../support/with-memory.ts";
import { openWithProposals } from "../support/with-proposals.ts";

const FOR_STAFF = {
  basis: [{ type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" }] as const,
};

describe("a newer value that somebody may not hear", () => {
  it("does not make the older one vanish for them, however many follow", async () => {
    const { keep, hear } = await openWithProposals();
    await keep({ value: "Berlin" });
    for (let count = 0; count < 22; count += 1) await keep({ value: `hidden ${count}`, ...FOR_STAFF });
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Berlin"]);
  });

  it.each(["expires", "loses the message that it rests on"])(
    "does not take the older one along when it %s, as one does that they may hear",
    async (what) => {
      const { keep, hear, say, remove, memory, clock } = await openWithProposals();
      const heard = async (who: string, where: string) => (await hear(who, where, { user: ADA })).values;
      const end = async (channelId: string) => {
        const { id, content } = say(channelId, ADA, "I live in Kiel");
        const basis = [toBasis({ channelId, id }, { words: content, authorId: ADA })];
        const later = await keep({ value: "Kiel", basis, expiresAt: clock.now() + 1_000 });
        expect(await heard(ADA, channelId)).toEqual(["city=Kiel"]);
        if (what === "expires") clock.ahead += 2_000;
        else remove(channelId, id);
        const before = await heard(CEM, PLACE.general);
        if (what === "expires") await memory.sweep();
        else
          await expect
            .poll(async () => (await memory.find({ guildId: GUILD as GuildId })).some(({ row }) => row.id === later.id))
            .toBe(false);
        expect(await heard(CEM, PLACE.general)).toEqual(before);
        return before;
      };
      const everyone = [
        { type: "discord_channel", ref: PLACE.general, isOwn: false, authorId: null, words: "" },
      ] as const;
      await keep({ value: "Berlin", basis: everyone });
      expect(await end(PLACE.staff)).toEqual(["city=Berlin"]);
      // Those who could hear the newer one get no older value back, also once another value has come and gone.
      expect(await heard(BO, PLACE.staff)).toEqual([]);
      expect(await end(PLACE.staff)).toEqual(["city=Berlin"]);
      expect(await heard(BO, PLACE.staff)).toEqual([]);
      expect(await end(PLACE.general)).toEqual([]);
      expect(await memory.find({ guildId: GUILD as GuildId })).toEqual([]);
    },
  );

  it("does not take the older one along when a person is erased who alone hears it, or on whose fact it rests", async () => {
    const { keep, hear, memory } = await openWithProposals();
    const bo = BO as UserId;
    const { id, version } = await keep({ scopeId: BO, subjectId: bo, createdBy: bo, ...FOR_STAFF });
    const under = { type: "memory_fact", ref: `${id}@${version}`, isOwn: false, authorId: bo, words: "" } as const;
    await keep({ value: "Berlin" });
    await keep({ value: "hidden", basis: [...FOR_STAFF.basis, under] });
    expect((await hear(ADA, PLACE.staff)).values).toEqual(["city=hidden"]);
    const project = {
      scope: "project",
      scopeId: PLACE.general,
      subjectId: null,
      createdBy: bo,
      name: "berth",
    } as const;
    await keep({ ...project, value: "B1" });
    const forBo = { type: "person", ref: BO, isOwn: false, authorId: null, words: "" } as const;
    await keep({ ...project, value: "hidden", basis: [forBo] });
    expect(await memory.erase(bo)).toMatchObject({ facts: 2 });
    const projects = await hear(CEM, PLACE.general, {}, { tool: "memory_read.get_project_facts" });
    expect(projects.values).toEqual(["berth=B1"]);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Berlin"]);
    // The value on which nothing is left to rest still hides the older one from those who could hear it.
    expect((await hear(ADA, PLACE.staff)).values).toEqual([]);
  });

  it("makes no room for somebody who has as many remembered as they may, so that trying names tells nothing", async () => {
    const { keep } = await openWithProposals();
    const project = {
      scope: "project",
      scopeId: PLACE.general,
      subjectId: null,
      home: { kind: "channel", id: PLACE.general },
    } as const;
    const [byAda, byCem] = [ADA, CEM].map(
      (who) => ({ ...project, createdBy: who as UserId }) as Parameters<typeof keep>[0],
    );
    await keep({ ...byAda, name: "berth", value: "hidden", ...FOR_STAFF });
    for (let count = 0; count < 200; count += 1) await keep({ ...byCem, name: `plan ${count}` });
    const isFull = { code: "forbidden", message: expect.stringContaining("200 facts remembered there already") };
    for (const name of ["mooring", "berth"])
      await expect(keep({ ...byCem, name, value: "B1" })).rejects.toMatchObject(isFull);
    expect(await keep({ ...byCem, name: "plan 7", value: "changed" })).toMatchObject({ value: "changed" });
  });

  it("is not noticed by an operation that has read the older one, as one that they may hear is", async () => {
    const { keep, begin, call, send } = await openWithProposals();
    await keep({ value: "Berlin" });
    const operation = await begin(CEM);
    await call(operation, "memory_read.get_user_facts", { user: ADA });
    await keep({ value: "hidden", ...FOR_STAFF });
    expect(await send(operation, "Ada is in Berlin")).toMatchObject({ ok: true });
    await keep({ value: "Kiel" });
    expect(await send(operation, "Ada is in Berlin")).toMatchObject({ ok: false, code: "forbidden" });
  });
});
