import { type Kysely, sql } from "kysely";

/** A step of the migrations: once released, it is never changed. */
export async function createAgentTables(database: Kysely<unknown>): Promise<void> {
  await create(database, "agent_claims", {
    key: ["question_id"],
    text: ["question_id", "channel_id", "actor_id", "operation_id", "state"],
    integer: ["attempts", "claimed_at"],
  });
  await create(database, "agent_answers", {
    key: ["answer_id"],
    text: ["answer_id", "question_id", "channel_id", "actor_id", "operation_id"],
    integer: ["posted_at"],
  });
  await create(database, "agent_answer_sources", {
    key: ["answer_id", "message_id"],
    text: ["answer_id", "message_id", "channel_id", "author_id"],
  });
  await create(database, "episodes", {
    key: ["id"],
    text: ["id", "partner_id", "channel_id"],
    textOrNull: ["guild_id"],
    integer: ["is_bot", "started_at", "last_at"],
  });
  await create(database, "episode_messages", {
    key: ["episode_id", "message_id"],
    text: ["episode_id", "message_id", "author_id"],
    textOrNull: ["reply_to"],
    integer: ["is_bot", "sent_at"],
  });
  await create(database, "bot_turns", {
    key: ["channel_id", "bot_id"],
    text: ["channel_id", "bot_id"],
    integer: ["since_human", "answered_at"],
  });
  await index(database, "agent_claims", "state");
  await index(database, "agent_answers", "question_id");
  await index(database, "agent_answer_sources", "message_id");
  await index(database, "agent_answer_sources", "author_id");
  await index(database, "episodes", "partner_id");
  await index(database, "episodes", "last_at");
  await index(database, "episodes", "channel_id");
  await index(database, "episode_messages", "message_id");
  await index(database, "episode_messages", "author_id");
}

interface Columns {
  readonly key: readonly string[];
  readonly text: readonly string[];
  readonly textOrNull?: readonly string[];
  readonly integer?: readonly string[];
}

async function create(database: Kysely<unknown>, name: string, columns: Columns): Promise<void> {
  let table = database.schema.createTable(name);
  for (const each of columns.text) table = table.addColumn(each, "text", (column) => column.notNull());
  for (const each of columns.textOrNull ?? []) table = table.addColumn(each, "text");
  for (const each of columns.integer ?? []) table = table.addColumn(each, "integer", (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint(`${name}_key`, columns.key as never)
    .modifyEnd(sql`strict`)
    .execute();
}

async function index(database: Kysely<unknown>, table: string, column: string): Promise<void> {
  await database.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
