import { describe, expect, it } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import type { RememberRequest } from "../../src/domain/memory/remember-request.ts";
import { createLiveRules } from "../../src/policy/live-rules.ts";
import { toRules } from "../support/gate.ts";
import { GONE } from "../support/memory.ts";
import { buttonId, buttonsOf } from "./open-harbour.ts";
import { openMemoryHarbour } from "./open-memory-harbour.ts";

const SHARED = { memory: { people: "shared" } };
const NAMED =
  "A word in it is also what a member of this server is called. If it is about them, don't share it: keep it for yourself, or leave it.";
const PREVIEW = "Nothing has been remembered yet.";

/** A harbour in which facts are remembered; Sarah's nickname is Skipper. */
async function openMentioning() {
  const live = createLiveRules(toRules(SHARED));
  const harbour = await openMemoryHarbour({ live });
  const { sandbox, memory, ownMemory, answer } = harbour;
  const say = async (who: string, command: string, options: Record<string, string> = {}) =>
    (await answer(sandbox.as(who).run(command, options, { in: "general" }))).content;
  const preview = (who: string, key: string, value: string, share = "org") =>
    say(who, "memory remember", { key, value, share });
  const person = (who: string) => sandbox.as(who).id as UserId;
  const guildId = sandbox.community.guild.id as GuildId;
  /** Olga's word about the server, unless said. */
  const keep = (request: Partial<RememberRequest> = {}) =>
    memory.remember({
      ...{ scope: "org", scopeId: guildId, subjectId: null, guildId, visibility: "org" },
      ...{ home: { kind: "guild", id: guildId }, name: "on call", value: "Skipper" },
      basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
      ...{ createdBy: person("olga"), verification: "admin_confirmed", confidence: 1, expiresAt: null, ends: [] },
      ...request,
    });
  /** A fact of Mei's own, shared with the server before such facts were recognised. */
  const keepOfMei = (name: string, value: string) =>
    keep({ scope: "user", scopeId: person("mei"), subjectId: person("mei"), createdBy: person("mei"), name, value });
  /** What `/privacy show` tells of facts, one note each. */
  const mentions = async (who: string, place: { in?: string } = { in: "general" }): Promise<MessageRecord[]> => {
    const asking = sandbox.as(who).run("privacy show", {}, place);
    expect((await answer(asking)).content).toContain("- Which facts you asked to be removed because they name you");
    const all = (await harbour.mentions?.list(person(who), place.in ? guildId : null)) ?? [];
    await expect.poll(() => notesOf(asking).length).toBe(1 + Math.min(all.length, 6));
    return notesOf(asking).slice(1);
  };
  const press = async (who: string, note: MessageRecord, label: string) => {
    const before = note.content;
    sandbox.as(who).click(note, buttonId(note, label));
    await expect.poll(() => note.content).not.toBe(before);
    return note.content;
  };
  return { ...harbour, own: ownMemory, memory, live, guildId, say, preview, person, keep, keepOfMei, mentions, press };
}

function notesOf(asking: InteractionRecord): MessageRecord[] {
  return [...asking.ephemeral.values()];
}

describe("a fact of a person's own that names another member in plain words", () => {
  it("is pointed out to the person who would share it, and the person decides: anybody can call themselves anything", async () => {
    const { preview } = await openMentioning();
    for (const [key, value] of [
      ["friend", "mark"],
      ["friend", "I sail with Skipper on Sundays"],
      ["Skipper", "is a friend"],
    ] as const) {
      for (const share of ["org", "project"]) {
        const shown = await preview("mei", key, value, share);
        expect(shown).toContain(PREVIEW);
        expect(shown).toContain(NAMED);
      }
      expect(await preview("mei", key, value, "private")).not.toContain(NAMED);
    }
  });

  it("may name its own subject, people who are no members, bots, and words that resemble a name", async () => {
    const { preview, sandbox, settle } = await openMentioning();
    for (const [who, value] of [
      ["sarah", "call me Skipper"],
      ["mei", "I know Gabriel and Earshot"],
      ["mei", "I like markdown, and Marcus"],
    ] as const)
      expect(await preview(who, "note", value)).not.toContain(NAMED);
    sandbox.admin.removeMember("mark");
    await settle();
    expect(await preview("mei", "friend", "mark")).not.toContain(NAMED);
  });

  it("is no longer recognised by a name that two members have", async () => {
    const { preview, sandbox, settle } = await openMentioning();
    sandbox.admin.updateMember("sarah", { nick: "Mark" });
    await settle();
    expect(await preview("mei", "friend", "mark")).not.toContain(NAMED);
    expect(await preview("mei", "friend", "Sarah")).toContain(NAMED);
  });
});

describe("/privacy show", () => {
  it("shows somebody the shared facts that mention them by id, and removes one for good when they confirm it", async () => {
    const { keepOfMei, keep, mentions, press, person, memory, audited, guildId, own } = await openMentioning();
    await keep({ name: "motto", value: "fair winds" });
    expect(await mentions("mark")).toEqual([]);
    const { id } = await keepOfMei("friend", `<@${person("mark")}>`);
    const [note, ...more] = await mentions("mark");
    expect(more).toEqual([]);
    expect(note?.content).toContain("A shared fact mentions you. Who hears it: the members of Quay.");
    expect(note?.content).toContain("**friend**: ");
    expect(note?.content).toContain(`Said by <@${person("mei")}>.`);
    expect(await mentions("sarah")).toEqual([]);
    // It is her own.
    expect(await mentions("mei")).toEqual([]);
    const shown = note as MessageRecord;
    expect(await press("mark", shown, "Have it removed")).toContain("would be forgotten for good");
    expect(await memory.openById(id)).not.toBeNull();
    expect(await press("mark", shown, "Remove it")).toBe(`Removed for everybody: **friend**. ${GONE}`);
    expect(await own.export(person("mei"))).toEqual([]);
    expect(await mentions("mark")).toEqual([]);
    const removed = audited.flatMap((entry) =>
      entry.kind === "event" && entry.row.name.startsWith("memory_mention") ? [JSON.parse(entry.row.detail_json)] : [],
    );
    const ids = { actor_id: person("mark"), guild_id: guildId, fact_ref: `${id}@1` };
    expect(removed).toEqual([ids, { ...ids, facts: 1 }]);
  });

  it("lets somebody only ask for the removal of what names them in plain words; its owner and the admins see that", async () => {
    const { keep, keepOfMei, mentions, press, person, memory, say, erasePerson } = await openMentioning();
    const facts = [await keep(), await keepOfMei("friend", "sails with Skipper")];
    for (const _ of facts) {
      const [note] = (await mentions("sarah")).filter((one) => buttonsOf(one).length > 0);
      expect(await press("sarah", note as MessageRecord, "Have it removed")).toContain("so people decide");
      expect(await press("sarah", note as MessageRecord, "Ask for it")).toContain("You have asked for the removal of");
    }
    const notes = await mentions("sarah");
    expect(notes).toHaveLength(2);
    for (const note of notes) expect(note.content).toContain("You have asked for its removal.");
    for (const { id } of facts) expect(await memory.openById(id)).not.toBeNull();
    const asked = `:warning: <@${person("sarah")}> asked for its removal, because it names them.`;
    expect(await say("mei", "memory list")).toContain(asked);
    expect((await say("olga", "memory admin list")).split(asked)).toHaveLength(3);
    await erasePerson(person("sarah"));
    expect(await say("olga", "memory admin list")).not.toContain("asked for its removal");
    expect(await say("mei", "memory list")).not.toContain("asked for its removal");
  });

  it("gives somebody who calls themselves an ordinary thing no power over facts about it", async () => {
    const { keep, mentions, press, sandbox, settle, memory } = await openMentioning();
    const { id } = await keep({ name: "deadline", value: "May" });
    sandbox.admin.updateMember("mark", { nick: "deadline" });
    await settle();
    const [note] = await mentions("mark");
    await press("mark", note as MessageRecord, "Have it removed");
    expect(buttonsOf(note as MessageRecord).map(({ label }) => label)).toEqual(["Ask for it", "Cancel"]);
    await press("mark", note as MessageRecord, "Ask for it");
    expect(await memory.openById(id)).not.toBeNull();
  });

  it("tells nothing of facts that the person may not hear, by where they are shared, what they rest on, or a rule", async () => {
    const { keep, mentions, person, id, sandbox, live, guildId } = await openMentioning();
    const value = `<@${person("mark")}> and mark`;
    const { id: messageId } = sandbox.as("mei").say("pier", "about mark");
    const ref = `${id("pier")}/${messageId}`;
    await keep({ name: "one", value, visibility: "project", home: { kind: "channel", id: id("pier") as never } });
    await keep({
      ...{ name: "two", value },
      basis: [{ type: "discord_message", ref, isOwn: false, authorId: null, words: "about mark" }],
    });
    await keep({ name: "three", value, guildId: "99" as GuildId, home: { kind: "guild", id: "99" as GuildId } });
    expect(await mentions("mark")).toEqual([]);
    await keep({ name: "four", value });
    expect(await mentions("mark")).toHaveLength(1);
    expect(await mentions("mark", {})).toHaveLength(1);
    live.replace(toRules({ ...SHARED, roles: [{ guild: guildId, role: "everyone", scopes: ["context:search"] }] }));
    expect(await mentions("mark")).toEqual([]);
  });

  it("asks Discord about somebody only in servers where something is shared", async () => {
    const { keep, mentions, edge } = await openMentioning();
    const asked: string[] = [];
    edge.discord.directory.learnMember = async (_, guildId) => void asked.push(guildId);
    expect(await mentions("sarah", {})).toEqual([]);
    expect(asked).toEqual([]);
    await keep();
    expect(await mentions("sarah", {})).toHaveLength(1);
    expect(asked).not.toEqual([]);
  });

  it("removes nothing that was replaced, or no longer mentions the person, since it was shown", async () => {
    const { keep, mentions, press, person, memory } = await openMentioning();
    await keep({ value: `<@${person("mark")}>` });
    const [note] = await mentions("mark");
    await press("mark", note as MessageRecord, "Have it removed");
    const { id } = await keep({ value: "nobody" });
    expect(await press("mark", note as MessageRecord, "Remove it")).toBe(
      "There is no such fact any more, or it does not mention you.",
    );
    expect(await memory.openById(id)).not.toBeNull();
  });

  it("shows five facts at once, says how many more there are, and shows those too", async () => {
    const { keep, mentions, press, sandbox } = await openMentioning();
    for (let index = 0; index < 7; index += 1) await keep({ name: `watch ${index}` });
    const notes = await mentions("sarah");
    expect(notes).toHaveLength(6);
    expect(notes[0]?.content).toContain("**watch 6**: Skipper");
    const last = notes.at(-1) as MessageRecord;
    expect(last.content).toBe("2 more shared facts mention you.");
    // Whatever became of those that were shown, the others are reached.
    await press("sarah", notes[0] as MessageRecord, "Have it removed");
    await press("sarah", notes[0] as MessageRecord, "Ask for it");
    const pressed = sandbox.as("sarah").click(last, buttonId(last, "Show more"));
    await expect.poll(() => last.content).toContain("**watch 1**: Skipper");
    await expect
      .poll(() =>
        notesOf(pressed)
          .map(({ content }) => content)
          .join(),
      )
      .toContain("**watch 0**: Skipper");
    expect(buttonsOf(last).map(({ label }) => label)).toEqual(["Have it removed", "Cancel"]);
  });
});
