import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Fact } from "../../src/domain/memory/fact.ts";
import { openCurrent } from "../../src/gate/memory/current-facts.ts";
import { openFactVault } from "../../src/memory/fact-vault.ts";
import { FactWatch } from "../../src/memory/fact-watch.ts";
import { Memory } from "../../src/memory/memory.ts";
import { createFactStore } from "../../src/stores/fact-store.ts";
import { openKeyStore } from "../../src/stores/key-store.ts";
import { openDurableDatabase, openKeyDatabase } from "../../src/stores/sqlite/open-sqlite.ts";
import { failure, override } from "../support/failing-stores.ts";
import { toNewFact } from "../support/new-fact.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const mintId = () => randomBytes(12).toString("hex");
const chance = { bytes: (count: number) => randomBytes(count), id: mintId };

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-attack-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function openMemory(folder: string) {
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const keys = await openKeyStore(await openKeyDatabase(join(folder, "keys.db")), mintId);
  const close = () => {
    database.close();
    keys.close();
  };
  onTestFinished(close);
  const clock = { now: () => 1_000 };
  const facts = createFactStore(database);
  const vault = await openFactVault({ facts, keys, optOuts: { load: async () => [] }, chance, clock, log: quiet });
  const consent = { isLeftOut: () => false, isMarkLeftOut: () => false };
  const watch = new FactWatch({ clock, consent, keptMs: 1_000 });
  return {
    close,
    vault,
    facts,
    database,
    memory: new Memory({ vault, facts, watch, consent, markOf: (id) => id, clock }),
  };
}

describe("rows that find a fact by a message, changed by hand", () => {
  it("do not end a fact with a message that it does not rest on, unless its sources cannot be read", async () => {
    const { vault, facts, database, memory } = await openMemory(openFolder());
    const [typed, unreadable] = [
      await vault.add(toNewFact("teal")),
      await vault.add(toNewFact("red", { name: "Boat" })),
    ];
    await database.transaction(async (change) => {
      const source = { type: "discord_message", ref: "7/70", person_id: "" };
      await change.insert(
        "stored_sources",
        [typed, unreadable].map(({ row }) => ({ owner_id: row.id, ...source })),
      );
      await change.run("UPDATE memory_facts SET sources_json = '{' WHERE id = :id", { id: unreadable.row.id });
    });
    const gone = { channelId: "7" as ChannelId, messageIds: ["70" as MessageId] };
    await memory.onEvent({ type: "message_delete", ...gone }, async () => false);
    expect((await facts.find({}, { limit: 9 })).map(({ row }) => row.id)).toEqual([typed.row.id]);
    const channel = { channelId: gone.channelId, guildId: "5" as GuildId, lineage: [] };
    await memory.onEvent({ type: "channel_deleted", ...channel }, async () => false);
    expect((await facts.find({}, { limit: 9 })).map(({ row }) => row.id)).toEqual([typed.row.id]);
  });
});

describe("a fact of which one version was changed by hand in earshot.db", () => {
  it.each([
    ["second", "value_json = (SELECT value_json FROM memory_facts WHERE id = :other)"],
    ["second", "confidence = 0.5"],
    ["second", "verification_status = 'authoritative'"],
    ["second", "version = 7"],
    ["second", "sources_json = '[]'"],
    ["first", "version = 7"],
    ["first", "verification_status = 'authoritative'"],
    // As if it had ended.
    ["second", "value_json = ''"],
  ] as const)("is left out as a whole (the %s: %s), and can be forgotten", async (which, change) => {
    const { vault, database, memory, facts } = await openMemory(openFolder());
    const [first, second] = [await vault.add(toNewFact("teal")), await vault.add(toNewFact("red"))];
    const other = await vault.add(toNewFact("green", { name: "Boat" }));
    const values = async () => {
      const current = await openCurrent(await memory.find({ subjectId: "11" as UserId }), memory);
      return current.map(({ value }) => value).sort();
    };
    expect(await values()).toEqual(["green", "red"]);
    const changed = which === "first" ? first : second;
    await database.transaction((write) =>
      write.run(`UPDATE memory_facts SET ${change} WHERE id = :id`, { id: changed.row.id, other: other.row.id }),
    );
    expect(await values()).toEqual(["green"]);
    await memory.forget([{ id: second.row.id }, { id: first.row.id }] as unknown as readonly Fact[]);
    expect((await facts.find({}, { limit: 9 })).map(({ row }) => row.id)).toEqual([other.row.id]);
  });
});

describe("a row of earshot.db with a number that no time or version can be", () => {
  it.each([
    ["expires_at", "9223372036854775807"],
    ["version", "9223372036854775807"],
    ["created_at", "9223372036854775807"],
    ["created_at", `${Number.MAX_SAFE_INTEGER}`],
  ])(
    "is left out alone (%s %s), and can be erased with everything else, also after a start",
    async (column, number) => {
      const folder = openFolder();
      const first = await openMemory(folder);
      const kept = [
        await first.vault.add(toNewFact("teal")),
        await first.vault.add(toNewFact("red", { name: "Boat" })),
      ];
      const changed = await first.vault.add(toNewFact("blue", { name: "Port" }));
      const file = new DatabaseSync(join(folder, "earshot.db"));
      file.prepare(`UPDATE memory_facts SET ${column} = CAST(? AS INTEGER) WHERE id = ?`).run(number, changed.row.id);
      file.close();
      const read = async ({ memory }: Awaited<ReturnType<typeof openMemory>>) =>
        (await memory.open(await memory.find({ subjectId: "11" as UserId }))).map(({ id }) => id).sort();
      const wanted = kept.map(({ row }) => row.id).sort();
      expect(await read(first)).toEqual(wanted);
      first.close();
      const second = await openMemory(folder);
      expect(await read(second)).toEqual(wanted);
      const added = await second.vault.add(toNewFact("green", { name: "Day" }));
      expect(added.row.created_at).toBeLessThan(10_000);
      expect(await read(second)).toHaveLength(3);
      expect(await second.memory.erase("11" as UserId)).toMatchObject({ facts: 4 });
      expect(await second.facts.find({}, { limit: 9 })).toEqual([]);
    },
  );
});

describe("sweeping expired facts", () => {
  it("gives up, and lets the program go on, while their rows cannot be deleted", async () => {
    const folder = openFolder();
    const database = await openDurableDatabase(join(folder, "earshot.db"));
    const keys = await openKeyStore(await openKeyDatabase(join(folder, "keys.db")), mintId);
    onTestFinished(() => {
      database.close();
      keys.close();
    });
    const clock = { time: 1_000, now: () => clock.time };
    const real = createFactStore(database);
    let isBroken = false;
    let asked = 0;
    const facts = override(real, {
      // As while another program holds a lock on earshot.db.
      change: async (change) => (isBroken ? Promise.reject(failure()) : real.change(change)),
      // So that this test ends.
      expired: async (by, limit) => {
        asked += 1;
        return asked > 100 ? [] : real.expired(by, limit);
      },
    });
    const vault = await openFactVault({ facts, keys, optOuts: { load: async () => [] }, chance, clock, log: quiet });
    const consent = { isLeftOut: () => false, isMarkLeftOut: () => false };
    const watch = new FactWatch({ clock, consent, keptMs: 1_000 });
    const memory = new Memory({ vault, facts, watch, consent, markOf: (id) => id, clock });
    const fact = toNewFact("blue");
    await vault.add({ ...fact, row: { ...fact.row, expires_at: 1_500 } });
    clock.time = 2_000;
    isBroken = true;
    await memory.sweep().catch(() => null);
    expect(asked).toBeLessThan(10);
  });
});

describe("a keys.db that has lost its own name", () => {
  it("is refused instead of being called 'undefined'", async () => {
    const file = join(openFolder(), "keys.db");
    const keys = await openKeyStore(await openKeyDatabase(file), mintId);
    await keys.add(new Map([["a", new Uint8Array(32)]]));
    await keys.close();
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM store");
    database.close();
    await expect(openKeyDatabase(file).then((opened) => openKeyStore(opened, mintId))).rejects.toThrow(/keys\.db/);
  });
});
