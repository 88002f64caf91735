import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, UserId } from "../domain/ids.ts";
import type {
  FactPosition,
  FactQuery,
  FactRow,
  FactSource,
  FactStore,
  FactSubject,
  StoredFact,
} from "../ports/fact-store.ts";

/** The store under test. Each call of `open` creates a new, empty one. */
export interface FactStoreFixture {
  readonly store: FactStore;
  /** The same store after a restart of the program. */
  reopen(): Promise<FactStore>;
  /** False if deleted data may stay on the disk for a while. */
  readonly canScrub?: boolean;
  close(): Promise<void>;
}

const SARAH = "11" as UserId;
const MARK = "12" as UserId;
const GUILD = "1" as GuildId;

const ROW: FactRow = {
  id: "a",
  scope_type: "user",
  scope_id: SARAH,
  subject_id: SARAH,
  guild_id: GUILD,
  audience_ref: "channel:7",
  key: "hash of a name",
  value_json: "sealed",
  visibility: "project",
  created_by: SARAH,
  verification_status: "user_confirmed",
  confidence: 0.75,
  expires_at: 900,
  created_at: 100,
  version: 1,
};
const SOURCE: FactSource = { type: "discord_message", ref: "7/70", hash: "x", isOwn: true };
export const toFact = (id: string, row: Partial<FactRow> = {}, sources = [SOURCE]): StoredFact => ({
  row: { ...ROW, ...row, id },
  sources,
});
const fact = toFact;
export const idsOf = (facts: readonly StoredFact[]) => facts.map(({ row }) => row.id);

/** The contract of every store of facts. */
export function describeFactStore(name: string, open: () => Promise<FactStoreFixture>): void {
  describe(`${name} as a store of facts`, () => {
    const using = async <Result>(work: (fixture: FactStoreFixture) => Promise<Result>) => {
      const fixture = await open();
      try {
        return await work(fixture);
      } finally {
        await fixture.close();
      }
    };
    const find = async (store: FactStore, query: FactQuery = {}) => idsOf(await store.find(query, { limit: 100 }));

    it("has no store id until one is set, and keeps it after a restart", () =>
      using(async ({ store, reopen }) => {
        expect(await store.storeId()).toBeNull();
        await store.setStoreId("first");
        await store.setStoreId("second");
        expect(await store.storeId()).toBe("second");
        expect(await (await reopen()).storeId()).toBe("second");
      }));

    it("gives back every column and every source in order, also after a restart", () =>
      using(async ({ store, reopen }) => {
        const sources: FactSource[] = [
          SOURCE,
          { type: "typed", ref: "", hash: "y", isOwn: true },
          { type: "memory_fact", ref: "z", hash: "", isOwn: false },
          SOURCE,
        ];
        const empty = {
          ...{ subject_id: null, guild_id: null, audience_ref: null, expires_at: null, confidence: 1 },
          ...{ created_by: "" as const, created_at: 2 ** 50 },
        };
        const facts = [fact("b", empty, []), fact("a", {}, sources)];
        await store.change({ add: facts });
        expect(await store.find({}, { limit: 10 })).toEqual(facts);
        expect(await store.findByIds(["a", "b"])).toEqual(facts.toReversed());
        expect(await (await reopen()).find({}, { limit: 10 })).toEqual(facts);
      }));

    it("finds facts by each member of a query, and by all of them together", () =>
      using(async ({ store }) => {
        const other: FactSource = { type: "discord_channel", ref: "8", hash: "y", isOwn: false };
        const project = { scope_type: "project", scope_id: "5", subject_id: null, guild_id: "2" as GuildId } as const;
        await store.change({
          add: [
            fact("a", { created_at: 1, key: "k" }, [SOURCE, other]),
            fact("b", { created_at: 2, created_by: MARK }),
            fact("c", { created_at: 3, ...project }, [other]),
          ],
        });
        expect(await find(store)).toEqual(["c", "b", "a"]);
        expect(await find(store, { scopeType: "user" })).toEqual(["b", "a"]);
        expect(await find(store, { scopeId: "5" })).toEqual(["c"]);
        expect(await find(store, { subjectId: SARAH })).toEqual(["b", "a"]);
        expect(await find(store, { guildId: "2" as GuildId })).toEqual(["c"]);
        expect(await find(store, { key: "k" })).toEqual(["a"]);
        expect(await find(store, { createdBy: MARK })).toEqual(["b"]);
        expect(await find(store, { citing: { type: "discord_channel", refs: ["8"] } })).toEqual(["c", "a"]);
        expect(await find(store, { citing: { type: "discord_channel", refs: ["7/70"] } })).toEqual([]);
        expect(await find(store, { citing: { channelId: "7" as ChannelId } })).toEqual(
          await find(store, { citing: { type: "discord_message", refs: ["7/70"] } }),
        );
        expect(await find(store, { citing: { channelId: "70" as ChannelId } })).toEqual([]);
        const all = { scopeType: "user", scopeId: SARAH, subjectId: SARAH, guildId: GUILD, key: "k" } as const;
        const citing = { type: "discord_message", refs: ["7/70"] } as const;
        expect(await find(store, { ...all, createdBy: SARAH, citing })).toEqual(["a"]);
        expect(await find(store, { ...all, createdBy: MARK, citing })).toEqual([]);
        expect(await store.count({ scopeType: "user" })).toBe(2);
        expect(await store.count({})).toBe(2);
      }));

    it("takes any text as a value: what looks like SQL, NUL, half of a surrogate pair, 64 KiB, none", () =>
      using(async ({ store }) => {
        const texts = ["x' OR 1=1 --\"]", "a\0b", "c\ud800d", "é".repeat(32_768), ""];
        await store.change({ add: texts.map((key, index) => fact(`${index}`, { key })) });
        for (const [index, key] of texts.entries()) expect(await find(store, { key })).toEqual([`${index}`]);
        await store.change({ delete: [...texts, "1"] });
        expect(await store.ids({ limit: 9 })).toEqual(["0", "2", "3", "4"]);
      }));

    it("pages through facts of equal age without losing or repeating one", () =>
      using(async ({ store }) => {
        const add = Array.from({ length: 25 }, (_, index) => fact(`f${index}`, { created_at: Math.floor(index / 7) }));
        await store.change({ add });
        const seen: StoredFact[] = [];
        for (let after: FactPosition | undefined; ; after = seen.at(-1)?.row) {
          const page = await store.find({ scopeType: "user" }, { limit: 4, ...(after && { after }) });
          seen.push(...page);
          if (page.length === 0) break;
        }
        const expected = add.toSorted(
          ({ row: a }, { row: b }) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1),
        );
        expect(idsOf(seen)).toEqual(idsOf(expected));
      }));

    it("lists the ids of all rows in the order of their bytes, those that have begun to end too", () =>
      using(async ({ store }) => {
        await store.change({ add: ["b", "é", "a", "C"].map((id) => fact(id)) });
        await store.change({ beginToEnd: { ids: ["b"], at: 5 } });
        expect(await store.ids({ limit: 3 })).toEqual(["C", "a", "b"]);
        expect(await store.ids({ after: "b", limit: 3 })).toEqual(["é"]);
        expect(await store.ids({ after: "é", limit: 3 })).toEqual([]);
      }));

    it("says of which subjects there is nothing that has not begun to end, among very many", () =>
      using(async ({ store }) => {
        const subject = (kind: FactSubject["kind"], id: string) => ({ kind, id });
        const [known, ending] = [[subject("user", SARAH), subject("guild", "3")], subject("guild", "2")];
        const [second, third] = ["2", "3"] as [GuildId, GuildId];
        await store.change({
          add: [
            fact("0"),
            fact("1", { scope_type: "project", scope_id: "12", guild_id: second }),
            fact("2", { scope_type: "org", scope_id: "3", guild_id: third, value_json: "" }),
          ],
        });
        await store.change({ beginToEnd: { ids: ["1"], at: 5 } });
        const unknown = Array.from({ length: 50_000 }, (_, index) => subject("user", `none ${index}`));
        // Facts shared about a person in a server are about that person.
        const swapped = subject("guild", GUILD);
        const asked = [swapped, ...unknown, ending, ...known];
        expect(await store.withoutFacts(asked)).toEqual([swapped, ...unknown, ending]);
      }));

    it("changes nothing when a fact that is not there is deleted", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("a"), fact("b")] });
        await store.change({ beginToEnd: { ids: ["b"], at: 5 } });
        await store.change({ delete: ["nobody"] });
        expect(await store.ending()).toEqual(["b"]);
        expect(await find(store)).toEqual(["a"]);
      }));

    it("never finds a fact that has begun to end, and lists it until its row is deleted", () =>
      using(async ({ store, reopen }) => {
        await store.change({ add: [fact("a"), fact("b")] });
        await store.change({ beginToEnd: { ids: ["a", "nobody"], at: 5 } });
        await store.change({ beginToEnd: { ids: ["a"], at: 6 } });
        expect(await find(store)).toEqual(["b"]);
        expect(await store.findByIds(["a", "b"])).toEqual([fact("b")]);
        expect(await store.count({})).toBe(1);
        expect(await store.expired(1_000, 9)).toEqual(["b"]);
        const again = await reopen();
        expect(await again.ending()).toEqual(["a"]);
        await again.change({ delete: ["a"] });
        expect(await again.ending()).toEqual([]);
        expect(await again.ids({ limit: 9 })).toEqual(["b"]);
      }));

    it("deletes the sources with a fact", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("a")] });
        await store.change({ delete: ["a"] });
        await store.change({ add: [fact("a", {}, [])] });
        expect(await store.findByIds(["a"])).toEqual([fact("a", {}, [])]);
      }));

    it("writes all of a change or nothing", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("a")] });
        const failing = store.change({ add: [fact("b"), fact("a")], delete: ["a"] });
        await expect(failing).rejects.toMatchObject({ code: "unavailable" });
        expect(await store.find({}, { limit: 9 })).toEqual([fact("a")]);
      }));

    it("lists the facts that expire by a time, the earliest first", () =>
      using(async ({ store }) => {
        const times = { a: 30, b: 10, c: null, d: 20, e: 31 };
        await store.change({ add: Object.entries(times).map(([id, expires_at]) => fact(id, { expires_at })) });
        expect(await store.expired(30, 9)).toEqual(["b", "d", "a"]);
        expect(await store.expired(30, 2)).toEqual(["b", "d"]);
        expect(await store.expired(9, 9)).toEqual([]);
      }));

    it("lists the servers in which facts are shared and those that were left, also after a restart", () =>
      using(async ({ store, reopen }) => {
        const [shared, left] = ["1", "3"] as [GuildId, GuildId];
        const guilds = async (of: FactStore) =>
          (await of.guilds()).toSorted((a, b) => (a.guildId < b.guildId ? -1 : 1));
        expect(await store.guilds()).toEqual([]);
        await store.change({ add: [fact("a"), fact("b"), fact("c", { guild_id: null })] });
        await store.noteLeft(left, 5);
        expect(await guilds(store)).toEqual([
          { guildId: shared, leftAt: null },
          { guildId: left, leftAt: 5 },
        ]);
        await store.noteLeft(shared, 2 ** 50);
        await store.noteLeft(left, 6);
        await store.noteLeft("2" as GuildId, null);
        expect(await guilds(await reopen())).toEqual([
          { guildId: shared, leftAt: 2 ** 50 },
          { guildId: left, leftAt: 6 },
        ]);
      }));

    it("keeps when facts were last kept, for as long as there is the fact", () =>
      using(async ({ store, reopen }) => {
        await store.change({ add: [fact("a"), fact("b"), fact("c")] });
        expect(await store.keptAt(["a", "b"])).toEqual(new Map());
        for (const [id, at] of [
          ["a", 70],
          ["nobody", 70],
          ["a", 2 ** 50],
          ["b", 70],
        ] as const)
          await store.noteKept(id, at);
        const noted = new Map([
          ["a", 2 ** 50],
          ["b", 70],
        ]);
        expect(await store.keptAt(["b", "a", "c", "nobody"])).toEqual(noted);
        const later = await reopen();
        expect(await later.keptAt(["a", "b"])).toEqual(noted);
        await later.change({ beginToEnd: { ids: ["c"], at: 5 } });
        await later.noteKept("c", 80);
        await later.change({ delete: ["a"] });
        expect(await later.keptAt(["a", "b", "c"])).toEqual(new Map([["b", 70]]));
        expect(await later.uses(["b"])).toEqual([]);
      }));

    it("no longer has a server as left once that is taken back, nor lists it without a fact", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("a")] });
        await store.noteLeft(GUILD, 5);
        await store.noteLeft(GUILD, null);
        await store.noteLeft(GUILD, null);
        expect(await store.guilds()).toEqual([{ guildId: GUILD, leftAt: null }]);
        await store.change({ delete: ["a"] });
        expect(await store.guilds()).toEqual([]);
      }));

    it("forgets the writer of every fact, and only that writer", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("a"), fact("b", { created_by: MARK })] });
        await store.forgetWriter(SARAH);
        expect(await store.findByIds(["a", "b"])).toEqual([
          fact("a", { created_by: "" }),
          fact("b", { created_by: MARK }),
        ]);
        expect(await find(store, { createdBy: SARAH })).toEqual([]);
      }));

    it("keeps who asked for the removal of a fact until that ends or they are forgotten", () =>
      using(async ({ store, reopen }) => {
        await store.change({ add: [fact("a"), fact("b")] });
        const ask = (factId: string, userId: UserId, at: number) => store.askRemoval({ factId, userId, at });
        await ask("a", SARAH, 7);
        await ask("a", MARK, 5);
        await ask("a", SARAH, 1);
        await ask("b", SARAH, 9);
        await ask("nothing", SARAH, 9);
        const again = await reopen();
        expect(await again.removalRequests(["a", "nothing", "b"])).toEqual(
          new Map([
            ["a", [MARK, SARAH]],
            ["b", [SARAH]],
          ]),
        );
        await again.change({ delete: ["b"] });
        await again.change({ add: [fact("b"), fact("nothing")] });
        expect(await again.removalRequests(["b", "nothing"])).toEqual(new Map());
        await again.forgetWriter(SARAH);
        expect(await again.removalRequests(["a"])).toEqual(new Map([["a", [MARK]]]));
        await again.change({ beginToEnd: { ids: ["a"], at: 10 } });
        await ask("a", SARAH, 11).catch(() => {});
        expect(await again.removalRequests(["a"])).toEqual(new Map([["a", [MARK]]]));
      }));

    it("accepts 100,000 ids at once", () =>
      using(async ({ store }) => {
        await store.change({ add: [fact("id 5"), fact("id 99999"), fact("other")] });
        const ids = Array.from({ length: 100_000 }, (_, index) => `id ${index}`);
        expect(idsOf(await store.findByIds(ids))).toEqual(["id 5", "id 99999"]);
        expect(await store.findByIds([])).toEqual([]);
        await store.change({ beginToEnd: { ids, at: 1 } });
        expect((await store.ending()).toSorted()).toEqual(["id 5", "id 99999"]);
        await store.change({ delete: ids });
        expect(await store.ids({ limit: 9 })).toEqual(["other"]);
      }));

    it("says whether it has scrubbed when nobody else reads", () =>
      using(async ({ canScrub = true, store }) => {
        await store.change({ add: [fact("a")] });
        await store.change({ delete: ["a"] });
        expect(await store.scrub()).toBe(canScrub);
        expect(await store.scrub()).toBe(canScrub);
      }));

    it("agrees with a plain list of facts after any changes", async () => {
      const id = fc.constantFrom("a", "b", "c", "d");
      const step = fc.oneof(
        fc.record({ kind: fc.constant("add" as const), id, time: fc.nat(3), key: fc.constantFrom("k", "l") }),
        fc.record({ kind: fc.constant("end" as const), id }),
        fc.record({ kind: fc.constant("delete" as const), id }),
      );
      const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) =>
        using(async ({ store }) => {
          const model = new Map<string, StoredFact>();
          const ending = new Set<string>();
          for (const one of steps) {
            if (one.kind === "add") {
              if (model.has(one.id)) continue;
              const added = fact(one.id, { created_at: one.time, key: one.key });
              await store.change({ add: [added] });
              model.set(one.id, added);
            } else if (one.kind === "end") {
              await store.change({ beginToEnd: { ids: [one.id], at: 1 } });
              if (model.has(one.id)) ending.add(one.id);
            } else {
              await store.change({ delete: [one.id] });
              model.delete(one.id);
              ending.delete(one.id);
            }
          }
          const live = [...model.values()]
            .filter(({ row }) => !ending.has(row.id))
            .sort(({ row: a }, { row: b }) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
          expect(await store.find({}, { limit: 9 })).toEqual(live);
          const named = live.filter(({ row }) => row.key === "k");
          expect(await store.find({ key: "k" }, { limit: 9 })).toEqual(named);
          expect(await store.count({ key: "k" })).toBe(Math.min(named.length, 1));
          expect(await store.ids({ limit: 9 })).toEqual([...model.keys()].sort());
        });
      await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), run), { numRuns: 40 });
    });
  });
}
