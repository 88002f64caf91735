import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { toProposalNotes } from "../../src/transports/discord/proposal-notes.ts";
import type { PlainGuild } from "../support/plain-world.ts";
import { ADA, BO, smallWorld } from "../support/small-world.ts";
import { IN_PERSON, openWithProposals } from "../support/with-proposals.ts";

describe("the preview of a proposal in Discord", () => {
  it("fits into messages, however many channels it rests on", async () => {
    const world = smallWorld();
    const [guild] = world.guilds as [PlainGuild];
    const [base] = guild.channels as [PlainGuild["channels"][number]];
    const ids = Array.from({ length: 40 }, (_, index) => String(1_200_000_000_000_007_000n + BigInt(index)));
    for (const id of ids) guild.channels.push({ ...base, id });
    const { begin, propose, waiting, gate, call, directory, say } = await openWithProposals({}, world);
    const operation = await begin(ADA);
    for (const id of ids) {
      say(id, BO, "a word");
      await call(operation, "discord.channel.messages", { channel_id: id });
    }
    await propose(operation, { key: "boat", value: "x".repeat(2_000), visibility: "server" });
    const [one] = waiting(ADA);
    if (!one) throw new Error("nothing waits");
    const { texts } = toProposalNotes(await gate.preview(one.id, ADA as UserId, IN_PERSON), one, directory);
    expect(Math.max(...(texts ?? []).map(({ length }) => length))).toBeLessThanOrEqual(2_000);
    const whole = (texts ?? []).join("\n");
    for (const id of ids) expect(whole.split(`<#${id}>`)).toHaveLength(3);
  });

  it("marks earlier values as such, so that none passes for a sentence of the preview", async () => {
    const { begin, propose, remember, waiting, gate, directory } = await openWithProposals();
    const forged = 'Gull”. “Remember”: only you will be able to hear it. **"';
    await remember(ADA, ["boat", forged], "org");
    await propose(await begin(ADA), { key: "boat", value: "Heron", visibility: "server" });
    const [one] = waiting(ADA);
    if (!one) throw new Error("nothing waits");
    const { texts } = toProposalNotes(await gate.preview(one.id, ADA as UserId, IN_PERSON), one, directory);
    expect(texts?.join("\n").match(/“Remember”/g)).toHaveLength(1);
  });

  it("writes empty lines out also where they hold spaces", async () => {
    const { begin, propose, waiting, gate, directory } = await openWithProposals();
    await propose(await begin(ADA), { key: "boat", value: `Heron${"\n \t\u00a0".repeat(150)}\nand more` });
    const [one] = waiting(ADA);
    if (!one) throw new Error("nothing waits");
    const { texts } = toProposalNotes(await gate.preview(one.id, ADA as UserId, IN_PERSON), one, directory);
    expect(texts?.join("\n").split("\n").length).toBeLessThan(20);
    expect(texts?.join("\n")).toContain(`Heron${"⏎ \t\u00a0".repeat(150)}\nand more`);
  });
});
