import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { createAgentTables } from "./create-agent-tables.ts";
import { createMemoryTables } from "./create-memory-tables.ts";
import { createSpendTables } from "./create-spend-tables.ts";
import { createUseTable } from "./create-use-table.ts";
import { moveSources } from "./move-sources.ts";
import { messageOfEvent, tellsSending } from "./sent-messages.ts";

/**
 * How the durable database came to be what it is, step by step. A step that was released is never changed; its name says its place
 * in the order.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-audit": {
    async up(database: Kysely<unknown>) {
      await createTable(database, "operations", {
        text: ["id", "client", "actor_id", "channel_id", "purpose", "destination"],
        textOrNull: ["guild_id", "thread_id", "message_id", "parent_message_id"],
        integer: ["opened_at", "expires_at"],
      });
      await createTable(database, "policy_decisions", {
        text: ["id", "operation_id", "tool", "effect", "target", "reason", "inputs_json"],
        textOrNull: ["failed_check"],
        integer: ["allowed", "decided_at"],
      });
      await createTable(database, "agent_context_sources", {
        text: [
          ...["id", "operation_id", "source_type", "source_ref", "source_hash", "scope_type", "scope_id"],
          ...["loaded_by", "policy_decision_id"],
        ],
        integer: ["loaded_at", "token_count"],
      });
      await createTable(database, "confirmations", {
        text: ["id", "operation_id", "actor_id", "tool", "destination", "action_hash"],
        integer: ["created_at", "expires_at"],
      });
      await createTable(database, "audit_events", {
        text: ["operation_id", "name", "detail_json"],
        integer: ["happened_at"],
      });
      await createTable(database, "audit_chain", { text: ["kind", "hash"] });
      await createTable(database, "audit_ends", {
        text: ["base_hash", "head_hash", "seal"],
        integer: ["base_seq", "head_seq"],
      });
      await createIndex(database, "operations", "id");
      for (const table of ["policy_decisions", "agent_context_sources", "confirmations", "audit_events"])
        await createIndex(database, table, "operation_id");
    },
  },
  "0002-thinned": {
    async up(database: Kysely<unknown>) {
      await createTable(database, "audit_thinned", { text: ["hash", "seal"], integer: ["last_seq"] });
      await createIndex(database, "audit_thinned", "last_seq");
    },
  },
  "0003-memory": { up: createMemoryTables },
  "0004-left-guilds": {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable("left_guilds")
        .addColumn("guild_id", "text", (column) => column.primaryKey().notNull())
        .addColumn("left_at", "integer", (column) => column.notNull())
        .modifyEnd(sql`strict`)
        .execute();
    },
  },
  "0005-fact-uses": {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createIndex("agent_context_sources_of_facts")
        .on("agent_context_sources")
        .columns(["source_ref", "loaded_at"])
        .where(sql.ref("source_type"), "=", "memory_fact")
        .execute();
    },
  },
  "0006-agent": { up: createAgentTables },
  "0007-spending": { up: createSpendTables },
  "0008-sent-messages": {
    async up(database: Kysely<unknown>) {
      await sql`create index audit_events_of_messages on audit_events (${messageOfEvent}) where ${tellsSending}`.execute(
        database,
      );
    },
  },
  "0009-last-uses": { up: createUseTable },
  "0010-removal-requests": {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable("fact_removal_requests")
        .addColumn("fact_id", "text", (column) => column.notNull())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("requested_at", "integer", (column) => column.notNull())
        .addPrimaryKeyConstraint("fact_removal_requests_key", ["fact_id", "user_id"])
        .modifyEnd(sql`strict`)
        .execute();
      await createIndex(database, "fact_removal_requests", "user_id");
    },
  },
  "0011-fact-history": {
    async up(database: Kysely<unknown>) {
      const index = (name: string) => database.schema.createIndex(`memory_facts_by_${name}`).on("memory_facts");
      await index("superseded_by").column("superseded_by").where(sql.ref("superseded_by"), "is not", null).execute();
      await index("audience_ref").columns(["audience_ref", "scope_id", "created_at", "id"]).execute();
    },
  },
  "0012-fact-uses-by-scope": {
    // An answer tells facts of one person: by scope they stand on one page of the index, not on one each.
    up: (database: Kysely<unknown>) => indexFactsAgain(database, ["scope_id", "source_ref", "loaded_at"]),
  },
  "0013-sources-of-facts": { up: moveSources },
  "0014-fact-uses-by-time": {
    // What is told later stands behind: somebody who asks often would otherwise have as many pages changed as there are facts in the answer.
    up: (database: Kysely<unknown>) => indexFactsAgain(database, ["scope_id", "loaded_at", "source_ref"]),
  },
  "0015-claim-attempts": {
    async up(database: Kysely<unknown>) {
      await database.schema
        .alterTable("agent_claims")
        .addColumn("attempted_at", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      await sql`update agent_claims set attempted_at = claimed_at`.execute(database);
    },
  },
  "0016-restores": {
    up: (database: Kysely<unknown>) =>
      createTable(database, "restores", { text: ["replaced"], integer: ["restored_at", "backup_at", "facts_until"] }),
  },
  "0017-kinds-of-sources": {
    async up(database: Kysely<unknown>) {
      const sources = "agent_answer_sources";
      await database.schema.alterTable(sources).renameColumn("message_id", "ref").execute();
      await database.schema
        .alterTable(sources)
        .addColumn("kind", "text", (column) => column.notNull().defaultTo("message"))
        .execute();
      await sql`update agent_answer_sources set kind = 'gone' where ref = ''`.execute(database);
      await sql`update agent_answer_sources set kind = 'passage', ref = substr(ref, 6) where ref like 'docs:%'`.execute(
        database,
      );
      await sql`update agent_answer_sources set ref = substr(ref, 6), kind = iif(instr(ref, '/') > 0, 'profile', 'fact')
        where ref like 'fact:%'`.execute(database);
    },
  },
};

async function indexFactsAgain(database: Kysely<unknown>, columns: readonly string[]): Promise<void> {
  await database.schema.dropIndex("agent_context_sources_of_facts").execute();
  await database.schema
    .createIndex("agent_context_sources_of_facts")
    .on("agent_context_sources")
    .columns([...columns])
    .where(sql.ref("source_type"), "=", "memory_fact")
    .execute();
}

interface Columns {
  readonly text?: readonly string[];
  readonly textOrNull?: readonly string[];
  readonly integer?: readonly string[];
}

async function createTable(database: Kysely<unknown>, name: string, columns: Columns): Promise<void> {
  let table = database.schema.createTable(name).addColumn("seq", "integer", (column) => column.primaryKey());
  for (const each of columns.text ?? []) table = table.addColumn(each, "text", (column) => column.notNull());
  for (const each of columns.textOrNull ?? []) table = table.addColumn(each, "text");
  for (const each of columns.integer ?? []) table = table.addColumn(each, "integer", (column) => column.notNull());
  await table.modifyEnd(sql`strict`).execute();
}

async function createIndex(database: Kysely<unknown>, table: string, column: string): Promise<void> {
  await database.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
