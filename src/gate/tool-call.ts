import type { Operation } from "../policy/operation.ts";
import type { Progress } from "../ports/timelines.ts";

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
