import { statSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { EarshotError } from "../../domain/errors.ts";
import {
  type Database,
  SlowWrites,
  type Statement,
  type StorageWatch,
  type Transaction,
  Transactions,
  toPlaceholders,
  type Values,
} from "../database.ts";
import { truncateLog } from "./own-file.ts";
import { toUnavailable } from "./translate-errors.ts";

export interface SqliteOptions {
  readonly file: string;
  /** Maximum wait for another program's lock. */
  readonly busyMs: number;
  /** Whether every commit survives a power failure, or only transactions with `isSynced`. */
  readonly isSynced: boolean;
  readonly watch?: StorageWatch | undefined;
  /** Called with each failure, and with null after each transaction that has written something. */
  onOutcome?: ((error: unknown) => void) | undefined;
  closeMore?(): void;
}

interface Waiting {
  readonly isSynced: boolean;
  /** Runs the work. Returns a function that reports the result to the caller after the commit. */
  run(): Promise<() => void>;
  fail(cause: unknown): void;
}

/**
 * One connection, on which every statement runs at once, and waits while a transaction is open. Transactions that arrive while the disk is
 * busy share one commit: on a slow disk that takes nearly as long for one as for ten. They run only when their commit begins, so
 * uncommitted data is never read. If a work throws, only its changes are rolled back; a failed commit fails all of them.
 */
export class SqliteDatabase implements Database {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  readonly #options: SqliteOptions;
  readonly #inode: number | null;
  readonly #transactions = new Transactions();
  readonly #writes: SlowWrites;
  #waiting: Waiting[] = [];
  /** The commit in progress, if any. */
  #committing: Promise<void> | null = null;

  constructor(database: DatabaseSync, options: SqliteOptions) {
    this.name = `The file ${basename(options.file)}`;
    this.#database = database;
    this.#connection = new Connection(database);
    this.#options = options;
    this.#inode = inodeOf(options.file);
    this.#writes = new SlowWrites(options.watch);
  }

  async query<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#alone("read", () => this.#connection.execute({ sql, values }) as Row[]);
  }

  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { isSynced = false }: { readonly isSynced?: boolean } = {},
  ): Promise<Result> {
    this.#transactions.requireOutside();
    return new Promise((resolve, fail) => {
      const run = async () => {
        const result = await this.#transactions.run(work, async (statement) => {
          // A full disk ends the transaction by itself: later statements would be committed separately.
          if (!this.#database.isTransaction) throw new EarshotError("unavailable", "The transaction was undone.");
          const before = this.#connection.changes;
          const rows = this.#connection.execute(statement);
          if (statement.refusal && this.#connection.changes === before) throw statement.refusal();
          return rows;
        });
        return () => resolve(result);
      };
      if (this.#waiting.push({ isSynced, run, fail }) === 1) setImmediate(() => void this.#flush());
    });
  }

  async send(work: (transaction: Transaction) => Promise<unknown>): Promise<void> {
    await this.transaction(work);
  }

  jsonRow(columns: readonly string[]): string {
    return `json_array(${columns.join(", ")})`;
  }

  /** Does not wait for readers, because everything else would wait, too. */
  async scrub(): Promise<boolean> {
    return this.#alone("written", () => {
      try {
        this.#database.exec("PRAGMA busy_timeout = 0");
        return truncateLog(this.#database);
      } finally {
        this.#database.exec(`PRAGMA busy_timeout = ${this.#options.busyMs}`);
      }
    });
  }

  async usedBytes(): Promise<number> {
    const read = (name: string) => Number(this.#database.prepare(`PRAGMA ${name}`).get()?.[name]);
    return this.#alone("read", () => (read("page_count") - read("freelist_count")) * read("page_size"));
  }

  slowWrites() {
    return this.#writes.stats;
  }

  async openSnapshot() {
    const { file, busyMs } = this.#options;
    const database = await this.#alone("read", () => new DatabaseSync(file, { readOnly: true, timeout: busyMs }));
    const attempt = <Result>(work: () => Result) => this.#attempt("read", work);
    // The first statement fixes the snapshot.
    attempt(() => database.exec("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"));
    const connection = new Connection(database);
    return {
      query: async <Row>(sql: string, values: Values = {}) =>
        attempt(() => connection.execute({ sql, values }) as Row[]),
      queryArrays: async <Row extends readonly unknown[]>(sql: string, values: Values) =>
        attempt(() => connection.readArrays({ sql, values }).rows as unknown as Row[]),
      close: async () => void (database.isOpen && database.close()),
    };
  }

  async close(): Promise<void> {
    while (this.#database.isOpen && (this.#committing || this.#waiting.length > 0)) await this.#flush();
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#options.closeMore?.();
  }

  async #alone<Result>(what: "read" | "written", work: () => Result): Promise<Result> {
    this.#transactions.requireOutside();
    while (this.#committing) await this.#committing;
    return this.#attempt(what, work);
  }

  #attempt<Result>(what: "read" | "written", work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw this.#toError(what, cause);
    }
  }

  #toError(what: "read" | "written", cause: unknown): EarshotError {
    const error = toUnavailable(`${this.name} cannot be ${what}`, cause);
    this.#options.onOutcome?.(error);
    return error;
  }

  async #flush(): Promise<void> {
    while (this.#committing) await this.#committing;
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#committing = promise;
    const before = this.#connection.changes;
    let tells: readonly (() => void)[] = [];
    try {
      tells = await this.#writes.measure(() => this.#commit(waiting));
      if (this.#connection.changes > before) this.#options.onOutcome?.(null);
    } catch (cause) {
      const error = this.#toError("written", cause);
      for (const { fail } of waiting) fail(error);
    } finally {
      this.#committing = null;
      resolve();
    }
    for (const tell of tells) tell();
  }

  async #commit(waiting: readonly Waiting[]): Promise<readonly (() => void)[]> {
    // A deleted file can still be written to, and everything written would be lost.
    if (inodeOf(this.#options.file) !== this.#inode) throw moved(this.#options.file);
    const isSynced = !this.#options.isSynced && waiting.some((each) => each.isSynced);
    try {
      if (isSynced) this.#database.exec("PRAGMA synchronous = FULL");
      // Takes the lock at once: a transaction that reads first could not take it later if another connection wrote meanwhile.
      this.#connection.run("begin immediate");
      const tells: (() => void)[] = [];
      for (const each of waiting) tells.push(await (waiting.length === 1 ? each.run() : this.#runPart(each)));
      this.#connection.run("commit");
      return tells;
    } catch (cause) {
      // A full disk ends the transaction by itself.
      if (this.#database.isOpen && this.#database.isTransaction) this.#connection.run("rollback");
      throw cause;
    } finally {
      if (isSynced && this.#database.isOpen) this.#database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  async #runPart({ run, fail }: Waiting): Promise<() => void> {
    this.#connection.run("savepoint part");
    try {
      return await run();
    } catch (cause) {
      // A full disk ends the whole transaction by itself.
      if (!this.#database.isTransaction) throw cause;
      this.#connection.run("rollback to part");
      return () => fail(this.#toError("written", cause));
    } finally {
      if (this.#database.isTransaction) this.#connection.run("release part");
    }
  }
}

function moved(file: string): EarshotError {
  const problem = `${basename(file)} was moved or deleted while Earshot runs. Put it back, or start Earshot again.`;
  return new EarshotError("unavailable", `The database cannot be written: ${problem}`);
}

/** Null if there is no file. */
function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

/** Maximum cached prepared statements. The stores' own queries are fewer. */
const MAX_STATEMENTS = 200;

interface Prepared {
  readonly statement: StatementSync;
  /** The names of its parameters, in order. */
  readonly names: readonly string[];
  /** Empty if it returns no rows. */
  readonly columns: readonly string[];
  readonly isRead: boolean;
}

class Connection {
  /** Number of rows written so far. */
  changes = 0;
  readonly #database: DatabaseSync;
  readonly #prepared = new BoundedMap<string, Prepared>({ maxEntries: MAX_STATEMENTS });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  execute(statement: Statement): object[] {
    const { rows, columns } = this.readArrays(statement);
    // SQLite's own objects take as long.
    return rows.map((row) => {
      const named: Record<string, unknown> = {};
      for (let at = 0; at < columns.length; at += 1) named[columns[at] as string] = row[at];
      return named;
    });
  }

  readArrays({
    sql,
    values,
  }: Statement): Pick<Prepared, "columns"> & { readonly rows: readonly (readonly unknown[])[] } {
    const { statement, names, columns, isRead } = this.#prepare(sql);
    const bound = Array.isArray(values) ? values : names.map((name) => toBound((values as Values)[name]));
    if (columns.length === 0) {
      this.changes += Number(statement.run(...bound).changes);
      return { columns, rows: [] };
    }
    const rows = statement.all(...bound) as unknown as (readonly unknown[])[];
    if (!isRead) this.changes += rows.length;
    return { columns, rows };
  }

  #prepare(sql: string): Prepared {
    const cached = this.#prepared.get(sql);
    if (cached) return cached;
    const { text, names } = toPlaceholders(sql, () => "?");
    // No other connection writes during a transaction.
    const unlocked = text.replaceAll(/ FOR (?:UPDATE|KEY SHARE)\b/g, "");
    const inList = unlocked.replaceAll("= ANY(?)", "IN (SELECT value FROM json_each(?))");
    const statement = this.#database.prepare(inList);
    statement.setReturnArrays(true);
    const columns = statement.columns().map(({ name }) => name);
    const prepared = { statement, names, columns, isRead: /^\s*(?:select|explain)/i.test(sql) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function toBound(value: Values[string]): SQLInputValue {
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}
