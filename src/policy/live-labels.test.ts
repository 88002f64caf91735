import { expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { Label } from "../sources/label.ts";
import { LiveLabels } from "./live-labels.ts";

it("the words of an erased author are forgotten in every label that is held, however often it was added", () => {
  const labels = new LiveLabels();
  const held = [new Label(), new Label()];
  const message = {
    messageId: "1" as MessageId,
    channelId: "2" as ChannelId,
    authorId: "3" as UserId,
    text: "hello",
  };
  for (const label of held) {
    addReading(label, { messages: [message] }, 1);
    labels.add(label);
    labels.add(label);
  }
  labels.forgetWordsOf("3" as UserId);
  for (const label of held) expect(label.of("message").get(message.messageId)?.texts).toEqual(new Set());
});
