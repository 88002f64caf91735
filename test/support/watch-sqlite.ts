import { DatabaseSync, type StatementSync } from "node:sqlite";

const METHODS = ["run", "get", "all", "iterate"] as const;

/** Calls `onWrite` before everything that may change a file through SQLite in this process, until the returned function is called. */
export function watchSqlite(onWrite: (database: DatabaseSync, sql: string) => void): () => void {
  const { exec, prepare } = DatabaseSync.prototype;
  const note = (database: DatabaseSync, sql: string) => {
    if (database.location() !== null && !/^\s*select\b/i.test(sql)) onWrite(database, sql);
  };
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    note(this, sql);
    return exec.call(this, sql);
  };
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
    const statement = prepare.apply(this, given);
    for (const method of METHODS) {
      const run = statement[method] as (...values: unknown[]) => unknown;
      const watched = (...values: unknown[]) => {
        note(this, given[0]);
        return run.apply(statement, values);
      };
      Object.defineProperty(statement, method, { value: watched });
    }
    return statement satisfies StatementSync;
  };
  return () => Object.assign(DatabaseSync.prototype, { exec, prepare });
}
