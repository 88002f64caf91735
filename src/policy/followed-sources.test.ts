import { expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import { Label } from "../domain/label.ts";
import { listFollowed } from "./followed-sources.ts";
import { OperationEffects } from "./operation-effects.ts";

const SECRET = "The zeppelin lands at noon on the old pier.";

/** A message with these words, and many that were read after it. */
function read(text: string): Parameters<typeof listFollowed>[0] {
  const label = new Label();
  const join = (id: number, words: string) => {
    const [messageId, channelId, authorId] = [String(id) as MessageId, "7" as ChannelId, "8" as UserId];
    label.join({ messages: [{ messageId, channelId, authorId, text: words }] }, id);
  };
  join(1, text);
  for (let id = 2; id <= 300; id += 1) join(id, `wave ${id}`);
  const origin = { messageId: null } as Parameters<typeof listFollowed>[0]["origin"];
  return { label, origin, effects: new OperationEffects() };
}

it.each([
  ["repeats", SECRET.toUpperCase(), true],
  ["does not repeat", "Around midday.", false],
])(
  "of much that was read, an answer that cites nothing follows the latest, and what it %s: the first",
  (_, text, isFirst) => {
    const followed = listFollowed(read(SECRET), text, []).map(({ messageId }) => messageId);
    expect(followed).toHaveLength(isFirst ? 201 : 200);
    expect(followed.includes("1" as MessageId)).toBe(isFirst);
  },
);
