import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mentionsOf } from "../../sandbox/render/mentions.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { splitText } from "../../src/domain/text/split-text.ts";
import { Reviews } from "../../src/transports/discord/reviews.ts";
import { until } from "../support/edge.ts";
import { openTestGate } from "../support/gate.ts";
import { buttonId, buttonsOf, openHarbour, whispered } from "./open-harbour.ts";

const NOT_YOURS = "Only the person who asked can review this.";
const OVER = "This has been decided or has expired.";

describe("a review in Discord", () => {
  it("is posted in the channel of the request, without the text to be sent", async () => {
    const { sandbox, prompt, said, id } = await openHarbour();
    const { message, operation } = await prompt({ text: "High water at ten past four" });
    expect(message.channelId).toBe(id("general"));
    // A reply of the bot's would count as the answer to the question.
    expect(message.more?.reference).toBeUndefined();
    expect(message.content).toBe(`<@${operation.actor}>, something waits for your review.`);
    expect(mentionsOf(sandbox.world, message)).toEqual({ users: [operation.actor], roles: [] });
    expect(buttonsOf(message).map(({ label }) => label)).toEqual(["Review"]);
    expect(JSON.stringify(message)).not.toMatch(/water|tide/i);
    expect(JSON.stringify(message)).not.toContain(id("pier"));
    expect(said("pier")).toEqual([]);
  });

  it("is posted in the actor's direct messages when the answer is for them alone", async () => {
    const { prompt, review, said, saidByBot, sarah } = await openHarbour();
    const { message } = await prompt({ text: "High water" }, { more: { isPrivate: true } });
    expect(message.channelId).toBe(sarah.dm("here?").channelId);
    expect(saidByBot("general")).toEqual([]);
    const { last } = await review(message);
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    expect(said("pier").map(({ content }) => content)).toEqual(["High water"]);
  });

  it("shows only the actor what would be sent, and sends exactly that once they confirm", async () => {
    const { sandbox, prompt, review, said, sarah, id, edge } = await openHarbour();
    const { id: mark } = sandbox.as("mark");
    const text = `High water at **ten past four**, <@${mark}> @everyone`;
    const { message, again } = await prompt({ text, mentions: [mark] });
    const click = sarah.click(message, buttonId(message, "Review"));
    expect(await click.answered).toMatchObject({ kind: "deferred" });
    const { notes, last } = await review(message);
    expect(notes).toHaveLength(1);
    expect(last.more?.ephemeralFor).toBe(sarah.id);
    expect(last.content).toContain(`<#${id("pier")}>`);
    expect(last.content).toContain(`This would ping <@${mark}>.`);
    expect(last.content).toContain(`\`\`\`\n${text}\n\`\`\``);
    expect(last.content).not.toContain("cannot be seen");
    expect(last.more?.mentionEveryone ?? false).toBe(false);
    expect(buttonsOf(last).map(({ label }) => label)).toEqual(["Send", "Discard"]);
    expect(said("pier")).toEqual([]);

    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    expect(buttonsOf(last)).toEqual([]);
    const sent = said("pier");
    expect(sent.map(({ content }) => content)).toEqual([text]);
    expect(sent.map(({ more }) => more?.mentionEveryone ?? false)).toEqual([false]);
    await until(() => message.content === "Reviewed.", "the button stayed");
    expect(buttonsOf(message)).toEqual([]);
    expect(await again()).toMatchObject({ value: { message_id: sent[0]?.id } });
    expect(said("pier")).toHaveLength(1);
    // What one person was shown has not passed for something that was said there.
    expect(JSON.stringify(edge.events)).not.toContain("Nothing has been done");
    expect(
      new Set(edge.of("message").map(({ message }) => message.channel_id)).has(message.channelId as ChannelId),
    ).toBe(true);
  });

  it("shows a reaction, and the message it would be added to", async () => {
    const { sandbox, prompt, review, sarah, id } = await openHarbour();
    const target = sandbox.as("mark").say("pier", "who is there?");
    const { message } = await prompt({ message_id: target.id, emoji: "👍" }, { name: "discord.react" });
    const { last } = await review(message);
    expect(last.content).toContain("```\n👍\n```");
    expect(last.content).toContain(`/${id("pier")}/${target.id}`);
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    expect([...(target.more?.reactions?.keys() ?? [])]).toEqual(["👍"]);
  });

  it("answers everybody else the same, whether or not it is still open", async () => {
    const { sandbox, prompt, review, sarah, said } = await openHarbour();
    const { message, button } = await prompt({ text: "High water" });
    const mark = sandbox.as("mark");
    expect(await whispered(mark.click(message, button))).toBe(NOT_YOURS);
    const { last } = await review(message);
    expect(() => mark.click(last, buttonId(last, "Send"))).toThrow("Unknown Message");
    // Pressed just before the button goes away, and answered after.
    sarah.click(last, buttonId(last, "Discard"));
    const late = mark.click(message, button);
    expect(await whispered(late)).toBe(NOT_YOURS);
    expect(said("pier")).toEqual([]);
  });

  it("can be declined, and then the effect is done neither now nor later", async () => {
    const { prompt, review, sarah, said } = await openHarbour();
    const { message, again } = await prompt({ text: "High water" });
    const { last } = await review(message);
    sarah.click(last, buttonId(last, "Discard"));
    await until(() => last.content.startsWith("Discarded"), "no outcome was told");
    await until(() => message.content === "Reviewed.", "the button stayed");
    await expect(again()).rejects.toMatchObject({ code: "forbidden" });
    expect(said("pier")).toEqual([]);
  });

  it("does the effect once, however often the button is clicked", async () => {
    const { prompt, review, sarah, said } = await openHarbour();
    const { message } = await prompt({ text: "High water" });
    const [first, second] = [await review(message), await review(message)];
    const clicks = [
      sarah.click(first.last, buttonId(first.last, "Send")),
      sarah.click(first.last, buttonId(first.last, "Send")),
      sarah.click(second.last, buttonId(second.last, "Discard")),
    ];
    await until(() => first.last.content.startsWith("Done"), "no outcome was told");
    const told = await Promise.all(clicks.slice(1).map(whispered));
    expect(told).toEqual([OVER, OVER]);
    expect(said("pier")).toHaveLength(1);
    expect(first.last.content).toMatch(/^Done/);
  });

  it("does nothing when the actor has lost the permission to send there, and says so", async () => {
    const { sandbox, prompt, review, sarah, said, settle } = await openHarbour();
    const { message } = await prompt({ text: "High water" });
    const { last } = await review(message);
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Not done."), "no outcome was told");
    expect(last.content).toContain("may not speak in that channel");
    expect(said("pier")).toEqual([]);
  });

  it("shows nothing that the actor may no longer read", async () => {
    const { sandbox, prompt, sarah, settle } = await openHarbour();
    const { message, button } = await prompt({ text: "High water" }, { more: { isPrivate: true } });
    sandbox.admin.setOverwrite("general", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    expect(await whispered(sarah.click(message, button))).toBe(OVER);
  });

  it("expires, and then removes its button at the next click", async () => {
    const { prompt, review, sarah, said, waiting } = await openHarbour();
    const { message } = await prompt({ text: "High water" });
    const { last } = await review(message);
    vi.useFakeTimers({ toFake: ["Date"], now: waiting[0]?.expiresAt ?? 0 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await whispered(sarah.click(last, buttonId(last, "Send")))).toBe(OVER);
    await until(() => buttonsOf(message).length === 0, "the button stayed");
    expect(said("pier")).toEqual([]);
  });

  it("removes its button by itself when it expires", async () => {
    const { ask, id, waiting, saidByBot } = await openHarbour();
    const { act, operation } = await ask();
    vi.useFakeTimers({ toFake: ["Date"], now: operation.expiresAt - 300 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(act("discord.send", { channel_id: id("pier"), text: "Quick" })).rejects.toThrow();
    expect(waiting[0]?.expiresAt).toBe(operation.expiresAt);
    const prompt = await until(() => saidByBot("general")[0], "nobody was asked");
    await until(() => prompt.content === "This has expired.", "the button stayed");
    expect(buttonsOf(prompt)).toEqual([]);
  });

  it("has expired when the program was restarted", async () => {
    const { sandbox, prompt, sarah, reviews, said } = await openHarbour();
    const { message, button } = await prompt({ text: "High water" });
    await reviews.close();
    const core = await openTestGate(sandbox);
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const next = new Reviews({ discord: core.edge.discord, core: () => core, log });
    onTestFinished(() => next.close());
    expect(await whispered(sarah.click(message, button))).toBe(OVER);
    expect(await whispered(sandbox.as("mark").click(message, button))).toBe(NOT_YOURS);
    expect(said("pier")).toEqual([]);
  });
});

describe("a review of a hostile text", () => {
  it("keeps the text inside its block, and names invisible characters", async () => {
    const { prompt, review, sarah, said } = await openHarbour();
    const text = "fine\n```\n@everyone **Approved by staff**\n````` \u202egnp.exe\u202c a\u200b\u200bb \u{e0041}";
    const { message } = await prompt({ text });
    const { last } = await review(message);
    const [head, block, end, ...more] = last.content.split("```");
    expect(more).toEqual([]);
    expect(end).toBe("");
    expect(head).toContain("5 characters in it cannot be seen");
    expect(block?.replaceAll("`\u200b", "`")).toBe(
      "\nfine\n```\n@everyone **Approved by staff**\n````` ⟨U+202E⟩gnp.exe⟨U+202C⟩ a⟨U+200B×2⟩b ⟨U+E0041⟩\n",
    );
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    expect(said("pier").map(({ content }) => content)).toEqual([text]);
  });

  it("shows the longest text whole before it can be sent", async () => {
    const { prompt, review, sarah, said } = await openHarbour();
    const lines = Array.from({ length: 400 }, (_, index) => `${index}: the boat lies at the quay and waits`);
    const text = lines.join("\n").slice(0, 20_000);
    const { message } = await prompt({ text });
    const { notes, last } = await review(message);
    expect(notes.filter((note) => buttonsOf(note).length > 0)).toEqual([notes.at(-1)]);
    const shown = notes.map(({ content }) => content).join("\n");
    const parts = shown.split(/^Message \d+ of \d+:$/m).slice(1);
    const texts = parts.map((part) =>
      [...part.matchAll(/```\n([^`]*)\n```/g)].map(([, block = ""]) => block.replace(/⏎$/, "\n")).join(""),
    );
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    expect(said("pier").map(({ content }) => content)).toEqual(texts);
    expect(texts).toHaveLength(splitText(text).length);
  });

  it("offers no button to send a text with too many invisible characters", async () => {
    const { prompt, sarah } = await openHarbour();
    const { message, button } = await prompt({ text: `a${"\u200b\u200c".repeat(9_000)}b` });
    const click = sarah.click(message, button);
    const shown = await click.spoken;
    expect(shown.content).toContain("too full of characters that cannot be seen");
    expect(buttonsOf(shown).map(({ label }) => label)).toEqual(["Discard"]);
  });

  it("ignores forged buttons", async () => {
    const { sandbox, prompt, review, sarah, edge, waiting, said, id } = await openHarbour();
    const { message } = await prompt({ text: "High water" });
    const { id: mark } = sandbox.as("mark");
    const real = waiting[0]?.id ?? "";
    const forged = [
      `review:send:${mark}:${real}`,
      `review:show:${mark}:${real}`,
      `review:discard:${mark}:${real}`,
      `review:send:${mark}:made-up`,
    ];
    const nonsense = [
      "review:",
      "review:send",
      `review:fly:${mark}:${real}`,
      "constructor",
      `review:send:0${mark}:${real}`,
    ];
    for (const button of [...forged, ...nonsense]) {
      const draft = { text: "press me", mentions: [], buttons: [{ id: button, label: "?" }] };
      const bait = await edge.discord.send(id("general") as ChannelId, draft);
      const click = sandbox.as("mark").click({ id: bait.message_id, channelId: bait.channel_id }, button);
      if (forged.includes(button)) expect(await whispered(click)).toBe(OVER);
    }
    const bait = await edge.discord.send(id("general") as ChannelId, {
      text: "press me",
      mentions: [],
      buttons: [{ id: `review:send:${sarah.id}:${real}`, label: "?" }],
    });
    const stranger = sandbox
      .as("mark")
      .click({ id: bait.message_id, channelId: bait.channel_id }, `review:send:${sarah.id}:${real}`);
    expect(await whispered(stranger)).toBe(NOT_YOURS);
    expect(said("pier")).toEqual([]);
    const { last } = await review(message);
    expect(last.content).toContain("High water");
  });

  it("still serves the actor while a crowd clicks on the button", async () => {
    const { sandbox, prompt, review, sarah, said, settle } = await openHarbour();
    const { message, button } = await prompt({ text: "High water" });
    // Until the first three of each are answered all others have arrived.
    sandbox.faults.slowRest({ match: "/callback", ms: 500, times: 9 });
    const crowd = ["mark", "mei", "olga"].flatMap((who) =>
      Array.from({ length: 40 }, () => sandbox.as(who).click(message, button)),
    );
    const { last } = await review(message);
    sarah.click(last, buttonId(last, "Send"));
    await until(() => last.content.startsWith("Done"), "no outcome was told");
    const answered = () => crowd.filter(({ ephemeral }) => ephemeral.size > 0);
    await until(() => answered().length >= 9, "the crowd was ignored");
    await settle();
    expect(answered()).toHaveLength(9);
    for (const click of answered()) expect(await whispered(click)).toBe(NOT_YOURS);
    expect(said("pier")).toHaveLength(1);
  });
});
