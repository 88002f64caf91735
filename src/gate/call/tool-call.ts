import type { ChannelId } from "../../domain/ids.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";

export interface ToolCall {
  readonly name: string;
  /** As it came over the wire. */
  readonly args: unknown;
  readonly operation: Operation;
  /** Whether the answer is also wanted as text for a model. */
  readonly wantsText?: boolean;
  /** The answer stays in this process until its caller has awaited the audit. */
  readonly leavesLater?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A call that is being served. */
export interface OpenCall extends ToolCall {
  /** The channel in which the answer will be repeated; null for none. */
  readonly forId: ChannelId | null;
}

export interface ToolAnswer {
  /** As the tool's output schema says. */
  readonly value: unknown;
  /** For a model: what others wrote stands in a block that it cannot leave. Null when it was not asked for. */
  readonly text: string | null;
}
