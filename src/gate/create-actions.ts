import { EarshotError } from "../domain/errors.ts";
import type { Confirmation } from "../policy/confirmations.ts";
import type { Operation } from "../policy/operation.ts";
import type { Tool } from "../tools/define-tool.ts";
import { send } from "../tools/send.ts";
import { refreshSources } from "./call/fresh-reads.ts";
import type { ToolCall } from "./call/tool-call.ts";
import type { CallDeps } from "./call-deps.ts";
import { type Answers, createAnswers } from "./effects/answers.ts";
import type { EffectCall } from "./effects/effect-call.ts";
import {
  createReviewActions,
  PostedPrompts,
  type ReviewActions,
  type ReviewActionsDeps,
  type ReviewPrompts,
} from "./effects/review-prompts.ts";
import { StartOvers } from "./effects/start-overs.ts";
import type { Gate } from "./gate.ts";
import { type CallParts, openParts } from "./open-parts.ts";

interface ToolCalls extends Pick<ReviewActionsDeps, "timed"> {
  find(name: string): Tool | undefined;
  mustBeGranted(tool: Tool, call: ToolCall, deps: CallDeps): void;
  mustHoldRole(tool: Tool, call: ToolCall, deps: CallDeps): Promise<void>;
}

/** Effects without a tool call: an agent's answers, and confirmed actions. They are decided like a call of the same tool. */
export function createActions(
  calls: ToolCalls,
  deps: CallDeps,
): ReviewActions &
  Pick<Gate, "startOver" | "hasStartedOver"> & { readonly answers: Answers; readonly prompts: ReviewPrompts } {
  const { find, mustBeGranted, mustHoldRole, timed } = calls;
  async function openCall(operation: Operation, signal?: AbortSignal): Promise<EffectCall> {
    const tool = find(send.name);
    if (!tool) throw new EarshotError("forbidden", "Nothing can be sent here.");
    const call = { name: tool.name, args: {}, operation, ...(signal && { signal }) };
    mustBeGranted(tool, call, deps);
    // An answer for one person alone needs no role, because it is not posted.
    if (operation.destination.kind === "channel") await mustHoldRole(tool, call, deps);
    return { ...openParts(tool, call, deps).effectCall(), isAnswering: true };
  }
  function partsOf({ tool: name, operation }: Confirmation): CallParts | undefined {
    const tool = find(name);
    return tool && openParts(tool, { name, args: {}, operation }, deps);
  }
  const startOvers = new StartOvers(deps);
  return {
    async startOver(operation, label) {
      const call = { name: send.name, args: {}, operation };
      mustBeGranted(send, call, deps);
      try {
        startOvers.propose(operation, label);
      } catch (error) {
        throw await deps.confirmations.withPlace(error);
      }
    },
    hasStartedOver: (client, actor) => startOvers.isRecent(client, actor),
    answers: createAnswers({
      ...deps,
      openCall,
      openAccess: (operation) => openParts(send, { name: send.name, args: {}, operation }, deps).effectAccess(),
      refresh: (label) => refreshSources(label, deps),
    }),
    prompts: new PostedPrompts({
      ...deps,
      openCall,
      openPrivateCall(confirmation) {
        const parts = partsOf(confirmation);
        if (!parts) throw new EarshotError("not_found", "There is no such tool any more.");
        return parts.effectCall();
      },
    }),
    ...createReviewActions({
      confirmations: deps.confirmations,
      startOvers,
      partsOf,
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
