import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { SqliteDialect } from "kysely";

/**
 * Kysely over `node:sqlite`. Its own transactions are refused: they would stay open while others use the same connection. Who needs
 * one takes `atomically` of the durable database.
 */
export function createNodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        if (sql === "begin") throw new Error("use atomically instead of a transaction of Kysely's");
        const statement = database.prepare(sql);
        const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...values(parameters)),
          run: (parameters) => statement.run(...values(parameters)),
          iterate: (parameters) => statement.iterate(...values(parameters)),
        };
      },
    },
  });
}
