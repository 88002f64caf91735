import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openRemembering } from "./open-remembering.ts";

describe("/memory why", () => {
  it("says what a fact rests on, who confirmed it, until when it is remembered, and who can hear it", async () => {
    const { remember, say, suggested } = await openRemembering();
    await remember("sarah", { key: "boat", value: "Petrel", share: "org" });
    await remember("sarah", { key: "hat", value: "red" });
    await remember("mark", { key: "boots", value: "green", share: "org" });
    expect((await suggested("sarah", "BO", "why")).map(({ name }) => name)).toEqual([
      expect.stringMatching(/^boat \(the members of /),
    ]);
    const [choice] = await suggested("sarah", "boat", "why");
    expect(await say("sarah", "why", { fact: String(choice?.value) })).toMatch(
      /^“boat”: “Petrel”\nRemembered since <t:\d+:f>, until <t:\d+:f>; you confirmed it\.\nIt rests on:\n- what you typed\nWho can hear it: all members of “.+” \(\d+ people now\), and those who join later\.$/,
    );
    expect(await say("sarah", "why", { fact: "hat" })).toContain("Who can hear it: only you.");
    for (const fact of ["boots", "nothing", String((await suggested("mark", "boots", "why"))[0]?.value)])
      expect(await say("sarah", "why", { fact })).toBe("You have no such fact.");
  });

  it("names what limits who hears a fact, and nothing that the person cannot read now", async () => {
    const { sandbox, memory, say, id, settle } = await openRemembering();
    const sarah = sandbox.as("sarah").id as UserId;
    const guildId = sandbox.community.guild.id as never;
    const { id: messageId } = sandbox.as("mei").say("pier", "the tide turns at four");
    const ref = `${id("pier")}/${messageId}`;
    await memory.remember({
      scope: "user",
      scopeId: sarah,
      subjectId: sarah,
      guildId,
      visibility: "org",
      home: { kind: "guild", id: guildId },
      name: "**tide** @everyone",
      value: "four o'clock",
      basis: [{ type: "discord_message", ref, isOwn: false, authorId: null, words: "the tide turns at four" }],
      createdBy: sarah,
      verification: "user_confirmed",
      confidence: 1,
      expiresAt: null,
      ends: [],
    });
    const why = await say("sarah", "why", { fact: "**tide** @everyone" });
    expect(why).toContain(`- https://discord.com/channels/${guildId}/${ref}\n`);
    expect(why).toContain(`who also have access to <#${id("pier")}> (3 people now), because it rests on that.`);
    expect(why).not.toContain("**tide**");
    sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
    await settle();
    const hidden = await say("sarah", "why", { fact: "**tide** @everyone" });
    expect(hidden).toContain("(not shown: you cannot read what it rests on)");
    expect(hidden).toContain("- a message that you cannot read\nNot in use: you or the bot can no longer read");
    for (const secret of [id("pier"), messageId, "four"]) expect(hidden).not.toContain(secret);
  });
});
