import { describe, expect, it } from "vitest";
import type { UserId } from "../domain/ids.ts";
import type { SpendStore, SpendWindow } from "../ports/spend-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface SpendStoreFixture {
  readonly store: SpendStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<SpendStore>;
  close(): Promise<void>;
}

const window = (kind: SpendWindow["kind"], id: string, endsAt = 100, tokens = 7) => ({ kind, id, endsAt, tokens });
const day = (startedAt: number, inputTokens: number) => ({ startedAt, inputTokens, outputTokens: 5 });

/** The contract of every store of used tokens. */
export function describeSpendStore(name: string, open: () => Promise<SpendStoreFixture>): void {
  describe(`${name} as a store of used tokens`, () => {
    it("holds nothing at first", async () => {
      const { store, close } = await open();
      expect(await store.load(0)).toEqual({ windows: [], day: null });
      await close();
    });

    it("keeps one window for each person and server, and one day, also after a restart", async () => {
      const { store, reopen, close } = await open();
      const others = [window("server", "1"), window("person", "2")];
      await store.save({ windows: [window("person", "1"), ...others], day: day(10, 3), now: 50 });
      await store.save({ windows: [window("person", "1", 200, 9)], day: day(20, 4), now: 50 });
      await store.save({ windows: [], day: null, now: 50 });
      const saved = await store.load(50);
      expect(new Set(saved.windows)).toEqual(new Set([window("person", "1", 200, 9), ...others]));
      expect(saved.day).toEqual(day(20, 4));
      expect(await (await reopen()).load(50)).toEqual(saved);
      await close();
    });

    it("neither loads nor keeps windows that have ended", async () => {
      const { store, close } = await open();
      await store.save({ windows: [window("person", "1", 100), window("person", "2", 101)], day: null, now: 0 });
      expect((await store.load(100)).windows).toEqual([window("person", "2", 101)]);
      await store.save({ windows: [], day: null, now: 100 });
      expect((await store.load(0)).windows).toEqual([window("person", "2", 101)]);
      await close();
    });

    it("erases a person's windows, also as a member, and neither others' nor those with the same id that are no person's", async () => {
      const { store, close } = await open();
      const others = [
        ...[window("person", "2"), window("server", "1"), window("client", "1")],
        ...[window("member", "1/2"), window("member", "3/11"), window("client", "3/1")],
      ];
      const theirs = [window("person", "1"), window("member", "3/1"), window("member", "4/1")];
      await store.save({ windows: [...theirs, ...others], day: day(10, 3), now: 0 });
      expect(await store.erase("1" as UserId)).toBe(true);
      expect(await store.erase("1" as UserId)).toBe(false);
      const { windows, day: last } = await store.load(0);
      expect(new Set(windows)).toEqual(new Set(others));
      expect(last).toEqual(day(10, 3));
      await close();
    });
  });
}
