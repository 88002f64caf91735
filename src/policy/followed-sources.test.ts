import { expect, it } from "vitest";
import { addReading } from "../../test/support/add-reading.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { MessageReading } from "../domain/message.ts";
import { toMessageSource } from "../ports/stored-source.ts";
import { Label } from "../sources/label.ts";
import { listFollowed } from "./followed-sources.ts";
import { OperationEffects } from "./operation.ts";

const SECRET = "The zeppelin lands at noon on the old pier.";

/** A message with these words, and many that were read after it. */
function read(text: string, { added, count = 300 }: { added?: string; count?: number } = {}) {
  const label = new Label();
  const join = (id: number, words: Pick<MessageReading, "text" | "added">) => {
    const [messageId, channelId, authorId] = [String(id) as MessageId, "7" as ChannelId, "8" as UserId];
    addReading(label, { messages: [{ messageId, channelId, authorId, ...words }] }, id);
  };
  join(1, { text, ...(added && { added }) });
  for (let id = 2; id <= count; id += 1) join(id, { text: `wave ${id}` });
  const origin = { messageId: null } as Parameters<typeof listFollowed>[0]["origin"];
  return { label, origin, effects: new OperationEffects() };
}

it("an answer that cites nothing follows all that was read, however much it is", () => {
  const followed = listFollowed(read(SECRET, { count: 5_000 }), "Around midday.", []);
  expect(new Set(followed.map(({ ref }) => ref)).size).toBe(5_000);
});

it.each([
  ["of the first of thousands", read(SECRET, { count: 5_000 })],
  ["that Discord added to a message", read("look", { added: `look\n${SECRET}` })],
])("an answer that cites something else also follows what it repeats: words %s", (_, operation) => {
  const cited = toMessageSource({ messageId: "2" as MessageId, channelId: "7" as ChannelId }, "8" as UserId);
  const followed = listFollowed(operation, `As they say: ${SECRET}`, [cited]);
  expect(followed.map(({ ref }) => ref)).toEqual(["7/2", "7/1"]);
});
