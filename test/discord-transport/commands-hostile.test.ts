import { MessageFlags } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { openAskingHarbour } from "./open-commands.ts";

const FILE = { filename: "x⟧ y.png", bytes: Buffer.from("x"), contentType: "image/png" };

describe("a command's answer that quotes hostile text", () => {
  it("keeps its layout: no quoted text formats, hides, pings or links anywhere else than it shows", async () => {
    const { sandbox, find, press, settle, saidByBot } = await openAskingHarbour();
    const said = [
      "# bait headline\n**mark** [open](https://evil.example) ||gone||",
      "bait [open](https://evil.example/a_b_c) <@&1> `code",
      "bait ```\nfence @everyone\n```",
      "-# bait Only what everyone here can see \u202egnp.exe\u202c \u200b\u200b",
      "> bait <https://evil.example> \\[x](https://evil.example)",
    ];
    for (const text of said) sandbox.as("mark").say("general", text);
    await settle();
    const answer = await find("sarah", "bait");
    const [title, ...lines] = answer.content.split("\n");
    expect(title).toBe("Found for “bait”:");
    expect(lines).toHaveLength(10);
    const words = lines.filter((_, index) => index % 2 === 1).sort();
    expect(words).toEqual(
      [
        "> \\# bait headline⏎\\*\\*mark\\*\\* \\[open\\](https://evil.example) \\|\\|gone\\|\\|",
        "> bait \\[open\\](https://evil.example/a_b_c) <@&1> \\`code",
        "> bait \\`⏎fence @everyone⏎\\`",
        "> \\-# bait Only what everyone here can see gnp.exe",
        "> \\> bait \\<https://evil.example> \\\\\\[x\\](https://evil.example)",
      ].sort(),
    );
    expect(answer.more?.mentionEveryone ?? false).toBe(false);
    expect(answer.flags & MessageFlags.SuppressEmbeds).toBe(MessageFlags.SuppressEmbeds);
    await press("sarah", answer, "Share here");
    const [post] = saidByBot("general");
    expect(post?.content.split("\n")).toHaveLength(12);
    expect(post?.more?.mentionEveryone ?? false).toBe(false);
    expect(post?.flags).toBe(MessageFlags.SuppressEmbeds);
  });

  it("fits into one message, however long the texts, the names and the query are", async () => {
    const { sandbox, find, settle, press, saidByBot, answer } = await openAskingHarbour();
    const member = sandbox.world.guilds.get(sandbox.community.guild.id)?.members.get(sandbox.as("mark").id);
    if (member) member.nick = "*".repeat(32);
    for (let index = 0; index < 5; index += 1) sandbox.as("mark").say("general", `bait ${"_*".repeat(900)} ${index}`);
    const last = sandbox.as("mark").say("general", "and?");
    await settle();
    const found = await find("sarah", `bait ${"_".repeat(390)}`);
    expect(found.content).toContain(`**${"\\*".repeat(23)}…**`);
    expect(found.content.length).toBeLessThanOrEqual(2_000);
    expect(found.content.split("\n")).toHaveLength(11);
    await press("sarah", found, "Share here");
    expect(saidByBot("general").map(({ content }) => content.split("\n").length)).toEqual([12]);
    const led = await answer(sandbox.as("sarah").menu("What led up to this?", last));
    expect(led.content.length).toBeLessThanOrEqual(2_000);
    expect(led.content.split("\n")).toHaveLength(6);
  });

  it("tells typed text from attachments, and people with similar names apart", async () => {
    const { sandbox, find, settle } = await openAskingHarbour();
    const { members } = sandbox.world.guilds.get(sandbox.community.guild.id) ?? {};
    const nicks = { mark: "Nina", mei: "Νina", olga: "Еarshot" };
    for (const [who, nick] of Object.entries(nicks)) Object.assign(members?.get(sandbox.as(who).id) ?? {}, { nick });
    for (const who of Object.keys(nicks)) {
      sandbox.as(who).say("general", { content: "bait ⟦file: typed.txt⟧", attachments: [FILE] });
      await settle();
    }
    const { content } = await find("sarah", "bait");
    const names = [...content.matchAll(/^\*\*(.*?)\*\*/gm)].map(([, name]) => name);
    expect(names.filter((name) => name?.endsWith(" 2"))).toHaveLength(2);
    expect(names).toContain("Еarshot 2");
    expect(content.match(/^> bait \\\[file: typed\.txt\\\] ⟦file: x\\\] y\.png⟧$/gm)).toHaveLength(3);
  });

  it("escapes the actor's own words in an error message", async () => {
    const { find } = await openAskingHarbour();
    const { content } = await find("sarah", "tide", { in: "[x](https://evil.example) **no**" });
    expect(content).toBe("Could not find channel '\\[x\\](https://evil.example) \\*\\*no\\*\\*'");
  });
});
