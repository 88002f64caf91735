import type { Kysely } from "kysely";
import { AUDIT_KINDS } from "../../ports/audit-columns.ts";
import type { AuditSnapshot, ChainEnds } from "../../ports/audit-store.ts";
import { type AnyTables, type AuditTables, columnsOf, TABLES } from "./audit-tables.ts";
import type { DurableSnapshot } from "./durable-database.ts";
import { compileQuery, type Slot } from "./durable-database.ts";
import { jsonRow } from "./sqlite-expressions.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Takes the snapshot over, and closes it. */
export async function openAuditSnapshot({ kysely, executeAsArrays, close }: DurableSnapshot): Promise<AuditSnapshot> {
  const untyped = kysely as unknown as Kysely<AnyTables>;
  const links = compileQuery((slot: Slot<Range>) =>
    kysely
      .selectFrom("audit_chain")
      .select(["seq", "kind", "hash"])
      .where("seq", ">=", slot("from"))
      .where("seq", "<=", slot("to"))
      .orderBy("seq"),
  );
  const rows = new Map(
    AUDIT_KINDS.map((kind) => [
      kind,
      compileQuery((slot: Slot<Range>) =>
        untyped
          .selectFrom(TABLES[kind].name)
          // SQLite writes the same JSON as JavaScript, in less than half the time that the columns would take one by one.
          .select(["seq", jsonRow(columnsOf(kind)).as("text")])
          .where("seq", ">=", slot("from"))
          .where("seq", "<=", slot("to"))
          .orderBy("seq")
          .$castTo<{ seq: number; text: string }>(),
      ),
    ]),
  );
  return {
    ends: toEnds(await kysely.selectFrom("audit_ends").selectAll().execute()),
    thinned: async () =>
      kysely
        .selectFrom("audit_thinned")
        .select(["seq as from", "last_seq as to", "hash", "seal"])
        .orderBy("seq")
        .execute(),
    async links(from, to) {
      return executeAsArrays(links({ from, to }));
    },
    async rows(kind, from, to) {
      const query = rows.get(kind);
      return query ? executeAsArrays(query({ from, to })) : [];
    },
    async close() {
      close();
    },
  };
}

/** From all rows of `audit_ends`. Null also where there are several, or not where they belong. */
export function toEnds([row, ...others]: readonly AuditTables["audit_ends"][]): ChainEnds | null {
  if (row?.seq !== 1 || others.length > 0) return null;
  const base = { seq: row.base_seq, hash: row.base_hash };
  return { base, head: { seq: row.head_seq, hash: row.head_hash }, seal: row.seal };
}
