import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeyStore } from "../ports/key-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface KeyStoreFixture {
  readonly store: KeyStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<KeyStore>;
  /** False if deleted data may stay on the disk for a while. */
  readonly canScrub?: boolean;
  close(): Promise<void>;
}

const key = (byte: number) => new Uint8Array(32).fill(byte);
const keys = (...names: readonly string[]) => new Map(names.map((name, index) => [name, key(index + 1)]));

/** The contract of every store of keys. */
export function describeKeyStore(name: string, open: () => Promise<KeyStoreFixture>): void {
  describe(`${name} as a store of keys`, () => {
    const using = async (work: (fixture: KeyStoreFixture) => Promise<void>) => {
      const fixture = await open();
      await work(fixture).finally(() => fixture.close());
    };
    const all = (store: KeyStore) => store.names("", { limit: 1_000 });

    it("keeps its id and its keys after a restart", () =>
      using(async ({ store, reopen }) => {
        const id = store.storeId;
        expect(id).not.toBe("");
        await store.add(keys("a", "b"));
        const again = await reopen();
        expect(again.storeId).toBe(id);
        expect(await again.find(["b", "a"])).toEqual(keys("a", "b"));
      }));

    it("finds only the keys that exist", () =>
      using(async ({ store }) => {
        await store.add(keys("a", "x' OR 1=1 --"));
        expect(await store.find(["nobody", "a", "a"])).toEqual(keys("a"));
        expect(await store.find(["x' OR 1=1 --"])).toEqual(new Map([["x' OR 1=1 --", key(2)]]));
        expect(await store.find([])).toEqual(new Map());
      }));

    it("refuses a second key of the same name and then adds none", () =>
      using(async ({ store }) => {
        await store.add(keys("a"));
        const again = store.add(
          new Map([
            ["b", key(7)],
            ["a", key(8)],
          ]),
        );
        await expect(again).rejects.toMatchObject({ code: "misconfigured" });
        expect(await store.find(["a", "b"])).toEqual(keys("a"));
      }));

    it("has forgotten deleted keys, also after a restart, and ignores unknown names", () =>
      using(async ({ store, reopen }) => {
        await store.add(keys("a", "b", "c"));
        await store.delete(["a", "nobody", "c"]);
        await store.delete([]);
        await store.delete(["a"]);
        expect(await store.find(["a", "b", "c"])).toEqual(new Map([["b", key(2)]]));
        expect(await all(await reopen())).toEqual(["b"]);
      }));

    it("lists names by prefix in order, a page at a time", () =>
      using(async ({ store }) => {
        await store.add(keys("fact:b", "fact:a", "fact", "fact:", "facts", "other", "fact:%", "é"));
        expect(await store.names("fact:", { limit: 2 })).toEqual(["fact:", "fact:%"]);
        expect(await store.names("fact:", { after: "fact:%", limit: 2 })).toEqual(["fact:a", "fact:b"]);
        expect(await store.names("fact:", { after: "fact:b", limit: 2 })).toEqual([]);
        expect(await all(store)).toEqual(["fact", "fact:", "fact:%", "fact:a", "fact:b", "facts", "other", "é"]);
      }));

    it("compares its names with a list", () =>
      using(async ({ store, reopen }) => {
        const compare = async (from: KeyStore, names: readonly string[]) => {
          const inventory = await from.openInventory();
          const missing = await inventory.findMissing("", names);
          const others: string[] = [];
          for await (const page of inventory.others()) others.push(...page);
          return { missing, others: others.sort() };
        };
        expect(await compare(store, ["a"])).toEqual({ missing: ["a"], others: [] });
        await store.add(keys("a", "b", "c", "d"));
        await store.delete(["b"]);
        const check = async (each: KeyStore) => {
          expect(await compare(each, ["a", "b", "x"])).toEqual({ missing: ["b", "x"], others: ["c", "d"] });
          expect(await compare(each, [])).toEqual({ missing: [], others: ["a", "c", "d"] });
        };
        await check(store);
        await check(await reopen());
      }));

    it("compares names of one prefix by their ends", () =>
      using(async ({ store }) => {
        await store.add(keys("fact:a", "fact:ä", "é:b", "a"));
        const inventory = await store.openInventory();
        expect(await inventory.findMissing("fact:", ["b", "ä", "a", "ab"])).toEqual(["b", "ab"]);
        expect(await inventory.findMissing("é:", ["a", "b"])).toEqual(["a"]);
        expect(await inventory.findMissing("fact:", [])).toEqual([]);
        for await (const others of inventory.others()) expect(others).toEqual(["a"]);
      }));

    it("gives out names that are deleted while it does", () =>
      using(async ({ store }) => {
        const many = Array.from({ length: 20_001 }, (_, index) => `fact:${index}`);
        await store.add(keys(...many));
        const found: string[] = [];
        for await (const page of (await store.openInventory()).others()) {
          found.push(...page);
          await store.delete(page);
        }
        expect(found.sort()).toEqual(many.sort());
        expect(await all(store)).toEqual([]);
      }));

    it("keeps every key that is not deleted where additions, deletions and reads overlap", () =>
      using(async ({ store }) => {
        await store.add(keys("a", "b"));
        await Promise.all([store.delete(["a"]), store.delete(["a", "b"]), store.find(["a", "b"])]);
        await Promise.all([store.add(keys("c")), store.find(["c"]), store.add(keys("d")), store.add(keys("e"))]);
        await expect(Promise.all([store.add(keys("f")), store.add(keys("f"))])).rejects.toMatchObject({
          code: "misconfigured",
        });
        expect((await store.find(["a", "b", "c", "d", "e", "f"])).size).toBe(4);
        const found = await Promise.all([store.delete(["c"]), store.find(["c", "d"]), store.add(keys("g"))]);
        expect(found[1].get("d")).toEqual(key(1));
        expect([undefined, key(1)]).toContainEqual(found[1].get("c"));
        expect(await all(store)).toEqual(["d", "e", "f", "g"]);
      }));

    it("accepts more names at once than one statement has parameters", () =>
      using(async ({ store }) => {
        const many = new Map(Array.from({ length: 33_000 }, (_, index) => [`fact:${index}`, key(index % 256)]));
        await store.add(many);
        expect((await store.find([...many.keys()])).size).toBe(33_000);
        await store.delete([...many.keys()].slice(1));
        expect(await all(store)).toEqual(["fact:0"]);
      }));

    it("says whether it has scrubbed when nobody else reads", () =>
      using(async ({ canScrub = true, store }) => {
        await store.add(keys("a"));
        await store.delete(["a"]);
        expect(await store.scrub()).toBe(canScrub);
      }));

    it("can be closed repeatedly, and is unavailable afterwards", () =>
      using(async ({ store }) => {
        await store.add(keys("a"));
        await store.close();
        await store.close();
        const find = () => store.find(["a"]);
        const write = [() => store.add(keys("b")), () => store.delete(["a"]), () => store.scrub()];
        for (const fail of [find, ...write, () => all(store)])
          await expect(fail()).rejects.toMatchObject({ code: "unavailable" });
      }));

    it("agrees with a plain map after any additions and deletions", () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.boolean(), fc.array(fc.constantFrom("a", "b", "c", "d"))), { maxLength: 15 }),
          (steps) =>
            using(async ({ store }) => {
              const model = new Map<string, Uint8Array>();
              for (const [index, [isAdding, names]] of steps.entries()) {
                if (!isAdding) {
                  await store.delete(names);
                  for (const each of names) model.delete(each);
                  continue;
                }
                const added = new Map(names.map((each) => [each, key(index)]));
                const isRefused = names.some((each) => model.has(each));
                if (isRefused) await expect(store.add(added)).rejects.toMatchObject({ code: "misconfigured" });
                else await store.add(added);
                if (!isRefused) for (const [each, value] of added) model.set(each, value);
              }
              expect(await store.find(["a", "b", "c", "d"])).toEqual(model);
              expect(await all(store)).toEqual([...model.keys()].sort());
            }),
        ),
        { numRuns: 30 },
      ));
  });
}
