import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import type { KeyStore } from "../../src/ports/key-store.ts";
import type { Database } from "../../src/stores/database.ts";
import { openKeyStore } from "../../src/stores/key-store.ts";
import { openPostgres, openPostgresKeys, openPostgresToRead } from "../../src/stores/postgres/open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "../../src/stores/postgres/wrap-keys.ts";
import { KEYS_SCHEMA, SCHEMA, tablesOf } from "../../src/stores/schema.ts";
import {
  openDurableDatabase,
  openDurableDatabaseToRead,
  openKeyDatabase,
} from "../../src/stores/sqlite/open-sqlite.ts";
import { admin, createSchemaAt, inSchema, SERVER } from "./admin.ts";

const PRIVATE = 0o600;
const MAX_CLOSING_MS = 200;
const KEYS_SECRET = "a secret of the operator's";
let emptyFile: Promise<Buffer> | null = null;
let secret: ReturnType<typeof toWrappingSecret> | null = null;

/** With `EARSHOT_TEST_ENGINE=postgres`, tests of whole journeys keep in PostgreSQL what they name a file for; tests of the files themselves are skipped. */
export const IS_ON_POSTGRES = process.env["EARSHOT_TEST_ENGINE"] === "postgres";

/** The database in a file; a new one begins as a copy of an empty one, since to create all tables takes ten times as long as to open them. */
export async function openTestDatabase(file: string): Promise<Database> {
  if (IS_ON_POSTGRES) return openPostgres(await createSchemaFor(file, SCHEMA));
  emptyFile ??= createEmptyFile();
  const bytes = await emptyFile;
  if (!existsSync(file)) writeFileSync(file, bytes, { mode: PRIVATE });
  return openDurableDatabase(file);
}

/** The same beside a program that uses it. */
export async function openTestDatabaseToRead(file: string): Promise<Database> {
  return IS_ON_POSTGRES ? openPostgresToRead(schemaFor(file)) : openDurableDatabaseToRead(file);
}

/** As on a network drive whose locks do not hold, or when the connection with the lock is lost: a second program can write. */
export async function breakLock(file: string): Promise<void> {
  if (!IS_ON_POSTGRES) return rmSync(`${file}.lock`);
  const key = "hashtextextended(current_schema() || '.earshot_writers', 0)";
  const isIt = `locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = ${key}`;
  await admin(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${isIt}`, schemaFor(file));
}

export async function openTestKeys(file: string, mintStoreId: () => string): Promise<KeyStore> {
  if (!IS_ON_POSTGRES) return openKeyStore(await openKeyDatabase(file), mintStoreId);
  secret ??= toWrappingSecret(KEYS_SECRET);
  const chance = { bytes: (count: number) => randomBytes(count), id: mintStoreId };
  return openWrappedKeys(await openPostgresKeys(await createSchemaFor(file, KEYS_SCHEMA)), { secret, chance });
}

/** Settings by which a program keeps in PostgreSQL what it would keep in files of this data folder; none otherwise. */
export function databaseSettings(dataDir: string): Readonly<Record<string, string>> {
  if (!IS_ON_POSTGRES) return {};
  return {
    EARSHOT_DATABASE_URL: schemaFor(join(dataDir, "earshot.db")),
    EARSHOT_KEYS_DATABASE_URL: schemaFor(join(dataDir, "keys.db")),
    EARSHOT_KEYS_SECRET: KEYS_SECRET,
  };
}

/** The same for a program that is configured without variables. The schemas are there. */
export async function databaseConfig(dataDir: string) {
  const settings = databaseSettings(dataDir);
  const { EARSHOT_DATABASE_URL: url, EARSHOT_KEYS_DATABASE_URL: keysUrl } = settings;
  if (url === undefined || keysUrl === undefined) return {};
  await createSchemaFor(join(dataDir, "earshot.db"), SCHEMA);
  await createSchemaFor(join(dataDir, "keys.db"), KEYS_SCHEMA);
  return { database: { url, keysUrl, keysSecret: KEYS_SECRET } };
}

function schemaFor(file: string): string {
  return inSchema(nameFor(file));
}

function nameFor(file: string): string {
  return `file_${createHash("sha256").update(resolve(file)).digest("hex").slice(0, 32)}`;
}

interface Created {
  readonly file: string;
  readonly tables: string;
  readonly url: Promise<string>;
}

/** By their names. */
const created = new Map<string, Created>();

async function createSchemaFor(file: string, tables: string): Promise<string> {
  const name = nameFor(file);
  const known = created.get(name);
  if (known) return known.url;
  const url = reuseSchema(name, tables).then(async (isThere) => {
    if (!isThere) await createSchemaAt(schemaFor(file));
    return schemaFor(file);
  });
  created.set(name, { file, tables, url });
  return url;
}

/** Takes the schema of a file that is gone with its folder: to empty its tables takes a small part of the time in which all of them are created. */
async function reuseSchema(name: string, tables: string): Promise<boolean> {
  for (const [free, each] of [...created]) {
    if (each.tables !== tables || existsSync(dirname(each.file))) continue;
    // Nobody else takes it meanwhile.
    if (!created.delete(free)) continue;
    if (await emptyAs(free, name, tables)) return true;
    created.set(free, each);
  }
  return false;
}

/** False where it is still in use. */
async function emptyAs(free: string, name: string, tables: string): Promise<boolean> {
  const emptied = tablesOf(tables).map((each) => {
    const isNumbered = each.key.join() === "seq";
    const restart = `PERFORM setval(pg_get_serial_sequence('${each.name}', 'seq'), 1, false);`;
    return `DELETE FROM ${each.name}; ${isNumbered ? restart : ""}`;
  });
  const writers = tables === SCHEMA ? "earshot_writers" : "earshot_key_writers";
  // Whoever still writes to it has this lock. Most are being closed, for which few tests wait.
  const sql = `DO $$ BEGIN
    SET LOCAL lock_timeout = ${MAX_CLOSING_MS};
    PERFORM pg_advisory_xact_lock(hashtextextended('${free}.${writers}', 0));
    ALTER SCHEMA ${free} RENAME TO ${name};
    SET LOCAL search_path = ${name};
    ${emptied.join("\n")}
  END $$`;
  emptying ??= connectToEmpty();
  return (await emptying).query(sql).then(
    () => true,
    () => false,
  );
}

/** A new connection would read what all those tables are like each time. */
let emptying: Promise<pg.Client> | null = null;

async function connectToEmpty(): Promise<pg.Client> {
  const socket = new Socket();
  const client = new pg.Client({ connectionString: SERVER, stream: () => socket });
  client.on("error", () => {});
  await client.connect();
  // The process may end meanwhile.
  socket.unref();
  return client;
}

async function createEmptyFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-empty-"));
  try {
    const file = join(folder, "earshot.db");
    (await openDurableDatabase(file)).close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
