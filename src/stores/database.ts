import { AsyncLocalStorage } from "node:async_hooks";
import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;
/** By name in the SQL: `:name`. A list stands for its members: `id = ANY(:ids)`. */
export type Values = Readonly<Record<string, Value | readonly (string | number)[] | undefined>>;

/** SQL for every engine, with the row locks that concurrent writers need (FOR UPDATE); differences are translated below this layer.
 * Values are never part of the text. */
export interface Statements {
  /** The rows of a SELECT, or of a RETURNING. */
  query<Row>(sql: string, values?: Values): Promise<Row[]>;
}

/** Concurrent transactions run in any order, and one may be repeated, so they have no other effects. */
export interface Transaction extends Statements {
  /** A statement without rows. */
  run(sql: string, values?: Values): Promise<void>;
  /** Like `run`; if it affects no row, the transaction is rolled back and throws the error of `refusal`. */
  runOne(sql: string, values: Values, refusal: () => EarshotError): Promise<void>;
  /** Inserts rows with the same columns, in few statements. `onConflict`: the text after ON CONFLICT. */
  insert(table: string, rows: readonly Row[], onConflict?: string): Promise<void>;
  /** Like `insert`, for rows as arrays. */
  insertRows(table: string, columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<void>;
}

/** All data that outlives the process; each store has some tables in it. Failures are `unavailable`. */
export interface Database extends Statements {
  /** Subject of error messages, such as "The file keys.db". */
  readonly name: string;
  /**
   * Atomic; may share its commit with other transactions. `work` may await only its transaction, which is its only way to the database:
   * anything else fails with `internal`. Throws the `EarshotError`s of `work` and of its statements. Survives a crash of the process; with
   * `isSynced` also a power failure, which takes a few milliseconds more. `isUrgent`: does not wait for readers. `isCounted`: serialisable
   * among transactions with this option.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** An urgent transaction in one round trip: `work` issues all statements at once, and uses none of their results. */
  send(work: (transaction: Transaction) => Promise<unknown>): Promise<void>;
  /** SQL for columns of one row as a JSON array, formatted like `JSON.stringify`. */
  jsonRow(columns: readonly string[]): string;
  /** Overwrites deleted data on the disk. False if some may be left: retry later if a reader blocked it; PostgreSQL cannot tell. */
  scrub(): Promise<boolean>;
  /** Bytes of all tables, without reusable free space. PostgreSQL: estimated by the number of rows and some sizes, because its files do
   * not shrink. */
  usedBytes(): Promise<number>;
  slowWrites(): StorageStats;
  /** A separate connection with a consistent view, unaffected by later writes. */
  openSnapshot(): Promise<DatabaseSnapshot>;
  /** Writes pending transactions. Safe to repeat. */
  close(): Promise<void>;
}

export interface DatabaseSnapshot extends Statements {
  /** The values of each row in column order: a third faster for very many rows. */
  queryArrays<Row extends readonly unknown[]>(sql: string, values: Values): Promise<Row[]>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

interface TransactionOptions {
  readonly isSynced?: boolean;
  readonly isUrgent?: boolean;
  readonly isCounted?: boolean;
}

const urgentWork = new AsyncLocalStorage<true>();

/** All reads and transactions of `work` are urgent, such as those of an erasure. */
export function urgently<Result>(work: () => Promise<Result>): Promise<Result> {
  return urgentWork.run(true, work);
}

export function isWithinUrgentWork(): boolean {
  return urgentWork.getStore() ?? false;
}

/** For transactions that depend on a number of rows. */
export const COUNTED = { isCounted: true } as const;

/** For writes that must survive a power failure. */
export const SYNCED = { isSynced: true, isUrgent: true } as const;

/** One statement. If the values are a list, placeholders are in its order. */
export interface Statement {
  readonly sql: string;
  readonly values: Values | readonly unknown[];
  /** Thrown if it affects no row. */
  readonly refusal?: () => EarshotError;
}

type Run = (statement: Statement) => Promise<unknown[]>;

/** Rows per INSERT; the largest size that fits is used. Most calls need one statement. */
const INSERT_SIZES = [64, 16, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];

/** Lets a work use only its own transaction, and only while it is open. */
export class Transactions {
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();

  /** Throws within a transaction: the work would wait for itself. */
  requireOutside(): void {
    if (this.#current.getStore()?.isOpen) throw misused("used the database beside its own transaction");
  }

  /** A work may await only statements. One that neither runs any nor ends within this turn of the event loop is waiting for something
   * else. */
  async run<Result>(work: (transaction: Transaction) => Promise<Result>, run: Run): Promise<Result> {
    const state = { isOpen: true };
    const over = Promise.withResolvers<never>();
    let running = 0;
    let failure: { readonly cause: unknown } | null = null;
    let timer: NodeJS.Immediate | null = null;
    const watch = () => {
      timer ??= setImmediate(() => {
        timer = null;
        if (running === 0) over.reject(misused("waited within a transaction for something else"));
      });
    };
    const runOpen: Run = async (statement) => {
      if (!state.isOpen) throw misused("used a transaction after its end");
      running += 1;
      try {
        return await run(statement);
      } catch (cause) {
        failure ??= { cause };
        throw cause;
      } finally {
        running -= 1;
        if (state.isOpen) watch();
      }
    };
    watch();
    try {
      const result = await Promise.race([this.#current.run(state, () => work(toTransaction(runOpen))), over.promise]);
      if (failure) throw (failure as { readonly cause: unknown }).cause;
      return result;
    } finally {
      state.isOpen = false;
      if (timer) clearImmediate(timer);
    }
  }
}

function misused(how: string): EarshotError {
  return new EarshotError("internal", `A store ${how}.`);
}

function toTransaction(run: Run): Transaction {
  const insertRows: Transaction["insertRows"] = (table, columns, rows) => insert(table, columns, rows, "");
  async function insert(table: string, columns: readonly string[], rows: readonly (readonly Value[])[], end: string) {
    const row = `(${columns.map(() => "?").join(", ")})`;
    let done = 0;
    // Pipelined: over a network, waiting for each would take most of the time.
    const running: Promise<unknown>[] = [];
    for (const size of INSERT_SIZES)
      for (; rows.length - done >= size; done += size) {
        const places = row + `, ${row}`.repeat(size - 1);
        // A loop, because `flat` takes about as long as the insert itself.
        const values: Value[] = [];
        for (let at = done; at < done + size; at += 1) for (const value of rows[at] ?? []) values.push(value);
        running.push(run({ sql: `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${places}${end}`, values }));
      }
    await Promise.all(running);
  }
  return {
    query: <Row>(sql: string, values: Values = {}) => run({ sql, values }) as Promise<Row[]>,
    run: async (sql, values = {}) => void (await run({ sql, values })),
    runOne: async (sql, values, refusal) => void (await run({ sql, values, refusal })),
    insertRows,
    async insert(table, rows, onConflict) {
      const end = onConflict === undefined ? "" : ` ON CONFLICT ${onConflict}`;
      const columns = Object.keys(rows[0] ?? {});
      const values = rows.map((row) => columns.map((column) => row[column] as Value));
      await insert(table, columns, values, end);
    },
  };
}

/** Replaces each `:name` in a statement by the engine's placeholder, and returns the names in order. */
export function toPlaceholders(sql: string, toPlaceholder: (place: number) => string) {
  const names: string[] = [];
  const text = sql.replaceAll(/(?<![:\w]):([a-z]\w*)/gi, (_, name: string) => toPlaceholder(names.push(name)));
  return { text, names };
}

export interface StorageWatch {
  readonly clock: Clock;
  readonly log: Log;
}

/** Number of slow commits since the start, and the duration of the slowest. */
export interface StorageStats {
  readonly slowWrites: number;
  readonly slowestMs: number;
}

/** A healthy disk commits within a few milliseconds. */
const SLOW_MS = 100;
const LOG_EVERY_MS = 10 * 60_000;

/** Measures the duration of writes. Without a watch nothing is measured. */
export class SlowWrites {
  readonly #watch: StorageWatch | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;
  stats: StorageStats = { slowWrites: 0, slowestMs: 0 };

  constructor(watch?: StorageWatch) {
    this.#watch = watch;
  }

  async measure<Result>(write: () => Promise<Result>): Promise<Result> {
    if (!this.#watch) return write();
    const { clock } = this.#watch;
    const from = clock.now();
    try {
      return await write();
    } finally {
      this.#note(clock.now() - from, this.#watch);
    }
  }

  #note(took: number, { clock, log }: StorageWatch): void {
    if (took < SLOW_MS) return;
    const slowWrites = this.stats.slowWrites + 1;
    this.stats = { slowWrites, slowestMs: Math.max(this.stats.slowestMs, took) };
    const now = clock.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    log.warn(
      { took_ms: took, slow_writes: slowWrites },
      "writes are slow: whatever has to be written down first waits for them",
    );
  }
}
