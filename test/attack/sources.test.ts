import { describe, expect, it } from "vitest";
import { ADA, BO, CEM, PLACE } from "../support/small-world.ts";
import { type MessageId, openSystem } from "./open-system.ts";

describe("content that changes between reading and sending:", () => {
  it("a file that its author removed by an edit is not mentioned any more", async () => {
    const { open, call, say, tell2, world } = openSystem();
    const raw = {
      attachments: [
        {
          id: "1460000000000000001",
          url: `https://cdn.discordapp.com/attachments/${PLACE.general}/1460000000000000001/secret.txt`,
          filename: "secret-plan-of-bo.txt",
          content_type: "text/plain",
          size: 20,
        },
      ],
    };
    const said = say(PLACE.general, BO, "here it is", raw);
    const operation = await open(ADA, PLACE.general);
    const read = await call(operation, "discord.channel.messages", { channel_id: PLACE.general }, true);
    expect(read).toMatchObject({ ok: true, text: expect.stringContaining("secret-plan-of-bo") });
    const without = { ...said, edited: true, raw: {} };
    world.messages.set(
      PLACE.general,
      (world.messages.get(PLACE.general) ?? []).map((one) => (one.id === said.id ? without : one)),
    );
    tell2("MESSAGE_UPDATE", PLACE.general, without, { edited_timestamp: "2026-11-15T12:00:00.000Z" });
    const sent = await call(operation, "discord.send", {
      channel_id: PLACE.general,
      text: "Bo posted secret-plan-of-bo.txt",
    });
    expect(sent).toMatchObject({ ok: false, code: "forbidden" });
  });

  it("the old version of an embed that a bot rewrote is not repeated", async () => {
    const { open, call, say, tell2, world } = openSystem();
    const bot = { author: { id: "3999", username: "billing", bot: true } };
    const said = say(PLACE.general, "3999", "", {
      ...bot,
      embeds: [{ type: "rich", title: "Card", description: "number 4111" }],
    });
    const operation = await open(ADA, PLACE.general);
    const read = await call(operation, "discord.channel.messages", { channel_id: PLACE.general }, true);
    expect(read).toMatchObject({ ok: true, text: expect.stringContaining("4111") });
    const redacted = { ...said, raw: { ...bot, embeds: [{ type: "rich", title: "Card", description: "removed" }] } };
    world.messages.set(
      PLACE.general,
      (world.messages.get(PLACE.general) ?? []).map((one) => (one.id === said.id ? redacted : one)),
    );
    tell2("MESSAGE_UPDATE", PLACE.general, redacted, { edited_timestamp: "2026-11-15T12:00:00.000Z" });
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "the card is 4111" });
    expect(sent).toMatchObject({ ok: false, code: "forbidden" });
  });

  it.each([0, 3])(
    "the edit of one person through a proxy counts, while others edit %s times through the same webhook",
    async (times) => {
      const { open, call, say, tell2, world } = openSystem();
      const hook = { webhook_id: "3998", author: { id: "3998", username: "Luna", bot: true } };
      const others = ["a", "b", "c"].map((word) => say(PLACE.general, "3998", `hello ${word}`, hook));
      const said = say(PLACE.general, "3998", "my address is 12 Quay Road", hook);
      const operation = await open(ADA, PLACE.general);
      await call(operation, "discord.channel.messages", { channel_id: PLACE.general });
      for (const other of others.slice(0, times))
        tell2("MESSAGE_UPDATE", PLACE.general, { ...other, content: `${other.content} again`, edited: true });
      const redacted = { ...said, content: "(removed)", edited: true };
      world.messages.set(
        PLACE.general,
        (world.messages.get(PLACE.general) ?? []).map((one) => (one.id === said.id ? redacted : one)),
      );
      tell2("MESSAGE_UPDATE", PLACE.general, redacted, { edited_timestamp: "2026-11-15T12:00:00.000Z" });
      const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text: "it is 12 Quay Road" });
      expect(sent).toMatchObject({ ok: false, code: "forbidden" });
    },
  );
});

describe("a confined client", () => {
  const CONFINED = { confined: true, events: "addressed" as const };

  it("may send again after an hour if nothing that it read has changed, with confinedMinutes of 120", async () => {
    const { open, call, say, tell2, clock } = openSystem({ rules: { confinedMinutes: 120 } });
    for (let index = 0; index < 60; index += 1) say(PLACE.general, ADA, `word ${index}`);
    const reading = await open(ADA, PLACE.general, CONFINED);
    await call(reading, "discord.channel.messages", { channel_id: PLACE.general, limit: 100 });
    clock.ahead = 60_000;
    const typo = say(PLACE.lounge, BO, "teh");
    tell2("MESSAGE_UPDATE", PLACE.lounge, { ...typo, content: "the", edited: true });
    clock.ahead = 63 * 60_000;
    const again = say(PLACE.lounge, BO, "an");
    tell2("MESSAGE_UPDATE", PLACE.lounge, { ...again, content: "and", edited: true });
    const operation = await open(ADA, PLACE.general, CONFINED);
    expect(await call(operation, "discord.send", { channel_id: PLACE.general, text: "word" })).toMatchObject({
      ok: true,
    });
  });
});

describe("activity that an actor cannot see", () => {
  it("does not block an answer to them, even many edits", async () => {
    const outcome = async (edits: number) => {
      const { open, call, say, tell2, clock } = openSystem();
      for (let index = 0; index < 60; index += 1) say(PLACE.general, ADA, `word ${index}`);
      const operation = await open(CEM, PLACE.general);
      await call(operation, "discord.channel.messages", { channel_id: PLACE.general, limit: 100 });
      clock.ahead = 1_000;
      const [secret] = [say(PLACE.staff, BO, "secret")];
      for (let index = 0; index < edits; index += 1)
        tell2("MESSAGE_UPDATE", PLACE.staff, {
          ...secret,
          id: String(BigInt(secret.id) + BigInt(index)) as MessageId,
          content: `secret ${index}`,
          edited: true,
        });
      clock.ahead = 2_000;
      const { ok } = await call(operation, "discord.send", { channel_id: PLACE.general, text: "word" });
      return ok;
    };
    expect([await outcome(10), await outcome(21_000)]).toEqual([true, true]);
  });
});
