import { describe, expect, it } from "vitest";
import type { LastHeard } from "../ports/last-heard.ts";

/** Each call of `open` creates a new, empty store. `reopen`: the same store after a restart. */
interface LastHeardFixture {
  readonly store: LastHeard;
  reopen(): Promise<LastHeard>;
  close(): Promise<void>;
}

const AT = 1_800_000_000_000;
const ONLY = [0, 1] as const;
const [FIRST, SECOND] = [
  [0, 2],
  [1, 2],
] as const;

/** The contract of every `LastHeard`. */
export function describeLastHeard(name: string, open: () => Promise<LastHeardFixture>): void {
  const withStore = (work: (store: LastHeard, reopen: () => Promise<LastHeard>) => Promise<void>) => async () => {
    const { store, reopen, close } = await open();
    await work(store, reopen).finally(close);
  };

  describe(`${name} as a store of the last heard times`, () => {
    it(
      "loads what was saved for the bot and the shard before and after a restart, and null where nothing was",
      withStore(async (store, reopen) => {
        expect(await store.load("7", ONLY)).toBeNull();
        await store.save("7", FIRST, AT);
        await store.save("7", SECOND, AT + 5);
        await store.save("8", ONLY, AT + 1);
        for (const next of [async () => store, reopen]) {
          const each = await next();
          expect(await Promise.all([FIRST, SECOND].map((shard) => each.load("7", shard)))).toEqual([AT, AT + 5]);
          expect([await each.load("8", ONLY), await each.load("9", ONLY)]).toEqual([AT + 1, null]);
        }
      }),
    );

    it(
      "accepts repeated and concurrent saves, and the latest call wins",
      withStore(async (store) => {
        await store.save("7", ONLY, AT);
        await Promise.all([9, 3, 5].map((more) => store.save("7", ONLY, AT + more)));
        expect(await store.load("7", ONLY)).toBe(AT + 5);
      }),
    );

    it(
      "loads the earliest of all after the number of shards changed, until each of the new ones was heard",
      withStore(async (store) => {
        await store.save("7", ONLY, AT);
        expect([await store.load("7", FIRST), await store.load("7", SECOND)]).toEqual([AT, AT]);
        await store.save("7", FIRST, AT + 5);
        expect([await store.load("7", FIRST), await store.load("7", SECOND)]).toEqual([AT + 5, AT]);
        await store.save("7", SECOND, AT + 7);
        expect([await store.load("7", SECOND), await store.load("7", ONLY)]).toEqual([AT + 7, AT + 5]);
      }),
    );
  });
}
