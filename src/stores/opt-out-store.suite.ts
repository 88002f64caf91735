import { describe, expect, it } from "vitest";
import type { OptOutStore } from "../ports/opt-out-store.ts";

/** What the store under test is opened with. Each call of `open` is a store of its own, and empty. */
export interface OptOutStoreFixture {
  readonly store: OptOutStore;
  /** The same store after the program was ended and started again. */
  reopen(): Promise<OptOutStore>;
  close(): Promise<void>;
}

/** What every store of opt-outs owes, whatever it keeps them in. */
export function describeOptOutStore(name: string, open: () => Promise<OptOutStoreFixture>): void {
  describe(`${name} as a store of opt-outs`, () => {
    const using = async (work: (fixture: OptOutStoreFixture) => Promise<void>) => {
      const fixture = await open();
      await work(fixture).finally(() => fixture.close());
    };

    it("keeps each opt-out once, also after a restart", () =>
      using(async ({ store, reopen }) => {
        expect(await store.load()).toEqual([]);
        await store.add("x", 1);
        await store.add("y' OR 1=1", 2);
        await store.add("x", 3);
        expect((await store.load()).toSorted()).toEqual(["x", "y' OR 1=1"]);
        expect((await (await reopen()).load()).toSorted()).toEqual(["x", "y' OR 1=1"]);
      }));

    it("removes one opt-out, and nothing when there is none", () =>
      using(async ({ store }) => {
        await store.add("x", 1);
        await store.add("y", 1);
        await store.remove("x");
        await store.remove("x");
        expect(await store.load()).toEqual(["y"]);
        await store.add("x", 2);
        expect((await store.load()).toSorted()).toEqual(["x", "y"]);
      }));
  });
}
