import { describe, expect, it } from "vitest";
import { createTestConsent } from "../../../test/support/consent.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../domain/ids.ts";
import type { OwnTalk } from "../../gate/memory/own-talks.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import { toMemoryExport } from "./fact-record.ts";
import { Privacy, toPrivacyRequest } from "./privacy.ts";
import type { KeptFacts } from "./privacy-text.ts";

const ADA = "11" as UserId;
const request = { person: ADA, client: "discord", isAlone: true };
const days = { maxAgeDays: 30, diskDays: null, auditDays: 90, talkDays: 60 };
const open = (count: (() => Promise<number>) | null, more: Partial<KeptFacts> = {}) => {
  const kept = { messagesPerChannel: 20_000, ...days, countsTokens: false, asksProfiles: false, ...more };
  return new Privacy({ consent: createTestConsent(), kept, ownTalks: count && { count }, clock: { now: () => 0 } });
};

describe("what people learn about their talks with the bot", () => {
  it("is how many are kept and for how long, in /privacy show and before they erase them", async () => {
    const privacy = open(async () => 7);
    const line =
      "- Talks with this bot, for 60 days: with whom, where and when, and the ids of the messages, never in words (of you: 7).";
    expect((await privacy.show(request)).text).toContain(line);
    expect((await privacy.previewErasure(request)).text).toContain("- your talks with this bot: 7");
  });

  it("is not how many there are, where a program reads it that acts for others as well", async () => {
    const privacy = open(async () => 7);
    const asked = [{}, { actors: [ADA] }, { actors: "anyone" as const }].map((grant) =>
      toPrivacyRequest({
        actor: ADA,
        client: { name: "brain", grant: { ...OPERATOR_GRANT, actors: [], ...grant } },
      } as never),
    );
    const texts = await Promise.all(asked.map(async (one) => (await privacy.show(one)).text));
    expect(texts.map((text) => text.includes("of you: 7"))).toEqual([false, true, false]);
    expect(texts[0]).toContain("how many there are of you is told to you alone");
  });

  it("says nothing of talks where none are kept, and the rest where the database cannot be read", async () => {
    expect((await open(null).show(request)).text).not.toContain("Talks");
    const { text } = await open(() => Promise.reject(new Error("disk"))).show(request);
    expect(text).toContain("how many there are of you cannot be read just now");
    expect(text).toContain("What you can do:");
  });

  it("names a profile service where one is asked, and says that it is not asked about who is left out", async () => {
    expect((await open(null).show(request)).text).not.toContain("service");
    const privacy = open(null, { asksProfiles: true });
    expect((await privacy.show(request)).text).toContain(
      "- What a service of the person who runs this bot says about you",
    );
    expect((await privacy.previewErasure(request)).text).toContain("- what is cached of your profile");
    await privacy.leaveOut(request);
    expect((await privacy.show(request)).text).toContain("it is not asked.");
  });

  it("is in the export with a link to each message that the person can read now, and otherwise with its ids", () => {
    const talk = (channelId: string, guildId: string | null): OwnTalk => ({
      ...{
        id: "a",
        partnerId: ADA,
        isBot: false,
        channelId: channelId as ChannelId,
        guildId: guildId as GuildId | null,
      },
      ...{ startedAt: 0, lastAt: 1_000 },
      lines: [
        { messageId: "5" as MessageId, authorId: ADA, isBot: false, replyTo: null, sentAt: 0 },
        {
          messageId: "6" as MessageId,
          authorId: "99" as UserId,
          isBot: true,
          replyTo: "5" as MessageId,
          sentAt: 1_000,
        },
      ],
    });
    const directory = {
      channel: () => undefined,
      canRead: (_: UserId, id: ChannelId) => id !== "22",
      member: () => undefined,
    };
    const talks = [talk("21", "31"), talk("22", "31"), talk("23", null)];
    const exported = toMemoryExport({ facts: [], talks }, 0, { person: ADA, directory });
    expect(exported.talks.map(({ messages }) => messages.map(({ ref, by }) => `${by} ${ref}`))).toEqual([
      ["person https://discord.com/channels/31/21/5", "agent https://discord.com/channels/31/21/6"],
      ["person 22/5", "agent 22/6"],
      ["person https://discord.com/channels/@me/23/5", "agent https://discord.com/channels/@me/23/6"],
    ]);
    expect(exported.talks[0]).toMatchObject({ channel_id: "21", server_id: "31", last_at: "1970-01-01T00:00:01.000Z" });
  });
});

describe("what people learn about the tokens that a model used for them", () => {
  it("is that they are counted for an hour, and that erasing does not end the hour", async () => {
    const privacy = open(null, { countsTokens: true });
    expect((await privacy.show(request)).text).toContain("How many tokens of the model were used for you");
    const [goes, stays] = (await privacy.previewErasure(request)).text.split("What stays:");
    expect(goes).toContain("- on disk, how many tokens of the model were used for you");
    expect(stays).toContain("- in memory, until your hour is over: that count");
  });

  it("is nothing where there is no model", async () => {
    for (const { text } of [await open(null).show(request), await open(null).previewErasure(request)])
      expect(text).not.toContain("tokens");
  });
});
