import { describe, expect, it } from "vitest";
import { type FactStoreFixture, idsOf, toFact } from "./fact-store.suite.ts";

/** The part of the contract of every store of facts that is about versions and their records. */
export function describeFactVersions(name: string, open: () => Promise<FactStoreFixture>): void {
  describe(`${name} as a store of the versions of facts`, () => {
    const using = async (work: (fixture: FactStoreFixture) => Promise<void>) => {
      const fixture = await open();
      try {
        await work(fixture);
      } finally {
        await fixture.close();
      }
    };

    it("gives a new version the number after the highest of its name, in the step in which it stores it", () =>
      using(async ({ store, reopen }) => {
        const next = (id: string, key: string) => ({ key, seal: (version: number) => toFact(id, { key, version }) });
        const numberOf = async (id: string) => (await store.findByIds([id]))[0]?.row.version;
        await store.change({ next: next("a", "k") });
        await store.change({ next: next("b", "k") });
        await store.change({ next: next("c", "l"), beginToEnd: { ids: ["b"], at: 5 } });
        expect([await numberOf("a"), await numberOf("b"), await numberOf("c")]).toEqual([1, undefined, 1]);
        // One that is still ending counts.
        const again = await reopen();
        await again.change({ next: next("d", "k") });
        const failing = again.change({ next: next("a", "k") });
        await expect(failing).rejects.toMatchObject({ code: "unavailable" });
        const ids = Array.from({ length: 8 }, (_, index) => `e${index}`);
        await Promise.all(ids.map((id) => again.change({ next: next(id, "k") })));
        expect((await again.findByIds(["d"]))[0]?.row.version).toBe(3);
        const numbers = (await again.findByIds(ids)).map(({ row }) => row.version);
        expect(numbers.toSorted((one, other) => one - other)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
      }));

    it("finds all versions of the same name and home, for one that has begun to end too", () =>
      using(async ({ store }) => {
        const trace = toFact("c", { value_json: "", version: 3, created_by: "", expires_at: null });
        await store.change({
          add: [
            ...[toFact("a"), toFact("b", { version: 2 }), trace, toFact("d", { key: "other" })],
            ...[toFact("e", { audience_ref: null }), toFact("f", { audience_ref: null, version: 2 })],
          ],
        });
        const found = async (...ids: string[]) => idsOf(await store.recordsOf(ids)).sort();
        expect(await found("a")).toEqual(["a", "b", "c"]);
        expect(await found("c", "d", "nothing")).toEqual(["a", "b", "c", "d"]);
        expect(await found("f")).toEqual(["e", "f"]);
        expect(await found()).toEqual([]);
        await store.change({ beginToEnd: { ids: ["b"], at: 5 } });
        expect(await found("b")).toEqual(["a", "c"]);
        expect(await store.recordsOf(["b"])).toContainEqual(trace);
        expect(await store.ids({ limit: 9 })).toEqual(["a", "b", "d", "e", "f"]);
        expect(await store.count({})).toBe(3);
      }));
  });
}
