import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { BoundedMap } from "../../domain/bounded-map.ts";

/** Prepared statements that are kept. The stores' own queries are fewer. */
const MAX_STATEMENTS = 200;

/** Kysely over one connection of `node:sqlite`, which Kysely gives to one query or transaction at a time. */
export function createNodeSqliteDialect(connection: NodeSqliteConnection): Dialect {
  return {
    createAdapter: () => new NodeSqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(connection),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** Every SQLite that Node brings can create and change tables in a transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;

  constructor(connection: NodeSqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  /** What writes takes the lock at once: a transaction that reads first could not take it later if another connection wrote meanwhile. */
  async beginTransaction(_: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#connection.run(accessMode === "read only" ? "begin" : "begin immediate");
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run("commit");
  }

  async rollbackTransaction(): Promise<void> {
    // A full disk ends the transaction by itself.
    const { database } = this.#connection;
    if (database.isOpen && database.isTransaction) this.#connection.run("rollback");
  }

  async destroy(): Promise<void> {
    if (this.#connection.database.isOpen) this.#connection.database.close();
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** Keeps its prepared statements. */
export class NodeSqliteConnection implements DatabaseConnection {
  readonly database: DatabaseSync;
  /** By their SQL. */
  readonly #statements = new BoundedMap<string, Prepared>({ maxEntries: MAX_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, returnsRows } = this.#prepare(sql);
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  /** Runs queries that return no rows, in their order. One call for all of them: to wait for each costs as much as a short one takes. */
  async executeAll(queries: Iterable<CompiledQuery>): Promise<void> {
    for (const { sql, parameters } of queries)
      this.#prepare(sql).statement.run(...(parameters as readonly SQLInputValue[]));
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // A statement of its own: a cached one could be run again before the stream ends.
    const rows = this.database.prepare(sql).iterate(...(parameters as readonly SQLInputValue[]));
    for (const row of rows) yield { rows: [row as Row] };
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
