import { DatabaseSync } from "node:sqlite";
import type { Connect } from "../../src/stores/sqlite/own-file.ts";

/** When a connection fails: "before" nothing has happened yet, "after" it has happened and is reported as failed all the same. */
export type FaultMoment = "before" | "after";

/**
 * Real connections whose calls can be made to fail. The file system cannot be made to fail at a chosen moment, so this fails in its place, with
 * SQLite's own result codes.
 */
export class FailingDatabases {
  /** Calls that reached SQLite through files, so far. */
  calls = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.POSITIVE_INFINITY;
  #moment: FaultMoment = "before";
  #errcode = 13;
  /** Files may not grow beyond so many pages: SQLite itself finds the disk full. */
  maxPages: number | null = null;
  readonly #open = new Set<DatabaseSync>();

  /** All calls from the given one on fail, so many of them. */
  failAt(call: number, { count = 1, moment = "before", errcode = 13 }: FaultOptions = {}): void {
    [this.#from, this.#to, this.#moment, this.#errcode] = [call, call + count, moment, errcode];
  }

  limitPages(maxPages: number | null): void {
    this.maxPages = maxPages;
    for (const database of this.#open) if (database.isOpen) setLimit(database, maxPages);
  }

  heal(): void {
    this.#from = Number.POSITIVE_INFINITY;
    this.limitPages(null);
  }

  readonly connect: Connect = (file) => {
    const isFile = file !== ":memory:";
    if (!isFile) return new DatabaseSync(file);
    const database = this.#run(() => new DatabaseSync(file));
    this.#open.add(database);
    if (this.maxPages !== null) setLimit(database, this.maxPages);
    return this.#watch(database, ["exec", "prepare"]);
  };

  #watch<Target extends object>(target: Target, methods: readonly string[]): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== "function") return value;
        if (!methods.includes(String(name))) return value.bind(target);
        return (...given: unknown[]) => {
          const result = this.#run(() => Reflect.apply(value, target, given) as unknown);
          return name === "prepare" ? this.#watch(result as object, ["run", "get", "all", "iterate"]) : result;
        };
      },
    });
  }

  #run<Result>(work: () => Result): Result {
    this.calls += 1;
    const isFaulty = this.calls >= this.#from && this.calls < this.#to;
    if (isFaulty && this.#moment === "before") throw toError(this.#errcode);
    const result = work();
    if (isFaulty) throw toError(this.#errcode);
    return result;
  }
}

interface FaultOptions {
  readonly count?: number;
  readonly moment?: FaultMoment;
  /** A result code of SQLite: 13 full, 10 I/O error, 8 read-only, 5 busy, 11 corrupt. */
  readonly errcode?: number;
}

function setLimit(database: DatabaseSync, maxPages: number | null): void {
  try {
    database.exec(`PRAGMA max_page_count = ${maxPages ?? 1_000_000_000}`);
  } catch {
    // A file that is not a database has no limit either.
  }
}

function toError(errcode: number): Error {
  return Object.assign(new Error("failed on purpose"), {
    code: "ERR_SQLITE_ERROR",
    errcode,
    errstr: `code ${errcode}`,
  });
}
