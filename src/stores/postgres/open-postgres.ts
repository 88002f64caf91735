import { setTimeout as wait } from "node:timers/promises";
import { EarshotError } from "../../domain/errors.ts";
import type { Database } from "../database.ts";
import { KEYS_SCHEMA, KEYS_VERSION, SCHEMA, SCHEMA_VERSION, tablesOf } from "../schema.ts";
import { closed } from "./lanes.ts";
import { PostgresConnection, StatementTexts } from "./postgres-connection.ts";
import { type Hold, PostgresDatabase, type PostgresOptions } from "./postgres-database.ts";
import { toUnavailable } from "./postgres-errors.ts";

export interface OpenPostgresOptions extends Pick<PostgresOptions, "watch" | "onOutcome"> {
  /** How long the server may take for a statement. For a lock or a free connection, half of it is waited. */
  readonly statementMs?: number;
}

interface Kind {
  readonly name: string;
  /** A row for each connection that writes, with the version of the tables. */
  readonly table: string;
  readonly version: number;
  readonly schema: string;
  readonly connections: number;
}

const DURABLE: Kind = {
  ...{ name: "The database", table: "earshot_writers", version: SCHEMA_VERSION, schema: SCHEMA, connections: 8 },
};
const KEYS: Kind = {
  ...{ name: "The database for keys", table: "earshot_key_writers", version: KEYS_VERSION, schema: KEYS_SCHEMA },
  connections: 2,
};
/** The version of tables that a move or a restore has not filled yet. */
const INCOMPLETE = 0;
const STATEMENT_MS = 15_000;
/** For a process that is about to end, or was killed just now. */
const LOCK_ATTEMPTS = 10;
const LOCK_PAUSE_MS = 200;

/** The program's own database at an address: one program at a time. Throws `misconfigured` for one that cannot be used, or is in use. */
export async function openPostgres(url: string, options?: OpenPostgresOptions): Promise<Database> {
  return (await open(DURABLE, url, options)).database;
}

/** The same for the keys. */
export async function openPostgresKeys(url: string, options?: OpenPostgresOptions): Promise<Database> {
  return (await open(KEYS, url, options)).database;
}

/** For commands that look on while the program runs, or does not. Throws `not_found` where nothing was kept. */
export async function openPostgresToRead(url: string): Promise<Database> {
  return (await open(DURABLE, url, { mode: "read" })).database;
}

/** The same for the keys. */
export async function openPostgresKeysToRead(url: string): Promise<Database> {
  return (await open(KEYS, url, { mode: "read" })).database;
}

export interface DatabaseToFill {
  readonly database: Database;
  /** It was in use before. Otherwise nothing but a move or a restore opens it until `complete`. */
  readonly isComplete: boolean;
  /** Deletes all rows; it is incomplete from then on. */
  empty(): Promise<void>;
  complete(): Promise<void>;
}

/** For a move or a restore. */
export async function openPostgresToFill(url: string): Promise<DatabaseToFill> {
  return open(DURABLE, url, { mode: "fill" });
}

/** The same for the keys. */
export async function openPostgresKeysToFill(url: string): Promise<DatabaseToFill> {
  return open(KEYS, url, { mode: "fill" });
}

interface OpenOptions extends OpenPostgresOptions {
  readonly mode?: "own" | "read" | "fill";
}

async function open(
  kind: Kind,
  url: string,
  { mode = "own", statementMs = STATEMENT_MS, ...options }: OpenOptions = {},
): Promise<DatabaseToFill> {
  const isReadOnly = mode === "read";
  const statements = new StatementTexts();
  const waitMs = statementMs / 2;
  const ms = { statementMs, lockMs: waitMs };
  const connect = () => PostgresConnection.open({ url, isReadOnly, statements, ...ms });
  const tables = tablesOf(kind.schema);
  try {
    const first = await connect();
    let hold: PostgresHold | null = null;
    let isComplete: boolean;
    try {
      if (!isReadOnly) await create(first, mode === "fill" ? { ...kind, version: INCOMPLETE } : kind);
      isComplete = await requireVersion(first, kind);
      if (!isComplete && mode !== "fill") throw incomplete(kind, isReadOnly);
      if (!isReadOnly) hold = await PostgresHold.begin(kind, first, connect);
    } finally {
      if (!hold) await first.close();
    }
    const { connections, name } = kind;
    const database = new PostgresDatabase({
      ...{ ...options, name, connections, waitMs, hold, connect },
      tables: tables.map((each) => each.name),
    });
    return {
      ...{ database, isComplete },
      empty: () =>
        database.transaction(async (change) => {
          await change.run(`UPDATE ${kind.table} SET version = ${INCOMPLETE}`);
          for (const { name: table } of tables) await change.run(`DELETE FROM ${table}`);
        }),
      complete: () => complete(database, kind),
    };
  } catch (cause) {
    const { message, code, obstacle } = toUnavailable(`${kind.name} cannot be opened`, cause);
    throw code === "unavailable" ? new EarshotError("misconfigured", message, { cause, obstacle }) : cause;
  }
}

async function complete(database: Database, { table, version, schema }: Kind): Promise<void> {
  const numbered = tablesOf(schema).filter(({ key }) => key.join() === "seq");
  await database.transaction(async (change) => {
    // Rows that are added from now on are numbered after those that came with a number.
    for (const { name } of numbered)
      await change.query(`SELECT setval(pg_get_serial_sequence('${name}', 'seq'), coalesce(max(seq), 0) + 1, false)
        FROM ${name}`);
    await change.run(`UPDATE ${table} SET version = ${version}`);
  });
}

/** All tables or none, by one process at a time. */
async function create(connection: PostgresConnection, { table, version, schema, connections }: Kind): Promise<void> {
  const tables = schema
    .replaceAll("seq INTEGER PRIMARY KEY", "seq INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
    .replaceAll(/\bINTEGER\b/g, "BIGINT")
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\bREAL\b/g, "DOUBLE PRECISION")
    .replaceAll(/\bBLOB\b/g, "BYTEA")
    .replaceAll(/\) STRICT;/g, ");")
    .replaceAll(/\((\w+_json) (->> '\w+')\)/g, "((CAST($1 AS JSON) $2))")
    .replaceAll(/json_each\((\w+_json)\)/g, "json_each(CAST($1 AS JSON))");
  await connection.exec(`BEGIN; SELECT pg_advisory_xact_lock(${lockOf(table)} - 1)`);
  try {
    const [known] = await connection.execute({
      sql: "SELECT 1 AS one WHERE to_regclass(:table) IS NOT NULL",
      values: { table },
    });
    if (!known)
      await connection.exec(`${tables}
        CREATE TABLE ${table} (slot BIGINT PRIMARY KEY, owner TEXT NOT NULL, id BIGINT NOT NULL, version BIGINT NOT NULL);
        INSERT INTO ${table} SELECT slot, '', 0, ${version} FROM generate_series(0, ${connections - 1}) AS slot`);
    await connection.exec("COMMIT");
  } finally {
    // Without effect after COMMIT.
    if (connection.isOpen) await connection.exec("ROLLBACK");
  }
}

/** False for tables that have not been filled yet. */
async function requireVersion(connection: PostgresConnection, { table, version, name }: Kind): Promise<boolean> {
  const [known] = await connection.execute({
    sql: "SELECT 1 AS one WHERE to_regclass(:table) IS NOT NULL",
    values: { table },
  });
  if (!known) throw new EarshotError("not_found", "Nothing has been kept here yet.");
  const rows = (await connection.execute({ sql: `SELECT version FROM ${table}`, values: {} })) as { version: number }[];
  const versions = new Set(rows.map((row) => row.version));
  if (versions.size === 1 && (versions.has(version) || versions.has(INCOMPLETE))) return versions.has(version);
  const hint = "Start the version of Earshot that made it, or name an empty database.";
  throw new EarshotError("misconfigured", `${name} is one of another version of Earshot. ${hint}`);
}

function incomplete({ name }: Kind, isReadOnly: boolean): EarshotError {
  const hint = "Run that command again, or name an empty database.";
  const problem = `${name} is incomplete: a migration or a restore into it was interrupted. ${hint}`;
  return new EarshotError(isReadOnly ? "not_found" : "misconfigured", problem);
}

/** The same for every process that uses these tables. */
function lockOf(table: string): string {
  return `hashtextextended(current_schema() || '.${table}', 0)`;
}

/** Whether no process has the database at the moment. */
export const IS_FREE = `SELECT pg_try_advisory_xact_lock(${lockOf(DURABLE.table)}) AS is_free`;

type Connect = () => Promise<PostgresConnection>;

/** A lock of PostgreSQL's, which ends with the connection it was taken through. */
class PostgresHold implements Hold {
  readonly owner: string;
  readonly table: string;
  readonly #kind: Kind;
  readonly #connect: Connect;
  #connection: PostgresConnection | null = null;
  #taking: Promise<void> | null = null;
  #isReleased = false;

  private constructor(kind: Kind, owner: string, connect: Connect) {
    this.#kind = kind;
    this.owner = owner;
    this.table = kind.table;
    this.#connect = connect;
  }

  static async begin(kind: Kind, connection: PostgresConnection, connect: Connect): Promise<PostgresHold> {
    const [row] = await connection.execute({ sql: "SELECT gen_random_uuid()::text AS id", values: {} });
    const hold = new PostgresHold(kind, (row as { readonly id: string }).id, connect);
    await hold.#take(connection);
    // Rows that another process writes later are unknown to this one.
    await connection.exec(`UPDATE ${kind.table} SET owner = '${hold.owner}', id = 0`);
    return hold;
  }

  get #name(): string {
    return `earshot ${this.owner}`;
  }

  async require(): Promise<void> {
    if (this.#connection?.isOpen) return;
    this.#taking ??= this.#retake().finally(() => {
      this.#taking = null;
    });
    await this.#taking;
  }

  async #retake(): Promise<void> {
    const connection = await this.#connect();
    try {
      // The one that was lost may still be there.
      await connection.exec(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${this.#name}'`,
      );
      await this.#take(connection);
    } catch (cause) {
      await connection.close();
      throw cause;
    }
  }

  /** Waits for writes that another process has begun; its later ones fail. */
  async #take(connection: PostgresConnection): Promise<void> {
    await connection.exec(`SET application_name = '${this.#name}'`);
    const sql = `SELECT pg_try_advisory_lock(${lockOf(this.table)}) AS is_mine`;
    for (let left = LOCK_ATTEMPTS; ; left -= 1) {
      const [row] = (await connection.execute({ sql, values: {} })) as { is_mine: boolean }[];
      if (row?.is_mine) break;
      if (left === 0) throw inUse(this.#kind);
      await wait(LOCK_PAUSE_MS);
    }
    if (this.#isReleased) throw closed();
    this.#connection = connection;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#connection?.close();
  }
}

function inUse({ name }: Kind): EarshotError {
  const hint = "Stop it first, or name another database for this one.";
  return new EarshotError("unavailable", `${name} is used by another Earshot. ${hint}`, { obstacle: "folder_locked" });
}
