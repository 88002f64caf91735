import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

// What SQLite writes otherwise than other databases.

/** The greatest of some columns of one row. */
export function greatest(columns: readonly string[]): RawBuilder<number> {
  const [only, ...others] = columns.map((column) => sql.ref<number>(column));
  return only && others.length === 0 ? only : sql`max(${sql.join(columns.map((column) => sql.ref(column)))})`;
}

/** A member of a JSON object in a column, as a value of SQL; null when there is none. */
export function jsonValue<Value>(column: string, path: string): RawBuilder<Value | null> {
  return sql`${sql.ref(column)} ->> ${sql.lit(path)}`;
}

/** Columns of one row as a JSON array, written as `JSON.stringify` writes it. */
export function jsonRow(columns: readonly string[]): RawBuilder<string> {
  return sql`json_array(${sql.join(columns.map((column) => sql.ref(column)))})`;
}

/** Whether a column is in a list that is given as a JSON array of texts: one parameter, however long the list is. */
export function isInJsonList(column: string, list: Expression<string>): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} in (select value from json_each(${list}))`;
}
