import { describe, expect, it } from "vitest";
import type { OptOutStore } from "../ports/opt-out-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface OptOutStoreFixture {
  readonly store: OptOutStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<OptOutStore>;
  close(): Promise<void>;
}

/** The contract of every store of opt-outs. */
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
