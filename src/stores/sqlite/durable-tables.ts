import type { GuildId, UserId } from "../../domain/ids.ts";
import type { Claim } from "../../ports/answer-store.ts";
import type { FactRow, FactSourceRow } from "../../ports/fact-store.ts";
import type { RestoreNote } from "../../ports/restore-store.ts";
import type { SpendWindow } from "../../ports/spend-store.ts";
import type { AuditTables } from "./audit-tables.ts";

interface MemoryTables {
  readonly memory_facts: FactRow & {
    /** The first of its sources. */
    readonly source_type: string;
    readonly source_ref: string;
    readonly source_excerpt_hash: string;
    /** When it began to end: it is read no longer. The row is deleted as soon as its key is. */
    readonly deleted_at: number | null;
    /** Always when it was created. */
    readonly updated_at: number;
    /** What it rests on, in order: each with its type, reference, hash, and 1 if it is its person's own. */
    readonly sources_json: string;
  };
  /** Only to find the facts that rest on something. */
  readonly memory_fact_sources: Pick<FactSourceRow, "source_type" | "source_ref"> & {
    readonly fact_id: string;
    /** The place among the sources of its fact, from 0. */
    readonly position: number;
  };
  /** Who asks for a fact to be removed, because it names them. */
  readonly fact_removal_requests: {
    readonly fact_id: string;
    readonly user_id: UserId;
    readonly requested_at: number;
  };
  /** When facts were last handed out, and kept by their person; 0 for never. */
  readonly memory_fact_uses: { readonly fact_id: string; readonly used_at: number; readonly kept_at: number };
  /** One row, at place 1. */
  readonly memory_store: { readonly seq: number; readonly store_id: string };
  /** Servers that the bot has left. */
  readonly left_guilds: { readonly guild_id: GuildId; readonly left_at: number };
  readonly opt_outs: { readonly hash: string; readonly opted_out_at: number };
  readonly restores: RestoreNote & { readonly seq: number };
}

/** What the agent answered and with whom it talked, by ids alone. */
interface AgentTables {
  readonly agent_claims: {
    readonly question_id: string;
    readonly channel_id: string;
    readonly actor_id: string;
    readonly operation_id: string;
    readonly state: Claim["state"];
    readonly attempts: number;
    readonly claimed_at: number;
    readonly attempted_at: number;
  };
  readonly agent_answers: {
    readonly answer_id: string;
    readonly question_id: string;
    readonly channel_id: string;
    readonly actor_id: string;
    readonly operation_id: string;
    readonly posted_at: number;
  };
  readonly agent_answer_sources: {
    readonly answer_id: string;
    readonly kind: "message" | "fact" | "passage" | "profile" | "gone";
    readonly ref: string;
    readonly channel_id: string;
    readonly author_id: string;
  };
  readonly episodes: {
    readonly id: string;
    /** With whom the agent talked. */
    readonly partner_id: string;
    readonly channel_id: string;
    readonly guild_id: string | null;
    readonly is_bot: number;
    readonly started_at: number;
    readonly last_at: number;
  };
  readonly episode_messages: {
    readonly episode_id: string;
    readonly message_id: string;
    readonly author_id: string;
    readonly reply_to: string | null;
    readonly is_bot: number;
    readonly sent_at: number;
  };
  readonly bot_turns: {
    readonly channel_id: string;
    readonly bot_id: string;
    /** How often the bot has addressed the agent there since a person last spoke. */
    readonly since_human: number;
    /** When it was last answered there; 0 for never. */
    readonly answered_at: number;
  };
}

/** What calls of a model have used. */
interface SpendTables {
  readonly spend_windows: {
    readonly kind: SpendWindow["kind"];
    readonly id: string;
    readonly ends_at: number;
    readonly tokens: number;
  };
  /** One row at most: the last day. */
  readonly spend_day: { readonly started_at: number; readonly input_tokens: number; readonly output_tokens: number };
}

/** All tables of `earshot.db`. */
export type DurableTables = AuditTables & MemoryTables & AgentTables & SpendTables;
