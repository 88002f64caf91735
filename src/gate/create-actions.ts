import { EarshotError } from "../domain/errors.ts";
import type { Tool } from "../tools/define-tool.ts";
import { send } from "../tools/send.ts";
import { refreshSources } from "./call/fresh-reads.ts";
import type { ToolCall } from "./call/tool-call.ts";
import type { CallDeps, CallParts } from "./call-deps.ts";
import { type Answers, createAnswers } from "./effects/answers.ts";
import { createReviewActions, type ReviewActions, type ReviewActionsDeps } from "./effects/review-actions.ts";

/** How the gate begins a call of a tool. */
interface ToolCalls extends Pick<ReviewActionsDeps, "timed"> {
  find(name: string): Tool | undefined;
  mustBeGranted(tool: Tool, call: ToolCall, deps: CallDeps): void;
  mustHoldRole(tool: Tool, call: ToolCall, deps: CallDeps): Promise<void>;
  openParts(tool: Tool, call: ToolCall, deps: CallDeps): CallParts;
}

/** What is done without a call of a tool: an agent's answers, and what people confirm. It is decided as a call of the same tool is. */
export function createActions(calls: ToolCalls, deps: CallDeps): ReviewActions & { readonly answers: Answers } {
  const { find, mustBeGranted, mustHoldRole, openParts, timed } = calls;
  return {
    answers: createAnswers({
      ...deps,
      async openCall(operation, signal) {
        const tool = find(send.name);
        if (!tool) throw new EarshotError("forbidden", "Nothing can be sent here.");
        const call = { name: tool.name, args: {}, operation, ...(signal && { signal }) };
        mustBeGranted(tool, call, deps);
        // What one person alone is told needs no role: it is not said anywhere.
        if (operation.destination.kind === "channel") await mustHoldRole(tool, call, deps);
        return openParts(tool, call, deps).effectCall();
      },
    }),
    ...createReviewActions({
      confirmations: deps.confirmations,
      partsOf({ tool: name, operation }) {
        const tool = find(name);
        return tool && openParts(tool, { name, args: {}, operation }, deps);
      },
      refresh: ({ label }) => refreshSources(label, deps),
      async mustBeAllowed({ tool: name, operation }) {
        const tool = find(name);
        if (!tool) throw new EarshotError("not_found", "There is no such tool any more.");
        mustBeGranted(tool, { name, args: {}, operation }, deps);
        await mustHoldRole(tool, { name, args: {}, operation }, deps);
      },
      timed,
    }),
  };
}
