import { describe, expect, it } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { GONE } from "../support/memory.ts";
import { buttonId, buttonsOf, whispered } from "./open-harbour.ts";
import { openProgram } from "./open-privacy.ts";
import { openRemembering, textOf } from "./open-remembering.ts";

describe("/memory", () => {
  it("remembers for the person alone what they confirm, lists it, and forgets it with a receipt", async () => {
    const { say, preview, decide, call, sandbox, listOf } = await openRemembering();
    expect(await say("sarah", "list")).toContain("Nothing is remembered about you.");
    const { text, last } = await preview("sarah", { key: "boat", value: "Petrel", days: 30 });
    expect(text).toMatch(
      /^\*\*Nothing has been remembered yet\.\*\*\nIt would be remembered about you\. It rests on what you typed\.\n“Remember”: only you will be able to hear it\.\nUntil <t:/,
    );
    expect(text).toContain("Key:\n```\nboat\n```\nValue:\n```\nPetrel\n```");
    expect(await listOf("sarah")).toEqual([]);
    expect(await decide("sarah", last)).toContain("Remembered: **boat**. Who can hear it: only you.");
    const heard = (as: string) =>
      call("memory_read.get_user_facts", { user: sandbox.as("sarah").id }, { as, in: "general" });
    expect(JSON.stringify(await heard("mark"))).not.toContain("Petrel");
    expect(JSON.stringify(await heard("sarah"))).not.toContain("Petrel");
    expect(await say("mark", "list")).toContain("Nothing is remembered about you.");
    const list = await say("sarah", "list");
    expect(list).toContain("1 fact is remembered about you");
    expect(list).toMatch(
      /\*\*boat\*\*: Petrel\nWho hears it: only you; since <t:\d+:d>, until <t:\d+:d>\.\nRests on what you typed\./,
    );
    expect(await say("mark", "forget", { fact: "boat" })).toBe("You have no such fact.");
    expect(await say("sarah", "forget", { fact: "boat" })).toBe(`Forgotten: **boat**. ${GONE}`);
    expect(await say("sarah", "list")).toContain("Nothing is remembered about you.");
  });

  it("says who hears a shared fact and how many, what it replaces, and what others go on hearing", async () => {
    const { preview, remember, decide, listOf, id, sandbox, edge } = await openRemembering();
    const people = [...edge.discord.directory.people(sandbox.community.guild.id as never)].filter(({ bot }) => !bot);
    const shared = await preview("sarah", { key: "boat", value: "Tern", share: "org" });
    expect(shared.text).toContain(`(${people.length} people now), and those who join later`);
    expect(shared.text).toContain("“Remember”: all members of “");
    const onPier = await preview("sarah", { key: "boat", value: "Tern", share: "project" }, "pier");
    expect(onPier.text).toContain(`all people who can read <#${id("pier")}> (`);
    expect(onPier.text).toContain("now), and those who can later");
    await remember("sarah", { key: "boat", value: "Tern", share: "project" });
    await remember("sarah", { key: "boat", value: "Gull" });
    const { text, last } = await preview("sarah", { key: "boat", value: "Petrel" });
    expect(text).toContain("It replaces “Gull”.");
    expect(text).toContain(`Others go on hearing the old value: “Tern” (<#${id("general")}>).`);
    expect(text).toContain("Nobody hears the old value any more: “Tern”.");
    expect(buttonsOf(last).map(({ label }) => label)).toEqual(["Remember", "Remember, end the old", "Cancel"]);
    await decide("sarah", last, "Remember, end the old");
    expect(await listOf("sarah")).toEqual([["boat", "Petrel"]]);
  });

  it("stores once when the button is pressed twice, and nothing when it is cancelled", async () => {
    const { preview, decide, sandbox, own, listOf } = await openRemembering();
    const { last } = await preview("sarah", { key: "boat", value: "Petrel" });
    const button = buttonId(last, "Remember");
    const clicks = [sandbox.as("sarah").click(last, button), sandbox.as("sarah").click(last, button)];
    await expect.poll(() => last.content).toContain("Remembered: **boat**");
    expect(await whispered(clicks[1] as InteractionRecord)).toBe(
      "This has been decided or has expired; use the command again.",
    );
    expect(await own.export(sandbox.as("sarah").id as UserId)).toHaveLength(1);
    const other = await preview("sarah", { key: "hat", value: "red" });
    expect(await decide("sarah", other.last, "Cancel")).toBe("Nothing was remembered.");
    expect(await listOf("sarah")).toEqual([["boat", "Petrel"]]);
  });

  it("does nothing for the press of another account", async () => {
    const { preview, sandbox, own, edge, said } = await openRemembering();
    const { last } = await preview("sarah", { key: "boat", value: "Petrel" });
    // Nobody else sees the button; its id is put under a message that everybody sees, as somebody who guesses it would send it.
    await edge.discord.send(last.channelId as never, {
      text: "press me",
      mentions: [],
      buttons: [{ id: buttonId(last, "Remember"), label: "Remember" }],
    });
    const shown = said("general").at(-1) as MessageRecord;
    const click = sandbox.as("mark").click(shown, buttonId(shown, "Remember"));
    expect(await whispered(click)).toBe("Only the person who asked can do that.");
    for (const who of ["sarah", "mark"]) expect(await own.list(sandbox.as(who).id as UserId)).toEqual([]);
  });

  it("shows again what has changed between the preview and the press, and stores nothing yet", async () => {
    const { preview, remember, sandbox, listOf } = await openRemembering();
    const { last } = await preview("sarah", { key: "boat", value: "Petrel" });
    await remember("sarah", { key: "boat", value: "Tern" });
    const click = sandbox.as("sarah").click(last, buttonId(last, "Remember"));
    await expect.poll(() => textOf(click)).toContain("It replaces “Tern”.");
    expect(last.content).toContain("Something has changed since you were shown this");
    expect(await listOf("sarah")).toEqual([["boat", "Tern"]]);
  });

  it("shows hostile keys and values whole and without effect, and stores them exactly", async () => {
    const { preview, decide, listOf, say } = await openRemembering();
    const hostile = [
      ["**bold** `code` <@1>", "@everyone <@&1> [click](https://evil.example) ||spoiler|| # head"],
      ["fence", "```\n# out of the block\n```js\nmore"],
      ["lines", "one\ntwo\n\n\n\n\n\n\nthree\tfour"],
      ["invisible", "a\u200bb\u2060c"],
      ["long", "x`".repeat(1_000)],
    ] as const;
    for (const [key, value] of hostile) {
      const { text, last } = await preview("sarah", { key, value });
      const outside = text.replaceAll(/```\n[\s\S]*?\n```/g, "");
      expect(outside).not.toMatch(/everyone|evil|out of the block|bold|three/);
      expect(last.more?.mentions ?? { users: [], roles: [] }).toEqual({ users: [], roles: [] });
      await decide("sarah", last);
      expect(await listOf("sarah")).toContainEqual([key, value]);
    }
    const list = await say("sarah", "list");
    expect(list).not.toContain("**bold**");
    const bidi = await say("sarah", "remember", { key: "bidi", value: "abc\u202edef" });
    expect(bidi).toBe("The value contains a control character. Only line breaks and tabs are allowed.");
  });

  it("refuses at once, in the words of the memory, what cannot be remembered", async () => {
    const { say, listOf, sandbox } = await openRemembering();
    const refusals: [Record<string, string>, RegExp][] = [
      [{ key: "login", value: "password: hunter2hunter2" }, /^That looks like .* It is not remembered\.$/],
      [
        { key: "friend", value: `<@${sandbox.as("mark").id}>`, share: "org" },
        /^A fact that mentions somebody else can only be private\.$/,
      ],
      [{ key: "k".repeat(65), value: "x" }, /^The name of a fact can have at most 64 characters\.$/],
      [{ key: "long", value: "x".repeat(3_000) }, /^The value is too large/],
    ];
    for (const [options, words] of refusals) expect(await say("sarah", "remember", options)).toMatch(words);
    expect(await listOf("sarah")).toEqual([]);
  });

  it("respects what a server does not want", async () => {
    const off = await openRemembering({ memory: { people: "off" } });
    expect(await off.say("sarah", "remember", { key: "boat", value: "Petrel" })).toBe(
      "Nothing is remembered about people in this server.",
    );
    const alone = await openRemembering({ memory: { people: "private" } });
    expect(await alone.say("sarah", "remember", { key: "boat", value: "Petrel", share: "org" })).toBe(
      "In this server, facts about people are for themselves alone.",
    );
  });

  it("suggests only one's own facts", async () => {
    const { remember, suggested, say } = await openRemembering();
    await remember("sarah", { key: "boat", value: "Petrel" });
    await remember("sarah", { key: "hat", value: "red", share: "org" });
    await remember("mark", { key: "boots", value: "green", share: "org" });
    const labels = async (who: string, typed: string) => (await suggested(who, typed)).map(({ name }) => name);
    expect(await labels("sarah", "BO")).toEqual(["boat (only you)"]);
    expect(await labels("sarah", "")).toHaveLength(2);
    expect(await labels("mark", "")).toEqual([expect.stringMatching(/^boots \(the members of /)]);
    expect(await labels("mei", "")).toEqual([]);
    const [choice] = await suggested("sarah", "hat");
    expect(await say("mark", "forget", { fact: String(choice?.value) })).toBe("You have no such fact.");
    expect(await say("sarah", "forget", { fact: String(choice?.value) })).toContain("Forgotten: **hat**.");
  });

  it("exports everything with its history as a file, and says that its link opens for everybody", async () => {
    const { remember, run, answer, sandbox } = await openRemembering();
    await remember("sarah", { key: "boat", value: "Gull" });
    await remember("sarah", { key: "boat", value: "Petrel" });
    await remember("mark", { key: "boots", value: "green", share: "org" });
    const told = await answer(run("sarah", "export"));
    expect(told.content).toContain("2 facts. The file's link opens for everybody who has it");
    const [file] = told.more?.attachments ?? [];
    expect(file).toMatchObject({ filename: "earshot-memory.json" });
    const { facts, person_id } = JSON.parse(new TextDecoder().decode(file?.bytes as Uint8Array));
    expect(person_id).toBe(sandbox.as("sarah").id);
    expect(facts.map(({ value }: { value: string }) => value).sort()).toEqual(["Gull", "Petrel"]);
    expect(facts[0]).toMatchObject({ key: "boat", visibility: "private", verification: "user_confirmed" });
    expect(facts[0].rests_on).toEqual([
      { type: "typed", ref: expect.stringMatching(/^\d+$/), own_words: true, readable: true },
    ]);
  });

  it("is not taken away by rules that forbid everything else, and has a limit of its own", async () => {
    const { sandbox, answer } = await openProgram((sandbox) => ({
      policy: {
        toolsets: [],
        directMessages: false,
        guilds: { allow: [], deny: [sandbox.community.guild.id] },
        channels: { allow: [] },
        roles: [{ guild: sandbox.community.guild.id, role: "everyone", scopes: [] }],
        limits: { callsPerMinute: { actor: 1 } },
      },
    }));
    const list = async () => (await answer(sandbox.as("mark").run("memory list", {}, { in: "general" }))).content;
    const asking = sandbox.as("mark").run("memory remember", { key: "boat", value: "Tern" }, { in: "general" });
    const shown = await answer(asking);
    sandbox.as("mark").click(shown, buttonId(shown, "Remember"));
    await expect.poll(() => shown.content).toContain("Remembered: **boat**");
    const answers: string[] = [];
    for (let count = 0; count < 22; count += 1) answers.push(await list());
    expect(answers[0]).toContain("**boat**: Tern");
    expect(answers.at(-1)).toMatch(/^Too many requests; try again in/);
  });

  it("works in direct messages, where everything is for the person alone", async () => {
    const { sandbox, answer } = await openRemembering();
    const dm = (options: Record<string, string>) =>
      answer(sandbox.as("sarah").run("memory remember", { key: "boat", value: "Petrel", ...options }, {}));
    expect((await dm({})).content).toContain("“Remember”: only you will be able to hear it.");
    expect((await dm({ share: "org" })).content).toBe("What you say here can only be remembered for yourself.");
  });

  it("shows no value that rests on what the person can no longer read, and says why it is not in use", async () => {
    const { sandbox, memory, say, run, answer, id } = await openRemembering();
    const sarah = sandbox.as("sarah").id as UserId;
    const { id: messageId } = sandbox.as("mei").say("pier", "the tide turns at four");
    const ref = `${id("pier")}/${messageId}`;
    await memory.remember({
      scope: "user",
      scopeId: sarah,
      subjectId: sarah,
      guildId: null,
      visibility: "private",
      home: { kind: "person", id: sarah },
      name: "tide",
      value: "four o'clock",
      basis: [{ type: "discord_message", ref, isOwn: false, authorId: null, words: "the tide turns at four" }],
      createdBy: sarah,
      verification: "user_confirmed",
      confidence: 1,
      expiresAt: null,
      ends: [],
    });
    expect(await say("sarah", "list")).toContain(`**tide**: four o'clock`);
    expect(await say("sarah", "list")).toContain(
      `Rests on https://discord.com/channels/${sandbox.community.guild.id}/${ref}.`,
    );
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await expect.poll(() => say("sarah", "list")).toContain("you or the bot can no longer read what it rests on");
    expect(await say("sarah", "list")).toContain("**tide**: (not shown: you cannot read what it rests on)");
    const [file] = (await answer(run("sarah", "export"))).more?.attachments ?? [];
    const exported = new TextDecoder().decode(file?.bytes as Uint8Array);
    expect(exported).not.toContain("four");
    expect(JSON.parse(exported).facts[0]).toMatchObject({
      key: "tide",
      readable: false,
      value: null,
      dormant: "source_out_of_reach",
      dormant_text: expect.stringContaining("can no longer read"),
      rests_on: [{ type: "discord_message", ref, own_words: false, readable: false }],
    });
  });

  it("says so when nobody hears what is remembered, because the person is left out", async () => {
    const { say, remember, consent, sandbox } = await openRemembering();
    await remember("sarah", { key: "boat", value: "Petrel" });
    consent.set(sandbox.as("sarah").id, true);
    expect(await say("sarah", "list")).toContain("You are left out at the moment, so nobody hears");
    expect(await say("sarah", "remember", { key: "hat", value: "red" })).toContain("You are left out at the moment");
  });

  it("voids previews with a restart", async () => {
    const { sandbox, answer, restart } = await openProgram();
    const shown = await answer(
      sandbox.as("mark").run("memory remember", { key: "boat", value: "Tern" }, { in: "general" }),
    );
    await restart();
    const click = sandbox.as("mark").click(shown, buttonId(shown, "Remember"));
    expect(await whispered(click)).toBe("This has been decided or has expired; use the command again.");
  });
});
