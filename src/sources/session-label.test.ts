import { describe, expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import { toChannelId, type UserId } from "../domain/ids.ts";
import { SessionLabel } from "./session-label.ts";

const id = (digits: string) => toChannelId(digits);
const messageOf = (messageId: string, text: string) => ({
  messages: [{ messageId: messageId as never, channelId: id("1") as never, authorId: "7" as UserId, text }],
});

describe("the label of a session", () => {
  it("limits everything by all that was read, and what is confirmed only by what was read since the question", () => {
    const label = new SessionLabel();
    addReading(label, { channels: [id("1")] as never }, 1);
    expect([label.sinceStart, label.hasStartedOver]).toEqual([label, false]);
    const next = label.keepApart();
    addReading(label, { channels: new Set([id("2")]).values() as never }, 2);
    expect(label.startOver(next)).toBe(true);
    addReading(label, { searched: [id("3")] as never }, 3);
    expect([...label.channels]).toEqual([id("1"), id("2"), id("3")]);
    expect([...label.sinceStart.channels]).toEqual([id("2"), id("3")]);
  });

  it("is not started over from a question that was asked again since, which lacks what was read after that", () => {
    const label = new SessionLabel();
    const first = label.keepApart();
    const second = label.keepApart();
    addReading(label, { channels: [id("1")] as never }, 1);
    expect([label.startOver(first), label.hasStartedOver]).toEqual([false, false]);
    expect([label.startOver(second), label.startOver(second)]).toEqual([true, false]);
    expect([...label.sinceStart.channels]).toEqual([id("1")]);
  });

  it("forgets words and old sources in each of its parts", () => {
    const label = new SessionLabel();
    label.startOver(label.keepApart());
    addReading(label, messageOf("5", "the berth"), 5);
    label.forgetWordsOf("7" as UserId);
    expect(label.sinceStart.of("message").get("5" as never)?.text).toBeNull();
    label.forgetBefore(6);
    expect([label.integrity, label.sinceStart.integrity]).toEqual(["trusted", "trusted"]);
  });
});
