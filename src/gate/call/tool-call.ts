import type { ChannelId } from "../../domain/ids.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Lend } from "./call-time.ts";

export interface ToolCall {
  readonly name: string;
  /** Unvalidated. */
  readonly args: unknown;
  readonly operation: Operation;
  readonly wantsText?: boolean;
  /** The caller awaits the audit before the answer leaves this process. */
  readonly leavesLater?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface OpenCall extends ToolCall {
  /** The channel in which the answer will be repeated; null for none. */
  readonly forId: ChannelId | null;
  readonly lend: Lend;
}

export interface ToolAnswer {
  /** Matches the tool's output schema. */
  readonly value: unknown;
  /** For a model, with text by others in a block that it cannot leave. Null unless requested. */
  readonly text: string | null;
}
