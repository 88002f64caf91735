import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { KeyStore } from "../../src/ports/key-store.ts";
import type { Database } from "../../src/stores/database.ts";
import { openKeyStore } from "../../src/stores/key-store.ts";
import { openPostgres, openPostgresKeys, openPostgresToRead } from "../../src/stores/postgres/open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "../../src/stores/postgres/wrap-keys.ts";
import {
  openDurableDatabase,
  openDurableDatabaseToRead,
  openKeyDatabase,
} from "../../src/stores/sqlite/open-sqlite.ts";
import { createSchemaAt, inSchema } from "./admin.ts";
import { createSchemas } from "./create-schemas.ts";

const PRIVATE = 0o600;
const KEYS_SECRET = "a secret of the operator's";
let emptyFile: Promise<Buffer> | null = null;
let secret: ReturnType<typeof toWrappingSecret> | null = null;

/** With `EARSHOT_TEST_ENGINE=postgres`, tests of whole journeys keep in PostgreSQL what they name a file for; tests of the files themselves are skipped. */
export const IS_ON_POSTGRES = process.env["EARSHOT_TEST_ENGINE"] === "postgres";

/** The database in a file; a new one begins as a copy of an empty one, since to create all tables takes ten times as long as to open them. */
export async function openTestDatabase(file: string): Promise<Database> {
  if (IS_ON_POSTGRES) return openPostgres(await createSchemaFor(file));
  emptyFile ??= createEmptyFile();
  const bytes = await emptyFile;
  if (!existsSync(file)) writeFileSync(file, bytes, { mode: PRIVATE });
  return openDurableDatabase(file);
}

/** The same beside a program that uses it. */
export async function openTestDatabaseToRead(file: string): Promise<Database> {
  return IS_ON_POSTGRES ? openPostgresToRead(schemaFor(file)) : openDurableDatabaseToRead(file);
}

export async function openTestKeys(file: string, mintStoreId: () => string): Promise<KeyStore> {
  if (!IS_ON_POSTGRES) return openKeyStore(await openKeyDatabase(file), mintStoreId);
  secret ??= toWrappingSecret(KEYS_SECRET);
  const chance = { bytes: (count: number) => randomBytes(count), id: mintStoreId };
  return openWrappedKeys(await openPostgresKeys(await createSchemaFor(file)), { secret, chance });
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
  await createSchemas(settings);
  return { database: { url, keysUrl, keysSecret: KEYS_SECRET } };
}

async function createSchemaFor(file: string): Promise<string> {
  const url = schemaFor(file);
  await createSchemaAt(url);
  return url;
}

function schemaFor(file: string): string {
  return inSchema(`file_${createHash("sha256").update(resolve(file)).digest("hex").slice(0, 32)}`);
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
