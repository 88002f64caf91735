import { describe, expect, it } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { until } from "../support/edge.ts";
import { buttonId, buttonsOf, whispered } from "./open-harbour.ts";
import { openRemembering, textOf } from "./open-remembering.ts";

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

async function openReviewing(behind = { ms: 0 }) {
  const harbour = await openRemembering(undefined, behind);
  const { sandbox, memory, run, id, settle } = harbour;
  const sarah = sandbox.as("sarah").id as UserId;
  const keep = (name: string, basis: RememberRequest["basis"], expiresAt: number | null = null) =>
    memory.remember({
      ...{ scope: "user", scopeId: sarah, subjectId: sarah, guildId: null, visibility: "private" },
      home: { kind: "person", id: sarah },
      ...{ name, value: `the ${name}`, basis, createdBy: sarah, verification: "user_confirmed", confidence: 1 },
      ...{ expiresAt, ends: [] },
    });
  const onMessage = async (channel: string, who: string, words: string) => {
    const message = sandbox.as(who).say(channel, words);
    await settle();
    const ref = `${id(channel)}/${message.id}`;
    return {
      message,
      basis: [{ type: "discord_message", ref, isOwn: false, authorId: sandbox.as(who).id as UserId, words } as const],
    };
  };
  /** The notes of a page, each fact in one of its own. */
  const review = async (options: Record<string, number> = {}, count = 1) => {
    const asking: InteractionRecord = run("sarah", "review", options);
    const notes = () => [...asking.ephemeral.values()].filter((one) => buttonsOf(one).length > 0);
    await until(() => (notes().length >= count ? true : undefined), `fewer notes than ${count}: ${textOf(asking)}`);
    return { head: [...asking.ephemeral.values()][0]?.content ?? "", notes: notes() };
  };
  const press = async (note: MessageRecord | undefined, label: string) => {
    if (!note) throw new Error("there is no such note");
    const before = note.content;
    const click = sandbox.as("sarah").click(note, buttonId(note, label));
    await expect.poll(() => note.content).not.toBe(before);
    return { text: note.content, click };
  };
  return { ...harbour, sarah, keep, onMessage, review, press };
}

describe("/memory review", () => {
  it("shows what is not in use without telling why others made it so, and keeps or forgets it", async () => {
    const { sandbox, keep, onMessage, review, press, say, consent, listOf, settle } = await openReviewing();
    expect(await say("sarah", "review")).toBe(
      "There is nothing to review: all that is remembered about you is in use.",
    );
    const tide = await onMessage("pier", "mei", "the tide turns at four");
    const gone = await onMessage("general", "mark", "the boat is blue");
    const quiet = await onMessage("general", "olga", "the hat is red");
    await keep("tide", tide.basis);
    await keep("boat", gone.basis);
    await keep("hat", quiet.basis);
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    sandbox.as("mark").delete(gone.message);
    consent.set(sandbox.as("olga").id, true);
    await settle();
    const { head, notes } = await review({}, 3);
    expect(head).toContain("3 facts are not in use, were not used for a year, or end within a month.");
    const shown = notes.map(({ content }) => content.replaceAll(/<t:\d+:\w>/g, "then").split("\n"));
    expect(shown.map(([name]) => name)).toEqual(
      ["hat", "boat", "tide"].map((name) => `**${name}**: (not shown: you cannot read what it rests on)`),
    );
    // Which of the three it was, nobody can tell.
    for (const [, ...more] of shown)
      expect(more).toEqual([
        "For whom it is: only you; since then.",
        "Not in use: what it rests on cannot be read any more.",
      ]);
    expect(buttonsOf(notes[0] as MessageRecord).map(({ label }) => label)).toEqual(["Keep", "Forget", "Later"]);
    expect((await press(notes[0], "Keep")).text).toBe("Kept: **hat**.");
    expect((await press(notes[1], "Forget")).text).toContain("Forgotten: **boat**.");
    expect((await press(notes[2], "Later")).text).toBe("**tide** stays as it is.");
    expect((await listOf("sarah")).map(([name]) => name)).toEqual(["hat", "tide"]);
    expect((await review()).notes.map(({ content }) => content.split(":")[0])).toEqual(["**tide**"]);
  });

  it("confirms a fact again whose message was edited", async () => {
    const { sandbox, keep, onMessage, review, press, own, sarah, settle } = await openReviewing();
    const { message, basis } = await onMessage("general", "mark", "the boat is blue");
    await keep("boat", basis);
    sandbox.as("mark").edit(message, "the boat is blue!");
    await settle();
    const { notes } = await review();
    expect(notes[0]?.content).toContain("**boat**: the boat");
    expect(notes[0]?.content).toContain("Only you hear it: what it rests on was edited.");
    expect((await press(notes[0], "Keep")).text).toMatch(
      /^Kept: \*\*boat\*\*. You have confirmed it again. Who can hear it: only you, until <t:\d+:d>\.$/,
    );
    expect((await own.list(sarah)).map(({ fact, dormant }) => [fact.value, dormant])).toEqual([["the boat", null]]);
  });

  it("shows what was not used for a year, page by page", async () => {
    const behind = { ms: YEAR_MS };
    const { remember, review, say, press } = await openReviewing(behind);
    for (const key of ["boat", "hat", "dog", "berth", "city"]) await remember("sarah", { key, value: "x" });
    behind.ms = 0;
    const first = await review({}, 4);
    expect(first.head).toContain(
      "5 facts are not in use, were not used for a year, or end within a month; page 1 of 2.",
    );
    expect(first.notes).toHaveLength(4);
    for (const { content } of first.notes) expect(content).toContain("No use is known for a year.");
    const second = await review({ page: 2 });
    expect(second.notes.map(({ content }) => content.split(":")[0])).toEqual(["**boat**"]);
    expect(await say("sarah", "review", { page: 3 })).toBe("There is no page 3; the last one is 2.");
    await press(second.notes[0], "Keep");
    expect((await review({}, 4)).head).toContain("4 facts are");
  });

  it("shows what ends within a month, to have it for longer", async () => {
    const behind = { ms: YEAR_MS - 20 * DAY_MS };
    const { keep, review, press, own, sarah } = await openReviewing(behind);
    const typed = { type: "typed", ref: "1", isOwn: true, authorId: null, words: "" } as const;
    await keep("boat", [typed], Date.now() + 20 * DAY_MS);
    behind.ms = 0;
    const { head, notes } = await review();
    expect(head).toContain("1 fact is not in use, was not used for a year, or ends within a month.");
    expect(notes[0]?.content).toContain("It ends within a month. If you keep it, you confirm it again");
    expect((await press(notes[0], "Keep")).text).toMatch(/^Kept: \*\*boat\*\*. .* only you, until <t:\d+:d>\.$/);
    const [fact] = await own.list(sarah);
    expect(fact?.fact.expiresAt).toBeGreaterThan(Date.now() + 300 * DAY_MS);
  });

  it("does nothing for others, for a forged button, twice, or once the person was erased", async () => {
    const { remember, review, sandbox, edge, said, listOf, erasePerson, sarah } = await openReviewing({ ms: YEAR_MS });
    await remember("sarah", { key: "**boat** @everyone", value: "x" });
    const note = (await review()).notes[0] as MessageRecord;
    expect(note.content).not.toContain("**boat**");
    const [forget, forged] = [buttonId(note, "Forget"), buttonId(note, "Forget").replace(/[\w-]+$/, "nothing")];
    const buttons = [forget, forged].map((id, index) => ({ id, label: String(index) }));
    await edge.discord.send(note.channelId as never, { text: "press me", mentions: [], buttons });
    const open = said("general").at(-1) as MessageRecord;
    expect(await whispered(sandbox.as("mark").click(open, forget))).toBe("Only the person who asked can do that.");
    const over = "This has been decided or has expired; use the command again.";
    expect(await whispered(sandbox.as("sarah").click(open, forged))).toBe(over);
    expect(await listOf("sarah")).toHaveLength(1);
    await erasePerson(sarah);
    expect(await whispered(sandbox.as("sarah").click(note, buttonId(note, "Keep")))).toBe(over);
    expect(await listOf("sarah")).toEqual([]);
  });
});
