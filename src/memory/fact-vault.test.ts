import { describe, expect, it } from "vitest";
import { fillDisk } from "../../test/audit/fill-disk.ts";
import { FailingDatabases } from "../../test/support/failing-database.ts";
import { failure, override } from "../../test/support/failing-stores.ts";
import { toNewFact } from "../../test/support/new-fact.ts";
import { IS_ON_POSTGRES } from "../../test/support/test-database.ts";
import { readAll, VaultFolder } from "../../test/support/vault-folder.ts";
import type { UserId } from "../domain/ids.ts";
import { openFactVault } from "./fact-vault.ts";
import { hashKeyName } from "./key-ring.ts";

const SARAH = { kind: "user", id: "11" } as const;

describe("a vault of facts", () => {
  it("opens what was added, also after a restart", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    const stored = await first.vault.add(toNewFact({ colours: ["teal", "red"] }));
    expect(stored.row).toMatchObject({ id: "fact 1", version: 1, created_by: "11" });
    first.close();
    const { vault, facts } = await folder.open();
    const content = { name: "Favourite colour", value: { colours: ["teal", "red"] }, authorMarks: [null] };
    expect(await vault.open(await facts.find({}, { limit: 9 }))).toEqual([{ fact: stored, content }]);
    expect(folder.warnings).toEqual([]);
  });

  it("opens facts in the order given, with one query for all keys", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    for (const value of ["a", "b", "c"]) await first.vault.add(toNewFact(value));
    first.close();
    const stores = await folder.openStores();
    let queries = 0;
    const keys = override(stores.keys, {
      find: (names) => {
        queries += 1;
        return stores.keys.find(names);
      },
    });
    const vault = await openFactVault(folder.toDeps({ ...stores, keys }));
    const facts = await stores.facts.findByIds(["fact 2", "fact 3", "fact 1"]);
    queries = 0;
    const opened = await vault.open([...facts, ...facts.slice(0, 1)]);
    expect(opened.map(({ content }) => content.value)).toEqual(["b", "c", "a", "b"]);
    expect(queries).toBe(1);
  });

  it("gives equal names of one subject the same hash, and other subjects another", async () => {
    const { vault, facts, keys } = await new VaultFolder().open();
    expect(await vault.hashName(SARAH, "favourite colour")).toBeNull();
    const one = await vault.add(toNewFact("teal", { name: "Favourite  colour" }));
    const two = await vault.add(toNewFact("red", { name: "favourite colour " }));
    const other = await vault.add(toNewFact("red", { user: "12" }));
    expect(two.row.key).toBe(one.row.key);
    expect(other.row.key).not.toBe(one.row.key);
    const key = await vault.hashName(SARAH, "FAVOURITE COLOUR");
    expect(await facts.find({ key: key ?? "" }, { limit: 9 })).toEqual([two, one]);
    const subjectKey = (await keys.find(["subject:user:11"])).get("subject:user:11");
    expect(key).toBe(hashKeyName(subjectKey ?? new Uint8Array(), "favourite colour"));
  });

  it("tells whether the words of a source are still the same", async () => {
    const { vault } = await new VaultFolder().open();
    const { row, sources } = await vault.add(toNewFact("teal"));
    expect(await vault.hashWords(row.id, "Favourite colour: teal")).toBe(sources[0]?.hash);
    expect(await vault.hashWords(row.id, "Favourite colour: red")).not.toBe(sources[0]?.hash);
    await vault.end([row.id]);
    expect(await vault.hashWords(row.id, "Favourite colour: teal")).toBeNull();
  });

  it("numbers the versions of one name, and seals each with its number, also where the transaction is repeated", async () => {
    const folder = new VaultFolder();
    const stores = await folder.openStores();
    // The same happens when another process has given the number meanwhile.
    const change: typeof stores.facts.change = ({ next, ...rest }) => {
      const first = next?.seal(1);
      const again = next && { ...next, seal: (version: number) => next.seal(version) };
      expect(first?.row.value_json).not.toBe(next?.seal(1).row.value_json);
      return stores.facts.change({ ...rest, ...(again && { next: again }) });
    };
    const vault = await openFactVault(folder.toDeps({ ...stores, facts: override(stores.facts, { change }) }));
    for (const value of ["teal", "red"]) await vault.add(toNewFact(value));
    const other = await vault.add(toNewFact("oak", { name: "Favourite tree" }));
    expect(other.row.version).toBe(1);
    const opened = await vault.open(
      await stores.facts.find({ key: (await vault.hashName(SARAH, "favourite colour")) ?? "" }, { limit: 9 }),
    );
    expect(opened.map(({ fact, content }) => [fact.row.version, content.value])).toEqual([
      [2, "red"],
      [1, "teal"],
    ]);
  });

  it("gives every version its own number, however many are added at the same moment", async () => {
    const { vault, facts } = await new VaultFolder().open();
    const values = Array.from({ length: 20 }, (_, index) => `v${index}`);
    await Promise.all(values.map((value) => vault.add(toNewFact(value))));
    const numbers = (await facts.find({}, { limit: 99 })).map(({ row }) => row.version);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
    expect((await readAll({ vault, facts })).size).toBe(20);
  });

  it("leaves out a damaged fact and tells the operator once, by its id alone", async () => {
    const folder = new VaultFolder();
    const { vault, facts, database } = await folder.open();
    await vault.add(toNewFact("teal"));
    await vault.add(toNewFact("red"));
    await database.transaction((change) =>
      change.run("UPDATE memory_facts SET visibility = 'org' WHERE id = 'fact 1'"),
    );
    for (let time = 0; time < 3; time += 1) expect([...(await readAll({ vault, facts })).values()]).toEqual(["red"]);
    expect(vault.damagedCount).toBe(1);
    expect(folder.warnings.map(({ fields }) => fields)).toEqual([{ fact: "fact 1" }]);
  });

  it("makes the consent key once and keeps it", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    const [one, two] = await Promise.all([first.vault.consentKey(), first.vault.consentKey()]);
    expect(one).toEqual(two);
    expect(one).toHaveLength(32);
    first.close();
    const again = await folder.open();
    expect(Buffer.from(await again.vault.consentKey()).equals(one)).toBe(true);
    expect(await again.keys.names("", { limit: 9 })).toEqual(["consent"]);
  });

  it("refuses a fact without sources, and keeps no key of it", async () => {
    const { vault, keys } = await new VaultFolder().open();
    await expect(vault.add({ ...toNewFact("teal"), sources: [] })).rejects.toMatchObject({ code: "internal" });
    expect(await keys.names("fact:", { limit: 9 })).toEqual([]);
  });
});

describe("the end of a fact", () => {
  it.skipIf(IS_ON_POSTGRES)("leaves nothing of it in any file once it is scrubbed", async () => {
    const folder = new VaultFolder();
    const { vault, keys } = await folder.open();
    const stored = await vault.add(toNewFact("a secret liking for teal", { name: "A most private colour" }));
    const other = await vault.add(toNewFact("red", { user: "12" }));
    const names = ["fact:fact 1", "subject:user:11"];
    // Copies: the vault empties its own when a key is deleted.
    const raw = [...(await keys.find(names)).values()].map((key) => Buffer.from(key));
    expect(raw).toHaveLength(2);
    for (const key of raw) expect(folder.bytes().includes(key)).toBe(true);
    expect(folder.bytes().includes(stored.row.value_json)).toBe(true);
    expect(await vault.end([stored.row.id])).toEqual({ areKeysDeleted: true, isScrubbed: true });
    const bytes = folder.bytes();
    for (const gone of [...raw, stored.row.value_json, stored.row.key, "secret liking", "private colour", "fact 1"])
      expect(bytes.includes(gone)).toBe(false);
    expect(bytes.includes(other.row.value_json)).toBe(true);
    expect(await keys.names("", { limit: 9 })).toEqual(["fact:fact 2", "subject:user:12"]);
  });

  it("cannot be undone with a row that was read before", async () => {
    const { vault } = await new VaultFolder().open();
    const stored = await vault.add(toNewFact("teal"));
    expect(await vault.open([stored])).toHaveLength(1);
    await vault.end([stored.row.id]);
    expect(await vault.open([stored])).toEqual([]);
    expect(vault.damagedCount).toBe(0);
    await vault.end([stored.row.id, "nobody"]);
    await vault.end(Array.from({ length: 100_000 }, (_, index) => `id ${index}`));
  });

  it.skipIf(IS_ON_POSTGRES)(
    "is not reported as scrubbed while somebody reads, and is when it is repeated",
    async () => {
      const { vault, database, facts } = await new VaultFolder().open();
      await vault.add(toNewFact("teal"));
      const snapshot = await database.openSnapshot();
      expect(await vault.end(["fact 1"])).toEqual({ areKeysDeleted: true, isScrubbed: false });
      expect(await readAll({ vault, facts })).toEqual(new Map());
      snapshot.close();
      expect(await vault.end(["fact 1"])).toEqual({ areKeysDeleted: true, isScrubbed: true });
    },
  );

  it("keeps the subject's key until the last fact of the subject has ended", async () => {
    const { vault, keys } = await new VaultFolder().open();
    const first = await vault.add(toNewFact("teal"));
    await vault.add(toNewFact("red"));
    await vault.end(["fact 2"]);
    expect(await vault.hashName(SARAH, "Favourite colour")).toBe(first.row.key);
    await vault.end(["fact 1"]);
    expect(await vault.hashName(SARAH, "Favourite colour")).toBeNull();
    expect(await keys.names("", { limit: 9 })).toEqual([]);
    expect((await vault.add(toNewFact("teal"))).row.key).not.toBe(first.row.key);
  });

  it("of a subject's last fact does not spoil one that is added at the same moment", async () => {
    const { vault, facts } = await new VaultFolder().open();
    await vault.add(toNewFact("teal"));
    const [, added] = await Promise.all([vault.end(["fact 1"]), vault.add(toNewFact("red"))]);
    expect(await vault.hashName(SARAH, "Favourite colour")).toBe(added.row.key);
    expect([...(await readAll({ vault, facts })).values()]).toEqual(["red"]);
  });

  it("also holds for a key that was read before and arrives afterwards", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    const stored = await first.vault.add(toNewFact("teal"));
    first.close();
    const stores = await folder.openStores();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    let isHeld = false;
    const keys = override(stores.keys, {
      find: async (names) => {
        const found = await stores.keys.find(names);
        if (isHeld) await isReleased;
        return found;
      },
    });
    const vault = await openFactVault(folder.toDeps({ ...stores, keys }));
    isHeld = true;
    const opening = vault.open([stored]);
    await vault.end([stored.row.id]);
    release();
    expect(await opening).toEqual([]);
    expect(await vault.open([stored])).toEqual([]);
  });

  it("is refused as a whole while it cannot be noted in earshot.db, so that no key seems to be lost at the next start", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    const stored = await first.vault.add(toNewFact("teal"));
    first.close();
    const stores = await folder.openStores();
    const fail = async () => {
      throw failure();
    };
    const facts = override(stores.facts, { change: fail, findByIds: fail });
    const vault = await openFactVault(folder.toDeps({ ...stores, facts }));
    await expect(vault.end([stored.row.id])).rejects.toMatchObject({ code: "unavailable" });
    stores.close();
    expect((await readAll(await folder.open())).size).toBe(1);
  });

  it("is not claimed when the keys cannot be deleted", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    const stored = await first.vault.add(toNewFact("teal"));
    first.close();
    const stores = await folder.openStores();
    let isFailing = true;
    const keys = override(stores.keys, {
      delete: async (names) => {
        if (isFailing && names.length > 0) throw failure();
        await stores.keys.delete(names);
      },
    });
    const vault = await openFactVault(folder.toDeps({ ...stores, keys }));
    const other = await vault.add(toNewFact("red", { user: "12" }));
    for (const { row } of [stored, other])
      expect(await vault.end([row.id])).toEqual({ areKeysDeleted: false, isScrubbed: false });
    expect(await stores.facts.ids({ limit: 9 })).toEqual([stored.row.id, other.row.id]);
    isFailing = false;
    expect(await vault.end([other.row.id])).toEqual({ areKeysDeleted: true, isScrubbed: !IS_ON_POSTGRES });
    expect(await stores.keys.names("", { limit: 9 })).toEqual(["fact:fact 1"]);
    stores.close();
    const again = await folder.open();
    expect(await readAll(again)).toEqual(new Map());
    expect(await again.keys.names("", { limit: 9 })).toEqual([]);
  });

  it("lets others be forgotten as the writer without damaging the fact", async () => {
    const { vault, facts } = await new VaultFolder().open();
    await vault.add(toNewFact("teal"));
    await facts.forgetWriter("11" as UserId);
    expect([...(await readAll({ vault, facts })).values()]).toEqual(["teal"]);
  });
});

describe("a full disk", () => {
  it.skipIf(IS_ON_POSTGRES)("of earshot.db changes nothing, and leaves no key behind", async () => {
    const { vault, facts, keys, database } = await new VaultFolder().open();
    await vault.add(toNewFact("teal"));
    const makeRoom = await fillDisk(database);
    await expect(vault.add(toNewFact("x".repeat(100_000)))).rejects.toMatchObject({ code: "unavailable" });
    const next = toNewFact("y".repeat(100_000));
    await expect(vault.add(next)).rejects.toMatchObject({ code: "unavailable" });
    expect((await facts.find({}, { limit: 9 })).map(({ row }) => row.id)).toEqual(["fact 1"]);
    expect([...(await readAll({ vault, facts })).values()]).toEqual(["teal"]);
    expect(await keys.names("fact:", { limit: 9 })).toEqual(["fact:fact 1"]);
    await makeRoom();
    await vault.add(next);
    expect([...(await readAll({ vault, facts })).values()].toSorted()).toEqual(["teal", next.content.value]);
  });

  it("of keys.db changes nothing", async () => {
    const databases = new FailingDatabases();
    const { vault, facts, keys } = await new VaultFolder().open(databases.connect);
    await vault.add(toNewFact("teal"));
    databases.limitPages(1);
    let added = 1;
    await expect(
      (async () => {
        for (; added < 1_000; added += 1) await vault.add(toNewFact("red"));
      })(),
    ).rejects.toMatchObject({ code: "unavailable" });
    expect((await readAll({ vault, facts })).size).toBe(added);
    expect(await keys.names("fact:", { limit: 1_000 })).toHaveLength(added);
    databases.heal();
    await vault.add(toNewFact("blue"));
    expect((await readAll({ vault, facts })).size).toBe(added + 1);
  });
});
