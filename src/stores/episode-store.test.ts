import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeAnswerStore } from "./answer-store.suite.ts";
import { createAnswerStore } from "./answer-store.ts";
import { describeBotTurnStore } from "./bot-turn-store.suite.ts";
import { createBotTurnStore } from "./bot-turn-store.ts";
import type { Database } from "./database.ts";
import { describeEpisodeStore } from "./episode-store.suite.ts";
import { createEpisodeStore } from "./episode-store.ts";
import { describeSpendStore } from "./spend-store.suite.ts";
import { createSpendStore } from "./spend-store.ts";
import { openDurableDatabase } from "./sqlite/open-sqlite.ts";

const fixtureOf =
  <Store>(create: (database: Database) => Store) =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-talks-"));
    const open = () => openDurableDatabase(join(folder, "earshot.db"));
    let database = await open();
    return {
      folder,
      store: create(database),
      async reopen() {
        await database.close();
        database = await open();
        return create(database);
      },
      async close() {
        database.close();
        rmSync(folder, { recursive: true });
      },
    };
  };

describeAnswerStore("SQLite", fixtureOf(createAnswerStore));
describeEpisodeStore("SQLite", fixtureOf(createEpisodeStore));
describeBotTurnStore("SQLite", fixtureOf(createBotTurnStore));
describeSpendStore("SQLite", fixtureOf(createSpendStore));

it("SQLite leaves no byte of an erased talk in any file once it is scrubbed", async () => {
  const { folder, store, close } = await fixtureOf(createEpisodeStore)();
  const person = "987654321098765432" as never;
  const talk = { id: "a", partnerId: person, isBot: false, channelId: "1" as never, guildId: null };
  const line = { messageId: "2" as never, authorId: person, isBot: false, replyTo: null, sentAt: 1 };
  await store.add({ ...talk, startedAt: 1, lastAt: 1 }, [line]);
  const bytes = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  expect(bytes().includes(String(person))).toBe(true);
  await store.erase(person);
  expect(await store.scrub()).toBe(true);
  expect(bytes().includes(String(person))).toBe(false);
  await close();
});
