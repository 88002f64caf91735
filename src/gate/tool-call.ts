import type { Operation } from "../policy/operation.ts";
import type { Progress } from "../ports/timelines.ts";

export interface ToolCall {
  readonly name: string;
  /** As it came over the wire. */
  readonly args: unknown;
  readonly operation: Operation;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}
