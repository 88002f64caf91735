import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toNewFact } from "../../test/support/new-fact.ts";
import { IS_ON_POSTGRES } from "../../test/support/test-database.ts";
import { readAll, VaultFolder } from "../../test/support/vault-folder.ts";
import type { GuildId } from "../domain/ids.ts";
import { openFactVault } from "./fact-vault.ts";

/** A folder with two facts, closed. */
async function withFacts(): Promise<VaultFolder> {
  const folder = new VaultFolder();
  const { vault, close } = await folder.open();
  await vault.add(toNewFact("teal"));
  await vault.add(toNewFact("red", { user: "12" }));
  close();
  return folder;
}

function remove({ path }: VaultFolder, prefix: string): void {
  for (const name of readdirSync(path)) if (name.startsWith(prefix)) rmSync(join(path, name));
}

const refused = (message: string) => ({ code: "misconfigured", message: expect.stringContaining(message) });
const key = new Uint8Array(32).fill(1);

describe.skipIf(IS_ON_POSTGRES)("opening a vault", () => {
  it("is refused while keys.db is missing beside facts, however often it is tried", async () => {
    const folder = await withFacts();
    cpSync(join(folder.path, "keys.db"), join(folder.path, "saved"));
    remove(folder, "keys.db");
    for (let time = 0; time < 2; time += 1) {
      const stores = await folder.openStores();
      const opening = openFactVault(folder.toDeps(stores));
      await expect(opening).rejects.toMatchObject(refused("keys.db is missing beside the facts"));
      expect(await stores.facts.ids({ limit: 9 })).toHaveLength(2);
      await stores.close();
    }
    cpSync(join(folder.path, "saved"), join(folder.path, "keys.db"));
    expect((await readAll(await folder.open())).size).toBe(2);
  });

  it("is refused with the keys of another data folder", async () => {
    const [folder, other] = [await withFacts(), await withFacts()];
    remove(folder, "keys.db");
    cpSync(join(other.path, "keys.db"), join(folder.path, "keys.db"));
    await expect(folder.open()).rejects.toMatchObject(refused("belongs to another data folder"));
  });

  it("adopts another keys.db while nothing is remembered", async () => {
    const [folder, other] = [new VaultFolder(), await withFacts()];
    (await folder.open()).close();
    remove(folder, "keys.db");
    cpSync(join(other.path, "keys.db"), join(folder.path, "keys.db"));
    const { vault, keys, facts } = await folder.open();
    expect(await keys.names("", { limit: 9 })).toEqual([]);
    await vault.add(toNewFact("teal"));
    expect((await readAll({ vault, facts })).size).toBe(1);
  });

  it("is refused when the opt-outs could not be recognised", async () => {
    const folder = new VaultFolder();
    const first = await folder.open();
    await first.close();
    cpSync(join(folder.path, "keys.db"), join(folder.path, "older"));
    const second = await folder.open();
    await second.vault.consentKey();
    await second.optOuts.add("hash of somebody", 1);
    await second.close();
    (await folder.open()).close();
    remove(folder, "keys.db");
    cpSync(join(folder.path, "older"), join(folder.path, "keys.db"));
    await expect(folder.open()).rejects.toMatchObject(refused("older than the opt-outs"));
  });

  it("is refused without a change while the log of keys.db is lost after a crash, and works once it is back", async () => {
    const folder = await withFacts();
    const running = await folder.open();
    for (const value of ["blue", "green"]) await running.vault.add(toNewFact(value, { user: value }));
    await running.facts.change({ beginToEnd: { ids: ["fact 1"], at: 1 } });
    const crashed = new VaultFolder();
    for (const name of readdirSync(folder.path)) cpSync(join(folder.path, name), join(crashed.path, name));
    running.close();
    const log = join(crashed.path, "keys.db-wal");
    cpSync(log, join(crashed.path, "saved"));
    rmSync(log);
    const before = readFileSync(join(crashed.path, "keys.db"));
    for (let time = 0; time < 2; time += 1) {
      const stores = await crashed.openStores();
      const opening = openFactVault(crashed.toDeps(stores));
      await expect(opening).rejects.toMatchObject(refused("lacks the keys of 2 facts, the oldest from 1970-01-01T"));
      expect(await stores.facts.ids({ limit: 9 })).toHaveLength(4);
      expect(await stores.facts.ending()).toEqual(["fact 1"]);
      await stores.close();
    }
    expect(readFileSync(join(crashed.path, "keys.db")).equals(before)).toBe(true);
    expect(crashed.warnings).toEqual([]);
    cpSync(join(crashed.path, "saved"), log);
    expect([...(await readAll(await crashed.open())).values()].sort()).toEqual(["blue", "green", "red"]);
  });

  it("finishes silently what was being ended when the program was killed", async () => {
    const folder = await withFacts();
    const stores = await folder.openStores();
    await stores.facts.change({ beginToEnd: { ids: ["fact 1"], at: 1 } });
    await stores.keys.delete(["fact:fact 1"]);
    await stores.close();
    const { facts } = await folder.open();
    expect(await facts.ids({ limit: 9 })).toEqual(["fact 2"]);
    expect(folder.warnings).toEqual([]);
  });

  it("gives back nothing that was ended when an older earshot.db is put beside today's keys.db", async () => {
    const folder = await withFacts();
    cpSync(join(folder.path, "earshot.db"), join(folder.path, "older"));
    const { vault, close } = await folder.open();
    await vault.end(["fact 1"]);
    close();
    remove(folder, "earshot.db");
    cpSync(join(folder.path, "older"), join(folder.path, "earshot.db"));
    const stores = await folder.openStores();
    const opening = openFactVault(folder.toDeps(stores));
    await expect(opening).rejects.toMatchObject(refused("lacks the key of 1 fact from 1970-01-01T00:00Z"));
    // A sentence may follow the command.
    await expect(opening).rejects.toMatchObject(refused("start once with `earshot start --erase-lost-facts`."));
    await stores.close();
    const again = await folder.openWithoutLost();
    expect([...(await readAll(again)).values()]).toEqual(["red"]);
    expect(await again.facts.ids({ limit: 9 })).toEqual(["fact 2"]);
    expect(folder.warnings.map(({ fields }) => fields)).toEqual([{ rows: 1, keys: 0 }]);
  });

  it("brings an older value back only for those who could not hear the one that followed it, when an older keys.db is put back", async () => {
    const toShared = (value: string, ...more: readonly string[]) => {
      const fact = toNewFact(value);
      const limit = (ref: string) => ({ type: "discord_channel" as const, ref, isOwn: false, words: "" });
      const content = { ...fact.content, authorMarks: [null, ...more.map(() => null)] };
      const row = { ...fact.row, guild_id: "1" as GuildId, audience_ref: "guild:1", visibility: "org" as const };
      return { row, content, sources: [...fact.sources, ...more.map(limit)] };
    };
    for (const [first, second, expected] of [
      [
        toNewFact("teal"),
        toNewFact("red"),
        [
          ["fact 2.ended", 2, ""],
          ["fact 1", 1, ""],
        ],
      ],
      [
        toShared("teal"),
        toShared("red"),
        [
          ["fact 2.ended", 2, ""],
          ["fact 1", 1, ""],
        ],
      ],
      [
        ...([toShared("teal"), toShared("red", "7")] as const),
        [
          ["fact 2.ended", 2, "7"],
          ["fact 1", 1, ""],
        ],
      ],
    ] as const) {
      const folder = new VaultFolder();
      const before = await folder.open();
      await before.vault.add(first);
      before.close();
      cpSync(join(folder.path, "keys.db"), join(folder.path, "older"));
      const after = await folder.open();
      await after.vault.add(second);
      after.close();
      remove(folder, "keys.db");
      cpSync(join(folder.path, "older"), join(folder.path, "keys.db"));
      (await folder.openWithoutLost()).close();
      // A start does not take the trace for a fact that has lost its key.
      const { facts, vault } = await folder.open();
      const left = await facts.find({}, { limit: 9 });
      expect((await vault.add(first)).row.version).toBe(3);
      expect(vault.damagedCount).toBe(0);
      const limits = left.map(({ sources }) => sources.filter(({ type }) => type === "discord_channel"));
      expect(left.map(({ row }, at) => [row.id, row.version, limits[at]?.map(({ ref }) => ref).join()])).toEqual(
        expected,
      );
    }
  });

  it("finishes endings, and deletes rows without a key and keys without a row, over many pages", async () => {
    const folder = new VaultFolder();
    const stores = await folder.openStores();
    const stored = await (await openFactVault(folder.toDeps(stores))).add(toNewFact("teal"));
    const ids = Array.from({ length: 2_500 }, (_, index) => `id ${String(index).padStart(5, "0")}`);
    const add = ids
      .filter((_, index) => index % 3 !== 0)
      .map((id) => ({ ...stored, row: { ...stored.row, id, key: id } }));
    const named = ids.filter((_, index) => index % 3 !== 1);
    await stores.facts.change({ add });
    await stores.keys.add(new Map([...named.map((id) => `fact:${id}`), "subject:user:99"].map((name) => [name, key])));
    const ending = ids.filter((_, index) => index % 30 === 2);
    await stores.facts.change({ beginToEnd: { ids: ending, at: 1 } });
    await stores.close();
    const { facts, keys } = await folder.openWithoutLost();
    const left = [stored.row.id, ...ids.filter((id, index) => index % 3 === 2 && !ending.includes(id))];
    expect(await facts.ids({ limit: 10_000 })).toEqual(left);
    expect(await keys.names("fact:", { limit: 10_000 })).toEqual(left.map((id) => `fact:${id}`));
    expect(await keys.names("subject:", { limit: 9 })).toEqual(["subject:user:11"]);
  });

  it("scrubs what a killed program left in the logs", async () => {
    const folder = await withFacts();
    const stores = await folder.openStores();
    await stores.keys.delete(["fact:fact 1"]);
    const row = (await stores.facts.findByIds(["fact 1"]))[0]?.row.value_json ?? "";
    await stores.facts.change({ delete: ["fact 1"] });
    await openFactVault(folder.toDeps(stores));
    expect(row).not.toBe("");
    expect(folder.bytes().includes(row)).toBe(false);
  });
});
