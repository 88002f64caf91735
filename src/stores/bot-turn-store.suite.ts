import { describe, expect, it } from "vitest";
import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface BotTurnStoreFixture {
  readonly store: BotTurnStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<BotTurnStore>;
  close(): Promise<void>;
}

const turn = (channelId: string, botId: string, sinceHuman = 1, answeredAt = 0) =>
  ({ channelId, botId, sinceHuman, answeredAt }) as BotTurn;

/** The contract of every store of turns. */
export function describeBotTurnStore(name: string, open: () => Promise<BotTurnStoreFixture>): void {
  describe(`${name} as a store of how often bots were answered`, () => {
    it("keeps one turn for each bot and channel until it is removed, also after a restart", async () => {
      const { store, reopen, close } = await open();
      await store.put(turn("1", "7"));
      await store.put(turn("1", "7", 3, 9_000));
      await store.put(turn("1", "8"));
      await store.put(turn("2", "7"));
      await store.remove(turn("2", "7"));
      await store.remove(turn("2", "7"));
      expect(await store.load()).toEqual(expect.arrayContaining([turn("1", "7", 3, 9_000), turn("1", "8")]));
      expect(await (await reopen()).load()).toHaveLength(2);
      await close();
    });
  });
}
