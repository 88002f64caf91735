import { EarshotError } from "../domain/errors.ts";
import type { Gate, IdOf } from "../gate/gate.ts";
import type { Operation } from "../policy/operation.ts";
import type { OperationSpending } from "../ports/operation-spending.ts";
import type { Toolbox } from "./answerer.ts";

/** A tool call made for an answer. */
export interface CallNote {
  readonly tool: string;
  /** `ok`, or the error code. */
  readonly outcome: string;
}

export interface ToolboxDeps {
  readonly gate: Pick<Gate, "callTool" | "tools" | "isFor">;
  readonly idOf: IdOf;
  /** Absent without a model that costs tokens: nothing is limited then. */
  readonly spending?: { of(operation: Operation): OperationSpending } | undefined;
}

export interface ToolboxRequest {
  readonly operation: Operation;
  readonly signal?: AbortSignal | undefined;
  /** @see ToolCall */
  readonly leavesLater?: boolean | undefined;
}

/** For an optional call. */
export function nothingIfRefused(error: unknown): null {
  if (error instanceof EarshotError && error.code !== "cancelled") return null;
  throw error;
}

const UNLIMITED: OperationSpending = { reserve: () => ({ settle: () => undefined }) };

/** All calls of one question, within its operation, recorded in `notes`. */
export function createToolbox(
  { operation, signal, leavesLater = false }: ToolboxRequest,
  { gate, idOf, spending }: ToolboxDeps,
): Toolbox & { readonly notes: readonly CallNote[] } {
  const notes: CallNote[] = [];
  const tools = gate.tools.filter((tool) => gate.isFor(tool, operation.client));
  const note = (name: string, outcome: string) => {
    // A model may send any name.
    notes.push({ tool: tools.some((tool) => tool.name === name) ? name : "unknown", outcome });
  };
  async function callTool(name: string, args: unknown, wantsText: boolean) {
    try {
      const answer = await gate.callTool({ name, args, operation, wantsText, leavesLater, ...(signal && { signal }) });
      note(name, "ok");
      return answer;
    } catch (error) {
      note(name, error instanceof EarshotError ? error.code : "internal");
      throw error;
    }
  }
  return {
    notes,
    tools,
    nonce: operation.nonce,
    signal,
    spending: spending?.of(operation) ?? UNLIMITED,
    idOf: (handle) => idOf(operation, handle),
    async call(tool, args) {
      const { value } = await callTool(tool.name, args, false);
      return tool.output.parse(value);
    },
    async run(name, args) {
      const { value, text } = await callTool(name, args, true);
      return { value, text: text ?? JSON.stringify(value) };
    },
  };
}
