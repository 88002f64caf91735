/** Stored in the file, and incremented with every change of the tables. A file of another version is refused. */
export const SCHEMA_VERSION = 8;

/** Indexes for paged reads have the order of the query, so that a page needs no sort of all matches. */
export const SCHEMA = `
  CREATE TABLE operations (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, id TEXT NOT NULL, client TEXT NOT NULL, actor_id TEXT NOT NULL, channel_id TEXT NOT NULL,
    purpose TEXT NOT NULL, destination TEXT NOT NULL, guild_id TEXT, thread_id TEXT, message_id TEXT,
    parent_message_id TEXT, opened_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX operations_by_id ON operations (id);
  CREATE TABLE policy_decisions (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, id TEXT NOT NULL, operation_id TEXT NOT NULL, tool TEXT NOT NULL, effect TEXT NOT NULL,
    target TEXT NOT NULL, reason TEXT NOT NULL, inputs_json TEXT NOT NULL, failed_check TEXT,
    allowed INTEGER NOT NULL, decided_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX policy_decisions_by_operation_id ON policy_decisions (operation_id);
  CREATE TABLE context_reads (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, operation_id TEXT NOT NULL, tool TEXT NOT NULL, texts_hash TEXT NOT NULL,
    reads_json TEXT NOT NULL, read_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX context_reads_by_operation_id ON context_reads (operation_id);
  CREATE VIEW agent_context_sources AS
    SELECT (part.value ->> 'type') || ' ' || (part.value ->> 'prefix') || source.key AS id, operation_id,
      part.value ->> 'type' AS source_type, (part.value ->> 'prefix') || source.key AS source_ref,
      part.value ->> 'scope_type' AS scope_type, part.value ->> 'scope_id' AS scope_id, tool AS loaded_by,
      read_at AS loaded_at, CAST(source.value || '' AS INTEGER) AS token_count,
      part.value ->> 'decision' AS policy_decision_id
    FROM context_reads, json_each(reads_json) AS part, json_each(part.value -> 'sources') AS source;
  CREATE TABLE confirmations (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, id TEXT NOT NULL, operation_id TEXT NOT NULL, actor_id TEXT NOT NULL, tool TEXT NOT NULL,
    destination TEXT NOT NULL, action_hash TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX confirmations_by_operation_id ON confirmations (operation_id);
  CREATE TABLE audit_events (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, operation_id TEXT NOT NULL, name TEXT NOT NULL, detail_json TEXT NOT NULL,
    happened_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX audit_events_by_operation_id ON audit_events (operation_id);
  CREATE INDEX audit_events_of_messages ON audit_events (detail_json ->> 'message_id')
    WHERE name in ('send_done', 'send_found');
  CREATE TABLE audit_ends (
    seq INTEGER PRIMARY KEY, base_hash TEXT NOT NULL, head_hash TEXT NOT NULL, seal TEXT NOT NULL,
    base_seq INTEGER NOT NULL, head_seq INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE audit_thinned (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, seal TEXT NOT NULL, last_seq INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX audit_thinned_by_last_seq ON audit_thinned (last_seq);

  CREATE TABLE memory_facts (
    id TEXT NOT NULL PRIMARY KEY, scope_type TEXT NOT NULL, scope_id TEXT NOT NULL, key TEXT NOT NULL,
    value_json TEXT NOT NULL, visibility TEXT NOT NULL, source_type TEXT NOT NULL, source_ref TEXT NOT NULL,
    source_excerpt_hash TEXT NOT NULL, created_by TEXT NOT NULL, verification_status TEXT NOT NULL, subject_id TEXT,
    guild_id TEXT, audience_ref TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL, expires_at INTEGER, deleted_at INTEGER, confidence REAL NOT NULL,
    sources_json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX memory_facts_by_scope ON memory_facts (scope_type, scope_id, created_at, id);
  CREATE INDEX memory_facts_by_key ON memory_facts (key, version);
  CREATE INDEX memory_facts_by_subject_id ON memory_facts (subject_id, created_at, id);
  CREATE INDEX memory_facts_by_guild_id ON memory_facts (guild_id, created_at, id);
  CREATE INDEX memory_facts_by_created_by ON memory_facts (created_by, created_at, id);
  CREATE INDEX memory_facts_by_age ON memory_facts (created_at, id);
  CREATE INDEX memory_facts_by_expires_at ON memory_facts (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX memory_facts_by_deleted_at ON memory_facts (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE stored_sources (
    owner_id TEXT NOT NULL, type TEXT NOT NULL, ref TEXT NOT NULL, person_id TEXT NOT NULL,
    PRIMARY KEY (owner_id, type, ref, person_id)
  ) STRICT;
  CREATE INDEX stored_sources_by_ref ON stored_sources (type, ref);
  CREATE INDEX stored_sources_by_person_id ON stored_sources (person_id) WHERE person_id <> '';
  CREATE TABLE memory_fact_uses (
    fact_id TEXT NOT NULL, version INTEGER NOT NULL, month TEXT NOT NULL, place TEXT NOT NULL, times INTEGER NOT NULL,
    PRIMARY KEY (fact_id, version, month, place)
  ) STRICT;
  CREATE TABLE kept_facts (fact_id TEXT NOT NULL PRIMARY KEY, kept_at INTEGER NOT NULL) STRICT;
  CREATE TABLE fact_removal_requests (
    fact_id TEXT NOT NULL, user_id TEXT NOT NULL, requested_at INTEGER NOT NULL, PRIMARY KEY (fact_id, user_id)
  ) STRICT;
  CREATE INDEX fact_removal_requests_by_user_id ON fact_removal_requests (user_id);
  CREATE TABLE memory_store (seq INTEGER PRIMARY KEY, store_id TEXT NOT NULL) STRICT;
  CREATE TABLE left_guilds (guild_id TEXT NOT NULL PRIMARY KEY, left_at INTEGER NOT NULL) STRICT;
  CREATE TABLE opt_outs (hash TEXT NOT NULL PRIMARY KEY, opted_out_at INTEGER NOT NULL) STRICT;
  CREATE TABLE sign_ins (
    id TEXT NOT NULL PRIMARY KEY, person_id TEXT NOT NULL, client_id TEXT NOT NULL, program TEXT NOT NULL,
    redirect_host TEXT NOT NULL, allowed TEXT NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE INDEX sign_ins_by_client_id ON sign_ins (client_id);
  CREATE TABLE sign_in_tokens (
    hash TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, sign_in_id TEXT NOT NULL, payload_json TEXT NOT NULL,
    expires_at INTEGER NOT NULL, consumed_at INTEGER
  ) STRICT;
  CREATE INDEX sign_in_tokens_by_sign_in_id ON sign_in_tokens (sign_in_id);
  CREATE TABLE sign_in_programs (
    client_id TEXT NOT NULL PRIMARY KEY, metadata_json TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE restores (
    seq INTEGER PRIMARY KEY, replaced TEXT NOT NULL, restored_at INTEGER NOT NULL, backup_at INTEGER NOT NULL,
    facts_until INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE answer_jobs (
    question_id TEXT NOT NULL PRIMARY KEY, channel_id TEXT NOT NULL, actor_id TEXT NOT NULL, operation_id TEXT NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL, claimed_at INTEGER NOT NULL, attempted_at INTEGER NOT NULL,
    posted_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX answer_jobs_by_state ON answer_jobs (state);
  CREATE INDEX answer_jobs_by_age ON answer_jobs (posted_at, question_id);
  CREATE TABLE answer_messages (answer_id TEXT NOT NULL PRIMARY KEY, question_id TEXT NOT NULL) STRICT;
  CREATE INDEX answer_messages_by_question_id ON answer_messages (question_id);
  CREATE TABLE episodes (
    id TEXT NOT NULL PRIMARY KEY, partner_id TEXT NOT NULL, channel_id TEXT NOT NULL, guild_id TEXT,
    is_bot INTEGER NOT NULL, started_at INTEGER NOT NULL, last_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX episodes_by_partner_id ON episodes (partner_id);
  CREATE INDEX episodes_by_last_at ON episodes (last_at);
  CREATE INDEX episodes_by_channel_id ON episodes (channel_id);
  CREATE TABLE episode_messages (
    episode_id TEXT NOT NULL, message_id TEXT NOT NULL, author_id TEXT NOT NULL, reply_to TEXT,
    is_bot INTEGER NOT NULL, sent_at INTEGER NOT NULL, PRIMARY KEY (episode_id, message_id)
  ) STRICT;
  CREATE INDEX episode_messages_by_message_id ON episode_messages (message_id);
  CREATE INDEX episode_messages_by_author_id ON episode_messages (author_id);
  CREATE TABLE bot_turns (
    channel_id TEXT NOT NULL, bot_id TEXT NOT NULL, since_human INTEGER NOT NULL, answered_at INTEGER NOT NULL,
    PRIMARY KEY (channel_id, bot_id)
  ) STRICT;
  CREATE TABLE last_heard (
    bot_id TEXT NOT NULL, shard INTEGER NOT NULL, shards INTEGER NOT NULL, heard_at INTEGER NOT NULL,
    PRIMARY KEY (bot_id, shard, shards)
  ) STRICT;
  CREATE TABLE spend_windows (
    kind TEXT NOT NULL, id TEXT NOT NULL, ends_at INTEGER NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX spend_windows_by_ends_at ON spend_windows (ends_at);
  CREATE TABLE spend_day (
    started_at INTEGER NOT NULL PRIMARY KEY, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL
  ) STRICT;
`;

export interface Table {
  readonly name: string;
  /** The primary key. */
  readonly key: readonly string[];
}

/** The tables of a schema. */
export function tablesOf(schema: string): readonly Table[] {
  return [...schema.matchAll(/CREATE TABLE (\w+) \(([^;]+)\) STRICT;/g)].map(([, name = "", columns = ""]) => {
    const key = /PRIMARY KEY \(([^)]+)\)/.exec(columns) ?? /(\w+) \w+ (?:NOT NULL )?PRIMARY KEY/.exec(columns);
    return { name, key: key?.[1]?.split(", ") ?? [] };
  });
}

/** Incremented with every change of the tables in `keys.db`. */
export const KEYS_VERSION = 2;

/**
 * A key never moves: its slot is overwritten in place when the key is deleted, and reused later. SQLite leaves copies behind when it moves
 * rows between pages, and a table ordered by name, or an index on it, would cause that.
 */
export const KEYS_SCHEMA = `
  CREATE TABLE store (id TEXT NOT NULL) STRICT;
  CREATE TABLE keys (slot INTEGER PRIMARY KEY, name TEXT NOT NULL, key BLOB NOT NULL) STRICT;
`;
