import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readConversations } from "../../eval/conversations.ts";
import { openArchive } from "../support/archive.ts";

it("the evaluation gives messages of the same minute ids of their own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-eval-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "conversations.json");
  const session = (word: string) => ({
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: ["one", "two"].map((text, index) => ({
      speaker: "Ann",
      dia_id: `D1:${index}`,
      text: `${word} ${text}`,
    })),
    session_2_date_time: "1:56 pm on 8 May, 2023",
    session_2: [{ speaker: "Bo", dia_id: "D2:1", text: `${word} three` }],
  });
  await writeFile(file, JSON.stringify(["keel", "mast"].map((word) => ({ conversation: session(word), qa: [] }))));
  const conversations = readConversations(file);
  const ids = conversations.flatMap(({ turns }) => turns.map(({ message }) => message.message_id));
  expect(new Set(ids).size).toBe(6);
  const channels = conversations.map(
    ({ channelId, turns }) => [channelId, turns.map(({ message }) => message)] as const,
  );
  const { timelines } = openArchive(new Map(channels));
  for (const [channelId, messages] of channels) {
    const read = await timelines.recent(channelId, { limit: 10 });
    expect(read.messages.toReversed()).toEqual(messages);
  }
  await timelines.close();
});
