import { EarshotError } from "../domain/errors.ts";
import { Serial } from "../domain/serial.ts";
import type { KeyStore } from "../ports/key-store.ts";
import { type Database, SYNCED, type Transaction } from "./database.ts";

/** Names are padded with spaces to a multiple of this, so that a slot can be reused for a name of the same size. */
const NAME_STEP_BYTES = 64;
const PAGE = 10_000;

interface Slots {
  readonly names: Map<string, number>;
  /** Slots without a key, by the sizes of name and key. */
  readonly free: Map<string, number[]>;
  count: number;
}

export interface NamedKey {
  readonly name: string;
  readonly key: Uint8Array;
}

interface SlotRow extends NamedKey {
  readonly slot: number;
}

type Change = (transaction: Transaction) => Promise<void>;

/** The stored form of keys, and of the store's id. */
interface Wrapping {
  /** Throws `misconfigured` if the keys are wrapped differently. */
  toStoreId(stored: string): string;
  wrap(plain: NamedKey): Uint8Array;
  /** Null for a key that cannot be unwrapped. */
  unwrap(stored: NamedKey): Uint8Array | null;
}

const PLAIN: Wrapping = { toStoreId: (id) => id, wrap: ({ key }) => key, unwrap: ({ key }) => key };

/**
 * Keys in a separate database, which is closed with the store, or if it cannot be opened. `mintStoreId` names a new store; without it,
 * nothing is changed. Throws `misconfigured` for damaged keys.
 */
export async function openKeyStore(
  database: Database,
  mintStoreId?: () => string,
  { toStoreId, wrap, unwrap }: Wrapping = PLAIN,
): Promise<KeyStore> {
  try {
    const [first, ...others] = await database.query<{ readonly id: string }>("SELECT id FROM store");
    const slots = await readSlots(database);
    const isNew = first === undefined && slots.count === 0;
    const id = isNew ? mintStoreId?.() : first?.id;
    if (id === undefined || others.length > 0) throw damaged(database);
    if (isNew) await database.transaction((change) => change.insert("store", [{ id }]));
    return { storeId: toStoreId(id), ...createKeyStore(database, { slots, wrap, unwrap }) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function createKeyStore(
  database: Database,
  { slots: first, wrap, unwrap }: Pick<Wrapping, "wrap" | "unwrap"> & { readonly slots: Slots },
): Omit<KeyStore, "storeId"> {
  /** Null after a failure, until the slots are read again. */
  let current: Slots | null = first;
  const changes = new Serial();

  /** Runs changes to the slots in sequence. After a failed write, the slots are read again. */
  function inTurn(work: (slots: Slots, write: (change: Change) => Promise<void>) => Promise<void>): Promise<Slots> {
    return changes.run(async () => {
      const slots = current ?? (await readSlots(database));
      current = slots;
      await work(slots, async (change) => {
        current = null;
        await database.transaction(change, SYNCED);
        current = slots;
      });
      return slots;
    });
  }

  /** Skips a slot that was emptied or reused meanwhile. */
  async function read({ names: known }: Slots, names: readonly string[]): Promise<SlotRow[]> {
    const slots = [...new Set(names)].flatMap((name) => known.get(name) ?? []);
    if (slots.length === 0) return [];
    const sql = "SELECT slot, name, key FROM keys WHERE slot = ANY(:slots)";
    const rows = (await database.query<SlotRow>(sql, { slots })).map((row) => ({ ...row, name: row.name.trimEnd() }));
    return rows.filter(({ slot, name }) => known.get(name) === slot);
  }

  const currentSlots = async () => current ?? inTurn(async () => {});

  return {
    name: database.name,
    add: async (keys) =>
      void (await inTurn(async (slots, write) => {
        if ([...keys.keys()].some((name) => slots.names.has(name)))
          throw new EarshotError("misconfigured", `${database.name} has a key of this name already.`);
        const reused: SlotRow[] = [];
        const added: SlotRow[] = [];
        for (const [name, plain] of keys) {
          const [padded, key] = [pad(name), wrap({ name, key: plain })];
          const slot = slots.free.get(sizeOf(padded, key))?.pop();
          if (slot === undefined) added.push({ slot: ++slots.count, name: padded, key });
          else reused.push({ slot, name: padded, key });
        }
        await write(async (change) => {
          const rows = added.map(({ slot, name, key }) => [slot, name, key]);
          await change.insertRows("keys", ["slot", "name", "key"], rows);
          for (const { slot, name, key } of reused) await fill(change, [slot], { name, key });
        });
        for (const { slot, name } of [...added, ...reused]) slots.names.set(name.trimEnd(), slot);
      })),
    async find(names) {
      const found = (await read(await currentSlots(), names)).map((row) => [row.name, unwrap(row)] as const);
      return new Map(found.filter((each): each is [string, Uint8Array] => each[1] !== null));
    },
    delete: async (names) =>
      void (await inTurn(async (slots, write) => {
        const found = await read(slots, names);
        if (found.length === 0) return;
        await write(async (change) => {
          for (const [size, some] of Map.groupBy(found, ({ name, key }) => sizeOf(pad(name), key))) {
            const [nameBytes = 0, keyBytes = 0] = size.split(" ").map(Number);
            const emptied = some.map(({ slot }) => slot);
            await fill(change, emptied, { name: " ".repeat(nameBytes), key: new Uint8Array(keyBytes) });
          }
        });
        for (const { slot, name, key } of found) {
          slots.names.delete(name);
          addFree(slots.free, slot, sizeOf(pad(name), key));
        }
      })),
    async names(prefix, { after = "", limit }) {
      // No name contains the last code point of Unicode.
      const end = `${prefix}\u{10ffff}`;
      const rows = await database.query<{ readonly name: string }>(
        `SELECT name FROM (SELECT rtrim(name) AS name FROM keys) AS padded
          WHERE name <> '' AND name >= :prefix AND name > :after AND name < :end ORDER BY name LIMIT :limit`,
        { prefix, after, end, limit },
      );
      return rows.map(({ name }) => name);
    },
    async openInventory() {
      const { names: known } = await currentSlots();
      const left = new Set(known.keys());
      return {
        findMissing: async (prefix, ends) =>
          ends.filter((end) => !left.delete(prefix + end) && !known.has(prefix + end)),
        async *others() {
          const names = [...left];
          for (let start = 0; start < names.length; start += PAGE)
            yield names.slice(start, start + PAGE).filter((name) => known.has(name));
        },
      };
    },
    scrub: () => database.scrub(),
    close: () => database.close(),
  };
}

async function readSlots(database: Database): Promise<Slots> {
  const rows = await database.query<{ slot: number; name: string; name_bytes: number; key_bytes: number }>(
    "SELECT slot, rtrim(name) AS name, octet_length(name) AS name_bytes, octet_length(key) AS key_bytes FROM keys ORDER BY slot",
  );
  const names = new Map<string, number>();
  const free = new Map<string, number[]>();
  for (const [index, { slot, name, name_bytes, key_bytes }] of rows.entries()) {
    // Slot numbers have no gaps.
    if (slot !== index + 1) throw damaged(database);
    if (name === "") addFree(free, slot, `${name_bytes} ${key_bytes}`);
    else names.set(name, slot);
  }
  return { names, free, count: rows.length };
}

function fill(change: Transaction, slots: readonly number[], content: NamedKey): Promise<void> {
  return change.run("UPDATE keys SET name = :name, key = :key WHERE slot = ANY(:slots)", { ...content, slots });
}

function pad(name: string): string {
  return name + " ".repeat((NAME_STEP_BYTES - (bytesOf(name) % NAME_STEP_BYTES)) % NAME_STEP_BYTES);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Equal for entries that fit the same slot. */
function sizeOf(padded: string, key: Uint8Array): string {
  return `${bytesOf(padded)} ${key.length}`;
}

function addFree(free: Map<string, number[]>, slot: number, size: string): void {
  const slots = free.get(size) ?? [];
  slots.push(slot);
  free.set(size, slots);
}

function damaged({ name }: Database): EarshotError {
  const hint = "Stop Earshot, put it back from where it was saved, then start again.";
  return new EarshotError("misconfigured", `${name} cannot be used: its keys are damaged. ${hint}`);
}
