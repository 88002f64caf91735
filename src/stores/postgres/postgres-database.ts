import { setTimeout as wait } from "node:timers/promises";
import { EarshotError } from "../../domain/errors.ts";
import {
  type Database,
  SlowWrites,
  type StorageWatch,
  type Transaction,
  Transactions,
  type Values,
} from "../database.ts";
import { type Lane, Lanes } from "./lanes.ts";
import { type PostgresConnection, requireOne } from "./postgres-connection.ts";
import { isNone, isUndone, toUnavailable } from "./postgres-errors.ts";

export interface PostgresOptions {
  readonly name: string;
  /** Number of connections; the last is reserved for urgent transactions. */
  readonly connections: number;
  /** Maximum wait for a free connection. */
  readonly waitMs: number;
  /** Tables that count for the size. */
  readonly tables: readonly string[];
  readonly watch?: StorageWatch | undefined;
  /** Called with each failure, and with null after each transaction that was kept. */
  onOutcome?: ((error: unknown) => void) | undefined;
  connect(): Promise<PostgresConnection>;
  /** The lock on the database; null for read-only access. */
  readonly hold: Hold | null;
}

/** Proves that this process alone writes to the database. */
export interface Hold {
  /** The id of this process in `table`. */
  readonly owner: string;
  /** Has a row per connection, with the process that may write through it and the number of its last transaction. */
  readonly table: string;
  /** Takes the lock again after a loss. Throws `unavailable` while another process holds it. */
  require(): Promise<void>;
  release(): Promise<void>;
}

/** For a conflict with another transaction, of which one always succeeds and at most eight run, or a lost connection. */
const MAX_ATTEMPTS = 9;
const PAUSE_MS = 20;
/** Checks of an unknown COMMIT. */
const MAX_LOOKS = 10;
const LOOK_PAUSE_MS = 300;
/** Idle timeout of a snapshot. */
const SNAPSHOT_IDLE_MS = 600_000;

/**
 * Transactions are READ COMMITTED: each statement sees committed data, and waits for rows that another transaction changes. They are
 * retried after a conflict or a lost connection. Each transaction writes its number into a row that only the process with the lock may
 * write. So nothing commits once another process has the lock, and if the connection is lost during COMMIT, that row tells the outcome.
 */
export class PostgresDatabase implements Database {
  readonly name: string;
  readonly #options: PostgresOptions;
  readonly #lanes: Lanes;
  readonly #transactions = new Transactions();
  readonly #writes: SlowWrites;
  #last = 0;

  constructor(options: PostgresOptions) {
    this.name = options.name;
    this.#options = options;
    this.#lanes = new Lanes(options.connections, options.connect, options.waitMs);
    this.#writes = new SlowWrites(options.watch);
  }

  async query<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    this.#transactions.requireOutside();
    return this.#attempt("read", () =>
      this.#lanes.use(false, (lane) =>
        repeat(async () => (await (await lane.connection()).execute({ sql, values })) as Row[]),
      ),
    );
  }

  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { isUrgent = false, isCounted = false }: { readonly isUrgent?: boolean; readonly isCounted?: boolean } = {},
  ): Promise<Result> {
    return this.#write(work, { isUrgent, isSent: false, isolation: isCounted ? "SERIALIZABLE" : "READ COMMITTED" });
  }

  async send(work: (transaction: Transaction) => Promise<unknown>): Promise<void> {
    await this.#write(work, { isUrgent: true, isSent: true, isolation: "READ COMMITTED" });
  }

  async #write<Result>(
    work: Work<Result>,
    { isUrgent, ...how }: Pick<Own, "isSent" | "isolation"> & { readonly isUrgent: boolean },
  ) {
    this.#transactions.requireOutside();
    const { hold } = this.#options;
    if (!hold) throw new EarshotError("internal", "A store wrote to a database that was opened to be read.");
    const result = await this.#attempt("written", () =>
      this.#lanes.use(isUrgent, (lane) =>
        this.#writes.measure(() => repeat(() => this.#commit(work, { lane, hold, id: ++this.#last, ...how }))),
      ),
    );
    this.#options.onOutcome?.(null);
    return result;
  }

  jsonRow(columns: readonly string[]): string {
    return `'[' || concat_ws(',', ${columns.map((name) => `coalesce(to_json(${name})::text, 'null')`).join(", ")}) || ']'`;
  }

  /** PostgreSQL keeps deleted data in dead rows and in its log until these are overwritten. */
  async scrub(): Promise<boolean> {
    await this.query("SELECT 1");
    return false;
  }

  async usedBytes(): Promise<number> {
    const sizes = this.#options.tables.map(
      (name) => `(SELECT count(*) FROM ${name}) * (${ROW_BYTES} + (SELECT coalesce(avg(pg_column_size(sample)), 0)
        FROM (SELECT * FROM ${name} LIMIT ${SAMPLE_ROWS}) AS sample))`,
    );
    return (await this.query<{ bytes: number }>(`SELECT ${sizes.join(" + ")} AS bytes`))[0]?.bytes ?? 0;
  }

  slowWrites() {
    return this.#writes.stats;
  }

  async openSnapshot() {
    const attempt = <Result>(work: () => Promise<Result>) => this.#attempt("read", work);
    const connection = await attempt(() => this.#options.connect());
    // The first statement fixes the snapshot.
    await attempt(() =>
      connection.exec(`SET idle_in_transaction_session_timeout = ${SNAPSHOT_IDLE_MS};
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1`),
    );
    return {
      query: <Row>(sql: string, values: Values = {}) =>
        attempt(async () => (await connection.execute({ sql, values })) as Row[]),
      queryArrays: <Row extends readonly unknown[]>(sql: string, values: Values) =>
        attempt(async () => (await connection.executeArrays({ sql, values })) as unknown as Row[]),
      close: () => connection.close(),
    };
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    await this.#options.hold?.release();
  }

  async #attempt<Result>(what: "read" | "written", work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      const error = toUnavailable(`${this.name} cannot be ${what}`, cause);
      this.#options.onOutcome?.(error);
      throw error;
    }
  }

  async #commit<Result>(work: Work<Result>, own: Own): Promise<Result> {
    const { lane, hold, id, isSent, isolation } = own;
    const connection = await lane.connection();
    await hold.require();
    const noted = requireOne(`UPDATE ${hold.table} SET id = ${id} WHERE ${rowOf(own)}`);
    let worked: { readonly result: Result } | null = null;
    let committed: Promise<unknown> | null = null;
    try {
      const begun = connection.exec(`BEGIN ISOLATION LEVEL ${isolation}; ${noted}`);
      const working = this.#transactions.run(work, async (statement) => {
        if (committed) throw new EarshotError("internal", "A store waited within what it sends at once.");
        return connection.execute(statement);
      });
      if (isSent) committed = connection.exec("COMMIT");
      // They are awaited below.
      for (const each of [begun, working, committed]) each?.catch(() => {});
      await begun.catch((cause) => {
        throw isNone(cause) ? takenOver() : cause;
      });
      worked = { result: await working };
      await (committed ?? connection.exec("COMMIT"));
      return worked.result;
    } catch (cause) {
      if (connection.isOpen) await connection.exec("ROLLBACK").catch(() => connection.destroy());
      else if ((worked || committed) && (await this.#wasKept(own))) return worked?.result as Result;
      throw cause;
    }
  }

  /** Waits for the end of the lost connection's transaction. Throws if the outcome is unknown. */
  async #wasKept(own: Own): Promise<boolean> {
    const sql = `SELECT id FROM ${own.hold.table} WHERE ${rowOf(own)} FOR UPDATE`;
    for (let left = MAX_LOOKS; ; left -= 1)
      try {
        const [row] = await (await own.lane.connection()).execute({ sql, values: {} });
        if (!row) throw takenOver();
        return (row as { readonly id: number }).id === own.id;
      } catch (cause) {
        if (left === 0) throw cause;
        await wait(LOOK_PAUSE_MS);
      }
  }
}

type Work<Result> = (transaction: Transaction) => Promise<Result>;

interface Own {
  readonly lane: Lane;
  readonly hold: Hold;
  readonly id: number;
  /** COMMIT is sent without waiting for the results of the statements. */
  readonly isSent: boolean;
  readonly isolation: "READ COMMITTED" | "SERIALIZABLE";
}

/** Share of the indexes per row. */
const ROW_BYTES = 100;
/** Number of rows from which the size of a table is estimated. */
const SAMPLE_ROWS = 1_000;

function rowOf({ lane, hold }: Pick<Own, "lane" | "hold">): string {
  return `slot = ${lane.slot} AND owner = '${hold.owner}'`;
}

function takenOver(): EarshotError {
  const hint = "Stop one of the two, then start Earshot again.";
  return new EarshotError("unavailable", `The database cannot be written: another Earshot has taken it over. ${hint}`);
}

/** Repeats an attempt that was rolled back completely: by a conflict, or with its connection. */
async function repeat<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = MAX_ATTEMPTS - 1; ; left -= 1)
    try {
      return await attempt();
    } catch (cause) {
      if (left === 0 || !isUndone(cause)) throw cause;
      await wait(PAUSE_MS * (MAX_ATTEMPTS - left));
    }
}
