import { describe, expect, it } from "vitest";
import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";

/** What the store under test is opened with. Each call of `open` is a store of its own, and empty. */
export interface BotTurnStoreFixture {
  readonly store: BotTurnStore;
  /** The same store after the program was ended and started again. */
  reopen(): Promise<BotTurnStore>;
  close(): Promise<void>;
}

const turn = (channelId: string, botId: string, sinceHuman = 1, answeredAt = 0) =>
  ({ channelId, botId, sinceHuman, answeredAt }) as BotTurn;

/** What every store of turns owes, whatever it keeps them in. */
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
