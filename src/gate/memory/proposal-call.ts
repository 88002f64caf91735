import type { ChannelId, GuildId } from "../../domain/ids.ts";
import type { Scope } from "../../policy/grant.ts";
import type { Operation } from "../../policy/operation.ts";
import type { FactReads } from "./fact-reads.ts";

/** What a call may do. */
interface ProposalAccess {
  /** Whether grant and roles allow a scope in a server, or outside of any. */
  holds(scope: Scope, guildId: GuildId | null): boolean;
  learn(id: ChannelId): Promise<void>;
  /** Throws unless the actor may be shown something based on everything that was read. */
  mustTellActor(): void;
}

interface ProposalRecord {
  event(name: string, detail: Readonly<Record<string, unknown>>): void;
  refused(reason: "scope_not_granted" | "role_lacks_scope"): void;
}

export interface ProposalCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: ProposalAccess;
  readonly record: ProposalRecord;
  facts(): FactReads;
  /** Reads again what may have changed unheard. */
  refresh(): Promise<void>;
}
