import type { UserId } from "../domain/ids.ts";
import type { WayName } from "../domain/memory/remember-request.ts";
import type { Confirmations, Deciding } from "../policy/confirmations.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { Progress } from "../ports/timelines.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { ProposalPreview } from "./memory/own-facts.ts";

export interface ToolCall {
  readonly name: string;
  /** As it came over the wire. */
  readonly args: unknown;
  readonly operation: Operation;
  /** Whether the answer is also wanted as text for a model. */
  readonly wantsText?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ToolAnswer {
  /** As the tool's output schema says. */
  readonly value: unknown;
  /** For a model: what others wrote stands in a block that it cannot leave. Null when it was not asked for. */
  readonly text: string | null;
}

/** What a transport needs: the tools as data, and the only ways to have something done. */
export interface Gate {
  readonly tools: readonly Tool[];
  /** Whether a client may use a tool at all. */
  isFor(tool: Tool, client: Client): boolean;
  /** The only way a tool runs. Throws an `EarshotError`; `invalid` names the field that is wrong. */
  callTool(call: ToolCall): Promise<ToolAnswer>;
  readonly confirmations: Pick<Confirmations, "pending" | "find" | "reject">;
  /** Whether this person may be shown an action that waits for their confirmation: they may still know everything it is based on. */
  mayReview(id: string, actor: UserId, deciding?: Deciding): Promise<boolean>;
  /** What something to be remembered or forgotten would do, for this person alone, once `mayReview` has said yes. */
  preview(id: string, actor: UserId, deciding?: Deciding): Promise<ProposalPreview>;
  /**
   * Does what waits for this person's confirmation; of something to be remembered, in the way that they chose. Throws `not_found` if nothing waits
   * for them, and as `callTool` if it may no longer be done.
   */
  confirm(id: string, actor: UserId, deciding?: Deciding & { readonly way?: WayName }): Promise<void>;
}
