import type { NodeSqliteConnection } from "./node-sqlite-dialect.ts";

interface Waiting {
  readonly isSynced: boolean;
  /** Does the work. What comes back says so to who waits, and is called once it is kept. */
  run(): () => void;
  fail(cause: unknown): void;
}

/** Writes what the given function does, or throws and has written nothing. */
export type Commit = (work: () => void, options: { readonly isSynced: boolean }) => void;

/**
 * Works that come while the disk is busy share one commit: on a slow disk that takes nearly as long for one as for ten. Nothing is done before its commit
 * begins, so nobody reads what may not be kept. A work that throws is undone alone; a commit that fails, fails for all of them.
 */
export class SharedCommit {
  readonly #connection: NodeSqliteConnection;
  readonly #commit: Commit;
  #waiting: Waiting[] = [];

  constructor(connection: NodeSqliteConnection, commit: Commit) {
    this.#connection = connection;
    this.#commit = commit;
  }

  add<Result>(work: (connection: NodeSqliteConnection) => Result, isSynced: boolean): Promise<Result> {
    return new Promise((resolve, fail) => {
      const run = () => {
        const result = work(this.#connection);
        return () => resolve(result);
      };
      if (this.#waiting.push({ isSynced, run, fail }) === 1) setImmediate(() => this.flush());
    });
  }

  /** Writes at once what waits. */
  flush(): void {
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    const tells: (() => void)[] = [];
    try {
      const isSynced = waiting.some((each) => each.isSynced);
      this.#commit(() => tells.push(...waiting.map((each) => this.#try(each))), { isSynced });
    } catch (cause) {
      for (const { fail } of waiting) fail(cause);
      return;
    }
    for (const tell of tells) tell();
  }

  #try({ run, fail }: Waiting): () => void {
    const { database } = this.#connection;
    this.#connection.run("savepoint part");
    try {
      return run();
    } catch (cause) {
      // A full disk ends the whole transaction by itself.
      if (!database.isTransaction) throw cause;
      this.#connection.run("rollback to part");
      return () => fail(cause);
    } finally {
      if (database.isTransaction) this.#connection.run("release part");
    }
  }
}
