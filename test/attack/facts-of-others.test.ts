import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import type { StoredFact } from "../../src/ports/fact-store.ts";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { PRIVATELY } from "../support/with-memory.ts";
import { openWithProposals } from "../support/with-proposals.ts";

describe("a fact that rests on what somebody else has had remembered about themselves", () => {
  it.each(["forgets it", "erases everything", "is left out", "leaves the server", "lets it expire"])(
    "is heard by nobody once that person %s",
    async (change) => {
      const system = await openWithProposals();
      const { begin, propose, press, hear, remember, own, call, consent, leave, clock, erasePerson } = system;
      const until = change === "lets it expire" ? { expiresAt: clock.now() + 1_000 } : {};
      const { id } = await remember(BO, ["city", "Berlin"], "org", until);
      const operation = await begin(ADA);
      await call(operation, "memory_read.get_user_facts", { user: BO });
      await propose(operation, { key: "bo", value: "lives in Berlin", visibility: "server" });
      await press(ADA, undefined, "as_shown");
      // What rests on that again rests on Bo's fact, too.
      const later = await begin(ADA);
      await call(later, "memory_read.get_user_facts", { key: "bo" });
      await propose(later, { key: "trip", value: "to Berlin, to Bo", visibility: "server" });
      await press(ADA, undefined, "as_shown");
      const heard = async () => (await hear(CEM, PLACE.general, { user: ADA })).values;
      expect(await heard()).toEqual(["trip=to Berlin, to Bo", "bo=lives in Berlin"]);
      if (change === "forgets it") await own.forget(BO as UserId, id);
      if (change === "erases everything") await erasePerson(BO as UserId);
      if (change === "is left out") await consent.leaveOut(BO as UserId);
      if (change === "leaves the server") leave(BO);
      if (change === "lets it expire") clock.ahead += 2_000;
      expect(await heard()).toEqual([]);
      const shown = await own.list(ADA as UserId);
      // What is erased takes along what nobody could ever read again.
      const left = change === "erases everything" ? [] : [false, false];
      expect(shown.map(({ isReadable }) => isReadable)).toEqual(left);
    },
  );

  it("ends when that person erases everything, with its key and its earlier values, and the receipt does not count it", async () => {
    const { begin, propose, press, remember, own, call, memory, erasePerson } = await openWithProposals();
    await remember(BO, ["city", "Berlin"], "org");
    await remember(ADA, ["bo", "a friend"]);
    await remember(ADA, ["boat", "Gull"]);
    const operation = await begin(ADA, PLACE.general, PRIVATELY);
    await call(operation, "memory_read.get_user_facts", { user: BO });
    await propose(operation, { key: "bo", value: "lives in Berlin", visibility: "private" });
    await press(ADA);
    const before = await own.export(ADA as UserId);
    expect(before.map(({ fact }) => fact.value)).toEqual(["lives in Berlin", "Gull", "a friend"]);
    const copies = new Map<unknown, readonly StoredFact[]>();
    for (const { fact } of before) copies.set(fact.value, await memory.findById(fact.id));
    expect(await erasePerson(BO as UserId)).toMatchObject({ facts: 1, isScrubbed: !IS_ON_POSTGRES });
    expect((await own.export(ADA as UserId)).map(({ fact }) => fact.value)).toEqual(["Gull"]);
    for (const [value, copy] of copies) {
      expect(copy).toHaveLength(1);
      expect((await memory.open(copy)).map((fact) => fact.value)).toEqual(value === "Gull" ? ["Gull"] : []);
    }
  });

  it("is not stored when that person erases everything at the same moment", async () => {
    const { remember, keep, memory, own } = await openWithProposals();
    const { id, version } = await remember(BO, ["city", "Berlin"], "org");
    const basis = [
      { type: "memory_fact", ref: `${id}@${version}`, isOwn: false, authorId: BO as UserId, words: "" },
    ] as const;
    const erasing = memory.erase(BO as UserId);
    await expect(keep({ name: "bo", value: "lives in Berlin", basis })).rejects.toMatchObject({ code: "forbidden" });
    await erasing;
    expect(await own.export(ADA as UserId)).toEqual([]);
  });

  it("goes on being heard where the earlier fact was one's own, and ended with it", async () => {
    const { begin, propose, press, hear, remember, call } = await openWithProposals();
    await remember(ADA, ["boat", "Gull"], "project");
    const operation = await begin(ADA);
    await call(operation, "memory_read.get_user_facts", {});
    await propose(operation, { key: "boat", value: "Heron", visibility: "server" });
    await press(ADA, undefined, "as_shown_end_old");
    expect((await hear(CEM, PLACE.general, { user: ADA })).values).toEqual(["boat=Heron"]);
  });
});
