import type { DatabaseSync, StatementSync } from "node:sqlite";
import type {
  AuditKind,
  AuditSnapshot,
  ChainEnds,
  ChainLink,
  RowText,
  ThinnedInterval,
} from "../../ports/audit-store.ts";
import { type AuditTables, columnsOf, TABLES } from "./audit-tables.ts";

/** Takes the connection over, which sees one moment, and closes it. */
export function openAuditSnapshot(connection: DatabaseSync): AuditSnapshot {
  const prepare = (columns: string, table: string) => {
    const statement = connection.prepare(`SELECT ${columns} FROM ${table} WHERE seq BETWEEN ? AND ? ORDER BY seq`);
    statement.setReturnArrays(true);
    return statement;
  };
  const links = prepare("seq, kind, hash", "audit_chain");
  const rows = new Map<AuditKind, StatementSync>();
  return {
    ends: readEnds(connection.prepare("SELECT * FROM audit_ends")),
    async thinned() {
      const select = 'SELECT seq AS "from", last_seq AS "to", hash, seal FROM audit_thinned ORDER BY seq';
      return connection.prepare(select).all() as unknown as ThinnedInterval[];
    },
    links: async (from, to) => links.all(from, to) as unknown as ChainLink[],
    async rows(kind, from, to) {
      // SQLite writes the same JSON as JavaScript, in less than half the time that the columns would take one by one.
      const statement = rows.get(kind) ?? prepare(`seq, json_array(${columnsOf(kind)})`, TABLES[kind].name);
      rows.set(kind, statement);
      return statement.all(from, to) as unknown as RowText[];
    },
    async close() {
      if (connection.isOpen) connection.close();
    },
  };
}

/** From a statement that selects all of `audit_ends`. Null also where there are several, or not where they belong. */
export function readEnds(statement: StatementSync): ChainEnds | null {
  const [row, ...others] = statement.all() as unknown as EndsRow[];
  if (row?.seq !== 1 || others.length > 0) return null;
  const base = { seq: row.base_seq, hash: row.base_hash };
  return { base, head: { seq: row.head_seq, hash: row.head_hash }, seal: row.seal };
}

type EndsRow = AuditTables["audit_ends"];
