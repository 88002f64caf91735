import type { GuildId } from "../../domain/ids.ts";
import type { FactRow, FactSourceRow } from "../../ports/fact-store.ts";
import type { AuditTables } from "./audit-tables.ts";

interface MemoryTables {
  readonly memory_facts: FactRow;
  readonly memory_fact_sources: Omit<FactSourceRow, "is_own"> & {
    readonly fact_id: string;
    /** The place among the sources of its fact, from 0. */
    readonly position: number;
    readonly is_own: number;
  };
  /** One row, at place 1. */
  readonly memory_store: { readonly seq: number; readonly store_id: string };
  /** Servers that the bot has left. */
  readonly left_guilds: { readonly guild_id: GuildId; readonly left_at: number };
  readonly opt_outs: { readonly hash: string; readonly opted_out_at: number };
}

/** All tables of `earshot.db`. */
export type DurableTables = AuditTables & MemoryTables;
