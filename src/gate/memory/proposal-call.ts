import type { Operation } from "../../policy/operation.ts";
import type { CallRecord } from "../call/call-record.ts";
import type { EffectAccess } from "../call/effect-access.ts";
import type { FactReads } from "./fact-reads.ts";

export interface ProposalCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: EffectAccess;
  readonly record: CallRecord;
  facts(): FactReads;
  /** Reads again what may have changed unheard. */
  refresh(): Promise<void>;
}
