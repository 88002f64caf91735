import { INTERVALS } from "../../src/stores/sqlite/index-statements.ts";
import type { MessageRow } from "../../src/stores/sqlite/message-row.ts";
import type { PlaceRow } from "../../src/stores/sqlite/places.ts";

/**
 * What a column says about a person, and what becomes of that when the person is erased. `id`: the id itself, or words of theirs. `trace`: something
 * from which the id follows for somebody who knows more, such as the id of a message or a keyed hash.
 */
export type ColumnErasure =
  | { readonly holds: "nothing" }
  | {
      readonly holds: "id" | "trace";
      readonly becomes: "deleted" | "emptied";
      /** Why traces stay in rows that do not go. */
      readonly traceBecause?: string;
    }
  | { readonly holds: "id" | "trace"; readonly becomes: "kept"; readonly because: string };

type TableErasure<Table> = { readonly [Column in keyof Table]-?: ColumnErasure };

const nothing: ColumnErasure = { holds: "nothing" };
/** The row goes. */
const deletedId: ColumnErasure = { holds: "id", becomes: "deleted" };
const deletedTrace: ColumnErasure = { holds: "trace", becomes: "deleted" };
const emptied: ColumnErasure = { holds: "id", becomes: "emptied" };

const IN_AUDIT = "The audit says who had what done, until `audit.retentionDays` are over.";
const auditId: ColumnErasure = { holds: "id", becomes: "kept", because: IN_AUDIT };
const auditTrace: ColumnErasure = { holds: "trace", becomes: "kept", because: IN_AUDIT };
const RESTS_ON_MESSAGES =
  "Facts about projects, servers and other people rest on messages, by their ids and by keyed hashes of their words and authors.";
const basisTrace: ColumnErasure = { holds: "trace", becomes: "kept", because: RESTS_ON_MESSAGES };
/** The id itself where only that person could hear the fact, which goes. */
const basisRef: ColumnErasure = { holds: "id", becomes: "deleted", traceBecause: RESTS_ON_MESSAGES };
const answerTrace: ColumnErasure = {
  holds: "trace",
  becomes: "kept",
  because:
    "An answer that stands in Discord has to follow its sources; which question it answers is kept as long, by its id.",
};
const boundTrace: ColumnErasure = {
  holds: "trace",
  becomes: "kept",
  because: "An interval of ids of which everything was read may begin or end with any message.",
};

/** All columns of `earshot.db`. */
const DURABLE = {
  operations: {
    seq: nothing,
    hash: auditTrace,
    id: nothing,
    client: nothing,
    actor_id: auditId,
    guild_id: nothing,
    channel_id: auditTrace,
    thread_id: nothing,
    message_id: auditTrace,
    parent_message_id: auditTrace,
    purpose: nothing,
    destination: auditTrace,
    opened_at: nothing,
    expires_at: nothing,
  },
  policy_decisions: {
    seq: nothing,
    hash: auditTrace,
    id: nothing,
    operation_id: auditTrace,
    tool: nothing,
    effect: nothing,
    target: auditTrace,
    allowed: nothing,
    failed_check: nothing,
    reason: nothing,
    inputs_json: auditTrace,
    decided_at: nothing,
  },
  context_reads: {
    seq: nothing,
    hash: auditTrace,
    operation_id: auditTrace,
    tool: nothing,
    read_at: nothing,
    texts_hash: auditTrace,
    reads_json: auditId,
  },
  /** A view of the same rows. */
  agent_context_sources: {
    id: auditTrace,
    operation_id: auditTrace,
    source_type: nothing,
    source_ref: auditTrace,
    scope_type: nothing,
    scope_id: auditId,
    loaded_by: nothing,
    loaded_at: nothing,
    token_count: nothing,
    policy_decision_id: nothing,
  },
  confirmations: {
    seq: nothing,
    hash: auditTrace,
    id: nothing,
    operation_id: auditTrace,
    actor_id: auditId,
    tool: nothing,
    destination: auditTrace,
    action_hash: auditTrace,
    created_at: nothing,
    expires_at: nothing,
  },
  audit_events: {
    seq: nothing,
    hash: auditTrace,
    operation_id: auditTrace,
    name: nothing,
    detail_json: auditId,
    happened_at: nothing,
  },
  audit_thinned: { seq: nothing, last_seq: nothing, hash: auditTrace, seal: nothing },
  audit_ends: {
    seq: nothing,
    base_seq: nothing,
    base_hash: auditTrace,
    head_seq: nothing,
    head_hash: auditTrace,
    seal: nothing,
  },
  memory_facts: {
    id: nothing,
    scope_type: nothing,
    scope_id: deletedId,
    subject_id: deletedId,
    guild_id: nothing,
    audience_ref: nothing,
    key: nothing,
    value_json: basisTrace,
    visibility: nothing,
    source_type: nothing,
    source_ref: basisRef,
    source_excerpt_hash: basisTrace,
    created_by: emptied,
    verification_status: nothing,
    confidence: nothing,
    expires_at: nothing,
    deleted_at: nothing,
    created_at: nothing,
    updated_at: nothing,
    version: nothing,
    sources_json: basisRef,
  },
  fact_removal_requests: { fact_id: nothing, user_id: deletedId, requested_at: nothing },
  // Goes with its fact.
  memory_fact_uses: { fact_id: nothing, version: nothing, month: nothing, place: nothing, times: nothing },
  kept_facts: { fact_id: nothing, kept_at: nothing },
  memory_store: { seq: nothing, store_id: nothing },
  left_guilds: { guild_id: nothing, left_at: nothing },
  opt_outs: {
    hash: {
      holds: "trace",
      becomes: "kept",
      because: "Who asked to be left out stays left out: a keyed hash of the id, until they take it back.",
    },
    opted_out_at: nothing,
  },
  answer_jobs: {
    question_id: answerTrace,
    channel_id: answerTrace,
    actor_id: emptied,
    operation_id: answerTrace,
    state: nothing,
    attempts: nothing,
    claimed_at: nothing,
    attempted_at: nothing,
    posted_at: nothing,
  },
  answer_messages: { answer_id: nothing, question_id: answerTrace },
  stored_sources: { owner_id: nothing, type: nothing, ref: basisRef, person_id: deletedId },
  episodes: {
    id: nothing,
    partner_id: deletedId,
    channel_id: deletedTrace,
    guild_id: nothing,
    is_bot: nothing,
    started_at: nothing,
    last_at: nothing,
  },
  episode_messages: {
    episode_id: nothing,
    message_id: deletedTrace,
    author_id: deletedId,
    reply_to: deletedTrace,
    is_bot: nothing,
    sent_at: nothing,
  },
  // Of bots that the operator lists, and of nobody else.
  bot_turns: { channel_id: nothing, bot_id: nothing, since_human: nothing, answered_at: nothing },
  restores: { seq: nothing, restored_at: nothing, backup_at: nothing, replaced: nothing, facts_until: nothing },
  sign_ins: {
    id: deletedTrace,
    person_id: deletedId,
    client_id: nothing,
    program: nothing,
    redirect_host: nothing,
    allowed: nothing,
    created_at: nothing,
    used_at: nothing,
    expires_at: nothing,
  },
  sign_in_tokens: {
    hash: deletedTrace,
    kind: nothing,
    sign_in_id: deletedTrace,
    payload_json: deletedId,
    expires_at: nothing,
    consumed_at: nothing,
  },
  sign_in_programs: { client_id: nothing, metadata_json: nothing, created_at: nothing },
  last_heard: { bot_id: nothing, shard: nothing, shards: nothing, heard_at: nothing },
  spend_windows: { kind: nothing, id: deletedId, ends_at: nothing, tokens: nothing },
  spend_day: { started_at: nothing, input_tokens: nothing, output_tokens: nothing },
} as const satisfies Readonly<Record<string, TableErasure<object>>>;

const KEYS = {
  store: { id: nothing },
  // The key with which ids are hashed is everybody's.
  keys: { slot: nothing, name: deletedId, key: deletedTrace },
} as const;

const INDEXED = {
  meta: { version: nothing, heard: nothing },
  place: { n: nothing, channel: nothing, guild: nothing, thread: nothing } satisfies TableErasure<PlaceRow>,
  [INTERVALS]: { channel: nothing, first: boundTrace, last: boundTrace, since: nothing },
  message: {
    id: deletedTrace,
    place: nothing,
    author: deletedId,
    name: deletedId,
    traits: nothing,
    ts: nothing,
    edited: nothing,
    reply: {
      holds: "trace",
      becomes: "kept",
      because: "What others wrote stays as it is, with the id of the message that it answers.",
    },
    link: deletedTrace,
    content: deletedId,
    parts: nothing,
    attachments: deletedId,
  } satisfies TableErasure<MessageRow>,
  gram: { grams: deletedId },
  // FTS5's own, in which the entries of `gram` are.
  gram_config: { k: nothing, v: nothing },
  gram_data: { id: nothing, block: deletedId },
  gram_idx: { segid: nothing, term: deletedId, pgno: nothing },
  sqlite_sequence: { name: nothing, seq: nothing },
} as const;

/** By file, table and column: every column of every database that is written. */
export const COLUMN_ERASURE = {
  "earshot.db": DURABLE,
  "keys.db": KEYS,
  "timeline/messages.db": INDEXED,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, ColumnErasure>>>>>>;
