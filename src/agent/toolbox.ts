import { EarshotError } from "../domain/errors.ts";
import type { Gate } from "../gate/gate.ts";
import type { Operation } from "../policy/operation.ts";
import type { Toolbox } from "./answerer.ts";

/** A call that an answer took. */
export interface CallNote {
  readonly tool: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}

/** All calls of one question, within its operation. `notes` grows with each. */
export function createToolbox(
  { operation, signal }: { readonly operation: Operation; readonly signal?: AbortSignal | undefined },
  gate: Pick<Gate, "callTool">,
): Toolbox & { readonly notes: readonly CallNote[] } {
  const notes: CallNote[] = [];
  return {
    notes,
    async call(tool, args) {
      try {
        const { value } = await gate.callTool({ name: tool.name, args, operation, ...(signal && { signal }) });
        notes.push({ tool: tool.name, outcome: "ok" });
        return tool.output.parse(value);
      } catch (error) {
        notes.push({ tool: tool.name, outcome: error instanceof EarshotError ? error.code : "internal" });
        throw error;
      }
    },
  };
}
