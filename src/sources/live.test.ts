import { describe, expect, it } from "vitest";
import { addReading, type Reading } from "../../test/support/add-reading.ts";
import { type ChannelId, type MessageId, toFirstId } from "../domain/ids.ts";
import { isLive, liveSince } from "../domain/message.ts";
import { Label } from "./label.ts";

const OPENED = Date.parse("2026-11-15T12:00:00.000Z");
const TEN_MINUTES = 600_000;
const CHANNEL = "4000" as ChannelId;
const OTHER = "4004" as ChannelId;
const sentAt = (time: number) => toFirstId<MessageId>(time);

function requestWith(messageId: MessageId | null) {
  const origin = { guildId: null, channelId: CHANNEL, threadId: null, messageId, parentMessageId: null };
  return { openedAt: OPENED, origin };
}

describe("a message is live", () => {
  it("if it was sent ten minutes before the request or later", () => {
    const request = requestWith(null);
    expect(liveSince(request)).toBe(OPENED - TEN_MINUTES);
    expect(isLive(sentAt(OPENED - TEN_MINUTES), request)).toBe(true);
    expect(isLive(sentAt(OPENED - TEN_MINUTES - 1), request)).toBe(false);
    expect(isLive(sentAt(OPENED + TEN_MINUTES), request)).toBe(true);
  });

  it("if it is the request itself, however late that is answered, which makes nothing else live", () => {
    const asked = sentAt(OPENED - 10 * TEN_MINUTES);
    expect(isLive(asked, requestWith(asked))).toBe(true);
    expect(isLive(sentAt(OPENED - 9 * TEN_MINUTES), requestWith(asked))).toBe(false);
  });
});

describe("a channel was read back", () => {
  const messageIn = (channelId: ChannelId, messageId: MessageId) => ({
    channelId,
    messageId,
    authorId: null,
    text: "",
  });
  const read = (reading: Reading) => {
    const label = new Label();
    addReading(label, reading, OPENED);
    return [...label.readBack(requestWith(null))];
  };

  it("if one message of it is not live", () => {
    const [old, live] = [sentAt(OPENED - 2 * TEN_MINUTES), sentAt(OPENED)];
    expect(read({ messages: [messageIn(CHANNEL, old), messageIn(CHANNEL, live), messageIn(OTHER, live)] })).toEqual([
      CHANNEL,
    ]);
  });

  it("if it was searched, also where it was read too, but not if only its name was given", () => {
    expect(read({ searched: [CHANNEL], channels: [OTHER] })).toEqual([CHANNEL]);
    expect(read({ searched: [CHANNEL], messages: [messageIn(CHANNEL, sentAt(OPENED))] })).toEqual([CHANNEL]);
  });

  it("no longer once the label has forgotten that", () => {
    const label = new Label();
    addReading(label, { searched: [CHANNEL] }, OPENED);
    label.forgetBefore(OPENED + 1);
    expect([...label.readBack(requestWith(null))]).toEqual([]);
  });
});
