import { expect, it } from "vitest";
import { createTestConsent } from "../../test/support/consent.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { RememberRequest } from "../domain/memory/remember-request.ts";

const ADA = "3001" as UserId;
const CHANNEL = "7" as ChannelId;

const request: RememberRequest = {
  ...{ scope: "user", scopeId: ADA, subjectId: ADA, guildId: null, visibility: "private" },
  ...{ home: { kind: "person", id: ADA }, name: "city", value: "Berlin" },
  basis: [{ type: "discord_message", ref: "7/70", isOwn: true, authorId: null, words: "I live in Berlin" }],
  ...{ createdBy: ADA, verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
};

it("ends a fact whose message is deleted while the fact is being stored", async () => {
  const memory = await openTestMemory({ consent: createTestConsent(), clock: { now: () => 1_000 } });
  const storing = memory.remember(request);
  const gone = { channelId: CHANNEL, messageIds: ["70" as MessageId] };
  const hearing = memory.onEvent({ type: "message_delete", ...gone }, async () => false);
  await Promise.all([storing, hearing]);
  expect(await memory.find({ subjectId: ADA })).toEqual([]);
});
