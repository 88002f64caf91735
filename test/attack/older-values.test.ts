import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { removePlace } from "../support/plain-world.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openWithMemory, PRIVATELY, toBasis } from "../support/with-memory.ts";
import { openWithProposals } from "../support/with-proposals.ts";

const FOR_STAFF = {
  basis: [{ type: "discord_channel", ref: PLACE.staff, isOwn: false, authorId: null, words: "" }] as const,
};

describe("an older value", () => {
  it("does not come back when the newest of several expires", async () => {
    const { keep, hear, clock } = await openWithMemory();
    await keep({ value: "Berlin" });
    await keep({ value: "Kiel" });
    await keep({ value: "Rome", expiresAt: clock.now() + 1_000 });
    clock.ahead += 2_000;
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual([]);
  });

  it.each(["edited", "deleted unheard", "out of Discord's reach"])(
    "does not come back while a message that the newer one rests on is %s",
    async (change) => {
      let isSilent = false;
      const pause = async (what: string) => {
        if (isSilent && what.startsWith("history")) throw new EarshotError("unavailable", "Discord does not answer.");
      };
      const { keep, hear, say, tell2, drop, missing } = await openWithMemory({ pause });
      const message = say(PLACE.general, ADA, "I live in Kiel");
      const basis = [
        toBasis({ channelId: PLACE.general, id: message.id }, { words: message.content, authorId: ADA, isOwn: true }),
      ];
      await keep({ value: "Berlin" });
      await keep({ value: "Kiel", basis });
      const heard = async (who: string) => (await hear(who, PLACE.general, { user: ADA })).values;
      expect(await heard(CEM)).toEqual(["city=Kiel"]);
      if (change === "edited")
        tell2("MESSAGE_UPDATE", PLACE.general, { ...message, content: "I live in Rome", edited: true });
      else missing(() => (change === "deleted unheard" ? drop(PLACE.general, message.id) : undefined));
      isSilent = change === "out of Discord's reach";
      expect([await heard(CEM), await heard(ADA)]).toEqual([[], []]);
      // Its owner alone goes on hearing the newer one.
      const { values } = await hear(ADA, PLACE.general, {}, PRIVATELY);
      expect(values).toEqual(change === "edited" ? ["city=Kiel"] : []);
    },
  );

  it("comes back where somebody is left out on whose words the newer one rests, as if those had never been written", async () => {
    const { keep, hear, say, consent } = await openWithMemory();
    const message = say(PLACE.general, BO, "Ada lives in Kiel");
    const basis = [toBasis({ channelId: PLACE.general, id: message.id }, { words: message.content, authorId: BO })];
    await keep({ value: "Berlin" });
    await keep({ value: "Kiel", basis });
    consent.set(BO, true);
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["city=Berlin"]);
  });

  it("is gone with its history once its owner has it end with a new one that is shared elsewhere", async () => {
    const { begin, propose, press, remember, own } = await openWithProposals();
    for (const value of ["Gull", "Tern"]) await remember(ADA, ["boat", value], "project");
    await propose(await begin(ADA), { key: "boat", value: "Heron", visibility: "server" });
    await press(ADA, undefined, "as_shown_end_old");
    expect((await own.export(ADA as UserId)).map(({ fact }) => fact.value)).toEqual(["Heron"]);
  });

  it("supports no other fact once all who may hear it may hear a later one, also after one that they may not hear", async () => {
    const { keep, begin, call, propose, press, hear } = await openWithProposals();
    await keep({ value: "Berlin" });
    const operation = await begin(CEM);
    await call(operation, "memory_read.get_user_facts", { user: ADA });
    await propose(operation, { key: "trip", value: "to Berlin", visibility: "server" });
    await press(CEM, undefined, "as_shown");
    const heard = async () => (await hear(BO, PLACE.general, { user: CEM })).values;
    await keep({ value: "hidden", ...FOR_STAFF });
    expect(await heard()).toEqual(["trip=to Berlin"]);
    await keep({ value: "Kiel" });
    expect(await heard()).toEqual([]);
  });
});

describe("a fact that rests on several messages", () => {
  it("ends with the last of them, whichever is deleted first and whether or not that was heard", async () => {
    for (const isHeard of [true, false]) {
      const { keep, own, say, remove, missing, drop } = await openWithMemory();
      const messages = ["I live", "in Kiel"].map((words) => say(PLACE.general, ADA, words));
      const basis = messages.map(({ id, content }) =>
        toBasis({ channelId: PLACE.general, id }, { words: content, authorId: ADA }),
      );
      await keep({ value: "Kiel", basis });
      const exported = async () => (await own.export(ADA as UserId)).length;
      const [first, last] = messages.map(({ id }) => id) as [string, string];
      if (isHeard) remove(PLACE.general, first);
      else missing(() => drop(PLACE.general, first));
      expect(await exported()).toBe(1);
      remove(PLACE.general, last);
      await expect.poll(exported).toBe(0);
    }
  });

  it("does not end while one of them is only hidden, because its author is left out", async () => {
    const { keep, own, say, remove, consent } = await openWithMemory();
    const [mine, theirs] = [say(PLACE.general, ADA, "I live"), say(PLACE.general, BO, "in Kiel")];
    const toOne = (message: typeof mine) =>
      toBasis({ channelId: PLACE.general, id: message.id }, { words: message.content, authorId: message.authorId });
    await keep({ value: "Kiel", basis: [toOne(mine), toOne(theirs)] });
    consent.set(BO, true);
    remove(PLACE.general, mine.id);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await own.export(ADA as UserId)).toHaveLength(1);
  });

  it("is not confirmed again when the channel of the last one is deleted after it was looked at for the last time", async () => {
    const { keep, own, say, tell, world, memory } = await openWithMemory();
    const { id } = say(PLACE.general, ADA, "I live in Kiel");
    const basis = [toBasis({ channelId: PLACE.general, id }, { words: "as it was before an edit", authorId: ADA })];
    const fact = await keep({ value: "Kiel", basis });
    const { strongest } = memory;
    let looks = 0;
    memory.strongest = async (wanted) => {
      const found = await strongest.call(memory, wanted);
      looks += 1;
      if (looks < 2) return found;
      removePlace(world, PLACE.general);
      tell("CHANNEL_DELETE", { id: PLACE.general, guild_id: GUILD, type: 0, name: "general" });
      return found;
    };
    await expect(own.keep(ADA as UserId, fact.id)).rejects.toMatchObject({ code: "forbidden" });
    await expect.poll(() => memory.find({ subjectId: ADA as UserId })).toEqual([]);
  });
});
