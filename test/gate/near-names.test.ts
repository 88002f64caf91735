import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openWithMemory, toBasis } from "../support/with-memory.ts";
import { openWithProposals } from "../support/with-proposals.ts";

const NAMES = ["city", "cities", "home city", "citty", "time zone", "timezone", "boat"];
const hiddenFact = fc.record({
  name: fc.constantFrom(...NAMES),
  why: fc.constantFrom("rests on the staff's channel", "about somebody else", "with another audience", "ended"),
});

describe("the offer to replace a fact of nearly the same name", () => {
  it("is the same whatever facts there are that the writer may not hear, or that have another audience", async () => {
    const facts = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });
    const hidden = fc.array(hiddenFact, { minLength: 1, maxLength: 4 });
    let offers = 0;
    await fc.assert(
      fc.asyncProperty(facts, hidden, fc.constantFrom(...NAMES), async (visible, secrets, key) => {
        const shown: unknown[] = [];
        for (const others of [[], secrets]) {
          const { own, remember, keep, say, close } = await openWithMemory();
          const message = say(PLACE.staff, BO, "the staff meets in Lisbon");
          // What has the very name is told by another rule.
          for (const { name, why } of others.filter((one) => one.name !== key)) {
            const onStaff = toBasis(
              { channelId: PLACE.staff, id: message.id },
              { words: message.content, authorId: BO },
            );
            const home = { kind: "person" as const, id: CEM as UserId };
            const privately = { scopeId: CEM, subjectId: CEM as UserId, guildId: null, visibility: "private" as const };
            if (why === "about somebody else") await remember(BO, [name, "secret"]);
            if (why === "with another audience") await remember(CEM, [name, "secret"], "org");
            if (why === "rests on the staff's channel")
              await keep({
                ...privately,
                home,
                createdBy: CEM as UserId,
                name: `${name}s`,
                value: "secret",
                basis: [onStaff],
              });
            if (why === "ended") await own.forget(CEM as UserId, (await remember(CEM, [name, "secret"])).id);
          }
          for (const name of visible) await remember(CEM, [name, `the ${name}`]);
          const request = { key, value: "Porto", visibility: "private" as const, typedIn: "2" };
          const preview = await own.preview(CEM as UserId, { ...request, channelId: PLACE.general as ChannelId });
          const { near, replaces } = preview;
          shown.push([near && [near.fact.name, near.fact.value], replaces.map(({ fact }) => fact.value)]);
          if (near) offers += 1;
          await close();
        }
        expect(shown[0]).toEqual(shown[1]);
        expect(JSON.stringify(shown)).not.toContain("secret");
      }),
      { numRuns: 12, seed: 7 },
    );
    expect(offers).toBeGreaterThan(3);
  });

  it("is among the ways of what a model proposes, for the person alone, and stores exactly that", async () => {
    const { begin, propose, waiting, press, gate, remember, own } = await openWithProposals();
    await remember(ADA, ["city", "Lisbon"]);
    const operation = await begin(ADA, PLACE.general, { isPrivate: true });
    await propose(operation, { key: "home city", value: "Porto" });
    const [confirmation] = waiting(ADA);
    const preview = await gate.preview(confirmation?.id ?? "", ADA as UserId, { inPerson: true });
    if (preview.kind !== "remember") throw new Error("nothing is to be remembered");
    expect(preview.ways.map(({ name, key, replaces }) => [name, key, replaces.map(({ fact }) => fact.value)])).toEqual([
      ["as_shown", "home city", []],
      ["replace_near", "city", ["Lisbon"]],
    ]);
    await press(ADA, undefined, "replace_near");
    expect((await own.list(ADA as UserId)).map(({ fact }) => [fact.name, fact.value])).toEqual([["city", "Porto"]]);
  });

  it("is left out where the value could not be kept under that name, so that a model learns of no fact that it may not hear", async () => {
    const { begin, propose, waiting, gate, remember } = await openWithProposals();
    const ways = async () => {
      const preview = await gate.preview(waiting(ADA).at(-1)?.id ?? "", ADA as UserId, { inPerson: true });
      return preview.kind === "remember" ? preview.ways.map(({ name }) => name) : [];
    };
    const isAsked = { ok: false, code: "confirmation_needed" };
    await remember(ADA, ["door code", "ask Bo"]);
    const operation = await begin(ADA);
    // As "door code", this would be a secret.
    expect(await propose(operation, { key: "door", value: "4711" })).toMatchObject(isAsked);
    expect(await ways()).toEqual(["as_shown"]);
    expect(await propose(operation, { key: "door", value: "green" })).toMatchObject(isAsked);
    expect(await ways()).toEqual(["as_shown", "replace_near"]);
  });

  it("is void for what a model proposes once the similar fact has ended", async () => {
    const { begin, propose, press, remember, own, values } = await openWithProposals();
    const { id } = await remember(ADA, ["city", "Lisbon"]);
    await propose(await begin(ADA, PLACE.general, { isPrivate: true }), { key: "home city", value: "Porto" });
    await own.forget(ADA as UserId, id);
    await expect(press(ADA, undefined, "replace_near")).rejects.toMatchObject({ code: "forbidden" });
    expect(await values(ADA)).toEqual([]);
  });

  it("is not made known to a program that names a way which is not there", async () => {
    const { begin, propose, press, remember, keep } = await openWithProposals();
    await remember(ADA, ["city", "Lisbon"]);
    await keep({ name: "hats", value: "red", home: { kind: "guild", id: GUILD as never } });
    await propose(await begin(ADA, PLACE.general, { isPrivate: true }), { key: "home city", value: "Porto" });
    await expect(press(ADA, undefined, "only_for_me")).rejects.toThrow("Choose one of: as_shown.");
  });
});
