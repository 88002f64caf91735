import { describe, expect, it } from "vitest";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { openTestMemory } from "../support/memory.ts";
import { buttonId, buttonsOf, openHarbour } from "./open-harbour.ts";
import { openRemembering, textOf } from "./open-remembering.ts";

const labelsOf = (message: MessageRecord) => buttonsOf(message).map(({ label }) => label);

describe("a name that is nearly one that the person has", () => {
  it("is offered as a replacement, which is stored under the earlier name in its place", async () => {
    const { remember, preview, decide, listOf, own, sandbox } = await openRemembering();
    await remember("sarah", { key: "city", value: "Lisbon" });
    const { text, last } = await preview("sarah", { key: "home city", value: "Porto" });
    expect(text).toContain("It is remembered under a key that you have already: “city”. It replaces “Lisbon”.");
    expect(labelsOf(last)).toEqual(["Remember", "Replace city", "Cancel"]);
    expect(await decide("sarah", last, "Replace city")).toContain("Remembered: **city**.");
    expect(await listOf("sarah")).toEqual([["city", "Porto"]]);
    expect((await own.export(sandbox.as("sarah").id as UserId)).map(({ fact }) => fact.value)).toEqual([
      "Porto",
      "Lisbon",
    ]);
    const again = await preview("sarah", { key: "home city", value: "Faro" });
    await decide("sarah", again.last);
    expect(await listOf("sarah")).toEqual([
      ["home city", "Faro"],
      ["city", "Porto"],
    ]);
    // It replaces one of its own name: nothing else is meant.
    const exact = await preview("sarah", { key: "Home City", value: "Braga" });
    expect(labelsOf(exact.last)).toEqual(["Remember", "Cancel"]);
  });

  it("is never offered from facts of other people, or for another audience", async () => {
    const { remember, preview } = await openRemembering();
    await remember("mark", { key: "city", value: "Lisbon" });
    await remember("mark", { key: "cities", value: "Lisbon", share: "org" });
    await remember("sarah", { key: "city", value: "Porto", share: "org" });
    const { text, last } = await preview("sarah", { key: "home city", value: "Faro" });
    expect(text).not.toMatch(/Lisbon|Porto|same as/);
    expect(labelsOf(last)).toEqual(["Remember", "Cancel"]);
    const shared = await preview("sarah", { key: "home city", value: "Faro", share: "org" });
    expect(labelsOf(shared.last)).toEqual(["Remember", "Replace city", "Cancel"]);
  });

  it("says what others go on hearing when the earlier name is shared elsewhere, too", async () => {
    const { remember, preview } = await openRemembering();
    await remember("sarah", { key: "city", value: "Lisbon", share: "org" });
    await remember("sarah", { key: "city", value: "Porto" });
    const { text } = await preview("sarah", { key: "home city", value: "Faro" });
    expect(text).toMatch(/It replaces “Porto”\. Others go on hearing the old value: “Lisbon” \(“.+”\)\./);
  });

  it("stores nothing when the earlier fact has changed since, and shows it again", async () => {
    const { remember, preview, say, sandbox, listOf } = await openRemembering();
    await remember("sarah", { key: "city", value: "Lisbon" });
    const { last } = await preview("sarah", { key: "home city", value: "Porto" });
    await say("sarah", "forget", { fact: "city" });
    const click = sandbox.as("sarah").click(last, buttonId(last, "Replace city"));
    await expect.poll(() => textOf(click)).toContain("“Remember”: only you will be able to hear it.\n");
    expect(last.content).toContain("Something has changed since you were shown this");
    expect(await listOf("sarah")).toEqual([]);
  });

  it("is offered in the review of what a model proposes, to the person alone", async () => {
    const { prompt, review, sarah, ownMemory, id } = await openHarbour({
      rules: { memory: { people: "shared" } },
      openMemory: openTestMemory,
    } as never);
    const person = sarah.id as UserId;
    const request = { key: "city", value: "Lisbon", visibility: "private" as const, typedIn: "1" };
    await ownMemory?.remember(person, { ...request, channelId: id("general") as never });
    const { message } = await prompt({ key: "home city", value: "Porto" }, { name: "memory_write.remember_fact" });
    expect(JSON.stringify(message)).not.toMatch(/city|Lisbon/);
    const { last } = await review(message);
    expect(labelsOf(last)).toEqual(["Remember", "Replace city", "Discard"]);
    expect(last.content).toContain("It is remembered under a key that you have already: “city”. It replaces “Lisbon”.");
    sarah.click(last, buttonId(last, "Replace city"));
    await expect.poll(() => last.content).toMatch(/^Remembered\./);
    expect((await ownMemory?.list(person))?.map(({ fact }) => [fact.name, fact.value])).toEqual([["city", "Porto"]]);
  });

  it("stands on a button that Discord takes, however long it is, and is escaped in the text", async () => {
    const { remember, preview, decide, listOf } = await openRemembering();
    const key = `${"🛶".repeat(55)}**x**`;
    await remember("sarah", { key, value: "Lisbon" });
    const { text, last } = await preview("sarah", { key: `${key} y`, value: "Porto" });
    const label = labelsOf(last)[1] ?? "";
    expect(label).toMatch(/^Replace (🛶)+…$/u);
    expect(label.length).toBeLessThanOrEqual(80);
    expect(text.replaceAll(/```\n[\s\S]*?\n```/g, "")).not.toContain("**x**");
    await decide("sarah", last, label);
    expect(await listOf("sarah")).toEqual([[key, "Porto"]]);
  });

  it("is not offered where the value would be refused under it, and can be used all the same", async () => {
    const { preview, remember, decide } = await openRemembering();
    await remember("sarah", { key: "door code", value: "ask Mark" });
    const { text, last } = await preview("sarah", { key: "door", value: "4711" });
    expect(text).not.toContain("a key that you have already");
    expect(await decide("sarah", last)).toContain("Remembered: **door**.");
  });
});
