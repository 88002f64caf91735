import { EarshotError } from "../domain/errors.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { Database, Statements } from "./database.ts";
import { SCHEMA, type Table, tablesOf } from "./schema.ts";

const PAGE_ROWS = 1_000;
const PAGE_KEYS = 10_000;
const TABLES = tablesOf(SCHEMA);

/** Called with the number of copied rows. Throws to stop. */
type OnRows = (count: number) => void;
type Row = Readonly<Record<string, string | number | null>>;

export async function countRows(from: Statements): Promise<number> {
  const counts = TABLES.map(({ name }) => `(SELECT count(*) FROM ${name})`);
  return (await from.query<{ rows: number }>(`SELECT ${counts.join(" + ")} AS rows`))[0]?.rows ?? 0;
}

/** Copies all rows into the same tables of either engine. Continues after the last existing row. */
export async function copyRows(from: Statements, to: Database, onRows: OnRows): Promise<void> {
  for (const table of TABLES) {
    const last = `SELECT * FROM ${table.name} ORDER BY ${table.key.map((column) => `${column} DESC`).join(", ")} LIMIT 1`;
    const [after] = await to.query<Row>(last);
    for await (const page of pagesOf(from, table, after)) {
      await to.transaction((change) => change.insert(table.name, page));
      onRows(page.length);
    }
  }
}

/** Throws `misconfigured` if the rows differ. */
export async function compareRows(from: Statements, to: Database, onRows: OnRows): Promise<void> {
  for (const table of TABLES) {
    const copies = pagesOf(to, table);
    for await (const page of pagesOf(from, table)) {
      const copy = await copies.next();
      if (JSON.stringify(copy.value) !== JSON.stringify(page)) throw notTheSame(to, table.name);
      onRows(page.length);
    }
    if (!(await copies.next()).done) throw notTheSame(to, table.name);
  }
}

async function* pagesOf(
  from: Statements,
  { name, key }: Table,
  first?: Row,
): AsyncGenerator<readonly Row[], undefined> {
  const order = key.join(", ");
  for (let after = first; ; ) {
    const which = after ? `WHERE (${order}) > (${key.map((column) => `:${column}`).join(", ")})` : "";
    const sql = `SELECT * FROM ${name} ${which} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
    const page = await from.query<Row>(sql, after);
    if (page.length > 0) yield page;
    after = page.at(-1);
    if (page.length < PAGE_ROWS) return;
  }
}

function notTheSame({ name }: Pick<Database, "name">, table: string): EarshotError {
  const problem = `${name} does not hold what was copied to it (table ${table}).`;
  return new EarshotError("misconfigured", `${problem} Name an empty one, and run this again.`);
}

/** Adds missing keys. Throws `misconfigured` if an existing one differs. */
export async function copyKeys(from: KeyStore, to: KeyStore): Promise<void> {
  const names = await namesOf(from);
  let count = 0;
  for (let start = 0; start < names.length; start += PAGE_KEYS) {
    const page = names.slice(start, start + PAGE_KEYS);
    const keys = await from.find(page);
    // Keys deleted meanwhile are not found.
    count += keys.size;
    const missing = new Set(await (await to.openInventory()).findMissing("", page));
    await to.add(new Map([...keys].filter(([name]) => missing.has(name))));
    const copies = await to.find(page);
    for (const [name, key] of keys)
      if (Buffer.compare(key, copies.get(name) ?? new Uint8Array()) !== 0) throw notTheSame(to, "keys");
    for (const key of [...keys.values(), ...copies.values()]) key.fill(0);
  }
  if ((await namesOf(to)).length !== count) throw notTheSame(to, "keys");
}

async function namesOf(keys: KeyStore): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const page of (await keys.openInventory()).others()) names.push(...page);
  return names;
}
