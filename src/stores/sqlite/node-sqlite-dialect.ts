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

  async beginTransaction(_: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#connection.run(accessMode === "read only" ? "begin" : "begin immediate");
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run("commit");
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
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
  readonly #arrayStatements = new BoundedMap<string, StatementSync>({ maxEntries: MAX_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  rollback(): void {
    // A full disk ends the transaction by itself.
    if (this.database.isOpen && this.database.isTransaction) this.run("rollback");
  }

  /** All of it or nothing. */
  transaction<Result>(work: (connection: this) => Result): Result {
    // Takes the lock at once: a transaction that reads first could not take it later if another connection wrote meanwhile.
    this.run("begin immediate");
    try {
      const result = work(this);
      this.run("commit");
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.execute(query as CompiledQuery<Row>);
  }

  /** At once: to wait for a short query takes as long as the query itself. */
  execute<Row>({ sql, parameters }: CompiledQuery<Row>): QueryResult<Row> {
    const { statement, returnsRows } = this.#prepare(sql);
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  /** The values of each row in the order of its columns: half the time of objects where there are very many rows. */
  executeAsArrays<Values extends readonly unknown[]>({ sql, parameters }: CompiledQuery): Values[] {
    let statement = this.#arrayStatements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      this.#arrayStatements.set(sql, statement);
    }
    return statement.all(...(parameters as readonly SQLInputValue[])) as unknown as Values[];
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
