import { describe, expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { until } from "../support/edge.ts";
import { openTestMemory } from "../support/memory.ts";
import { buttonId, buttonsOf, openHarbour, whispered } from "./open-harbour.ts";

const SHARED = { memory: { people: "shared" } };
const NOT_YOURS = "Only the person who asked can review this.";
const REMEMBER = { name: "memory_write.remember_fact" };

const openWithMemory = async () => {
  const harbour = await openHarbour({ rules: SHARED, openMemory: openTestMemory } as never);
  const own = harbour.ownMemory;
  if (!own) throw new Error("nothing is remembered");
  const facts = async () =>
    (await own.list(harbour.sarah.id as UserId)).map(({ fact }) => [fact.visibility, fact.value]);
  return { ...harbour, own, facts };
};

describe("a fact that a model proposes, in Discord,", () => {
  it("is shown to the person alone with its exact value and who will hear it, and stored as they choose", async () => {
    const { prompt, review, sarah, facts, id } = await openWithMemory();
    const { message, again: repeat } = await prompt(
      { key: "boat", value: "the **Heron**", visibility: "server" },
      REMEMBER,
    );
    expect(JSON.stringify(message)).not.toContain("Heron");
    const { last } = await review(message);
    expect(last.more?.ephemeralFor).toBe(sarah.id);
    expect(last.content).toContain("```\nthe **Heron**\n```");
    expect(last.content).toContain("“Only for me”: only you will be able to hear it.");
    expect(last.content).toMatch(
      /“Remember”: those members of .* who also have access to <#\d+> \(\d+ people now\), because/,
    );
    expect(last.content).toContain(`in <#${id("general")}>`);
    expect(buttonsOf(last).map(({ label }) => label)).toEqual(["Remember", "Only for me", "Discard"]);
    expect(await facts()).toEqual([]);
    sarah.click(last, buttonId(last, "Only for me"));
    await until(() => last.content.startsWith("Remembered."), "no outcome was told");
    expect(await facts()).toEqual([["private", "the **Heron**"]]);
    expect(await repeat()).toMatchObject({ value: { remembered: true } });
    await until(() => message.content === "Reviewed.", "the button stayed");
  });

  it("is nobody else's to see or decide, by the button or by a forged one", async () => {
    const { prompt, sandbox, facts, sarah, edge, waiting, id } = await openWithMemory();
    const { message } = await prompt({ key: "boat", value: "Heron" }, REMEMBER);
    const mark = sandbox.as("mark");
    expect(await whispered(mark.click(message, buttonId(message, "Review")))).toBe(NOT_YOURS);
    const real = waiting[0]?.id ?? "";
    for (const owner of [sarah.id, mark.id]) {
      const button = `review:as_shown:${owner}:${real}`;
      const draft = { text: "press me", mentions: [], buttons: [{ id: button, label: "?" }] };
      const bait = await edge.discord.send(id("general") as ChannelId, draft);
      const click = mark.click({ id: bait.message_id, channelId: bait.channel_id }, button);
      expect(await whispered(click)).toBe(owner === sarah.id ? NOT_YOURS : "This has been decided or has expired.");
    }
    expect(await facts()).toEqual([]);
  });

  it("can be dropped, and is not asked for again", async () => {
    const { prompt, review, sarah, facts } = await openWithMemory();
    const { message, again } = await prompt({ key: "boat", value: "Heron" }, REMEMBER);
    const { last } = await review(message);
    sarah.click(last, buttonId(last, "Discard"));
    await until(() => last.content.startsWith("Discarded"), "no outcome was told");
    await expect(again()).rejects.toMatchObject({ code: "forbidden" });
    expect(await facts()).toEqual([]);
  });

  it("offers to end what others hear where a narrower value would follow it", async () => {
    const { prompt, review, sarah, own, facts, id } = await openWithMemory();
    const place = { channelId: id("general") as never, typedIn: "1" };
    await own.remember(sarah.id as UserId, { key: "boat", value: "Gull", visibility: "org", ...place });
    const { message } = await prompt({ key: "boat", value: "Heron" }, REMEMBER);
    const { last } = await review(message);
    expect(last.content).toContain("Others go on hearing the old value: “Gull” (“Quay”).");
    expect(last.content).toContain("Nobody hears the old value any more: “Gull”.");
    sarah.click(last, buttonId(last, "Remember, end the old"));
    await until(() => last.content.startsWith("Remembered."), "no outcome was told");
    expect(await facts()).toEqual([["private", "Heron"]]);
  });

  it("is forgotten only by a press", async () => {
    const { prompt, review, sarah, own, facts, id } = await openWithMemory();
    const place = { channelId: id("general") as never, typedIn: "1" };
    await own.remember(sarah.id as UserId, { key: "boat", value: "Gull", visibility: "org", ...place });
    const { message } = await prompt({ key: "boat" }, { name: "memory_write.forget_fact" });
    const { last } = await review(message);
    expect(last.content).toContain("```\nGull\n```");
    expect(await facts()).toEqual([["org", "Gull"]]);
    sarah.click(last, buttonId(last, "Forget"));
    await until(() => last.content.startsWith("Forgotten."), "no outcome was told");
    expect(await facts()).toEqual([]);
  });
});
