import type { ChannelId } from "../domain/ids.ts";
import type { Confirmations } from "../policy/confirmations.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { Progress } from "../ports/timelines.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { ReviewActions } from "./effects/review-actions.ts";

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

/** A call that is being served. */
export interface OpenCall extends ToolCall {
  /** Where what it reads will be repeated; null for nowhere. */
  readonly forId: ChannelId | null;
}

export interface ToolAnswer {
  /** As the tool's output schema says. */
  readonly value: unknown;
  /** For a model: what others wrote stands in a block that it cannot leave. Null when it was not asked for. */
  readonly text: string | null;
}

/** What a transport needs: the tools as data, and the only ways to have something done. */
export interface Gate extends ReviewActions {
  readonly tools: readonly Tool[];
  /** Whether a client may use a tool at all. */
  isFor(tool: Tool, client: Client): boolean;
  /** The only way a tool runs. Throws an `EarshotError`; `invalid` names the field that is wrong. */
  callTool(call: ToolCall): Promise<ToolAnswer>;
  readonly confirmations: Pick<Confirmations, "pending" | "find" | "reject">;
}

/** The id of the message or fact for which a short name, such as m7 or f2, stands in texts for a model; undefined where no text had it. */
export type IdOf = (operation: Operation, handle: string) => string | undefined;
