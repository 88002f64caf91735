import { EarshotError } from "../domain/errors.ts";
import type { CallRefusal, Decision } from "./decide.ts";
import type { ToolFacts } from "./grant.ts";

/** The error for a refusal; null if the channel must look absent, because the reason would reveal it. */
export function explainRefusal({ reason }: Decision, isReadingTool: boolean): EarshotError | null {
  switch (reason) {
    case "actor_cannot_speak":
      return new EarshotError("forbidden", "The person asking may not speak in that channel.");
    case "actor_cannot_react":
      return new EarshotError("forbidden", "The person asking may not react in that channel.");
    case "actor_cannot_start_threads":
      return new EarshotError("forbidden", "The person asking may not start threads in that channel.");
    case "not_for_everyone_there":
    case "dm_elsewhere":
      return isReadingTool ? null : explainBarred();
    case "source_deleted":
      return new EarshotError("forbidden", "Something that was read for this has been deleted; start a new request.");
    case "source_changed":
      return new EarshotError("forbidden", "Something that was read for this has been edited; start a new request.");
    case "source_uncertain": {
      const problem =
        "What was read for this cannot be checked: it may have changed unheard, or the bot cannot see it any more; try again, or start a new request.";
      return new EarshotError("unavailable", problem);
    }
    case "operation_over":
      return new EarshotError("not_found", "There is no such operation, or it has expired.");
    default:
      return null;
  }
}

/** The error for an effect if not everyone there may know the sources. `names`: the obstacles, for an actor who may know them. */
export function explainBarred(names: readonly string[] = [], { canStartOver = false } = {}): EarshotError {
  const problem =
    names.length === 0
      ? "What was read for this is not for everyone there; answer in a more private place."
      : `What was read for this is not for everyone there (${names.join(", ")}); answer in a more private place.`;
  const prompt = " Or the person asking starts over: over MCP they choose the prompt `start_over` in their host.";
  const hint = `To say something there, begin again and read with \`for\` set to that channel.${canStartOver ? prompt : ""}`;
  return new EarshotError("forbidden", problem, { hint });
}

export function explainToolRefusal(tool: ToolFacts, refusal: CallRefusal): EarshotError {
  return new EarshotError("forbidden", REFUSALS[refusal](tool));
}

const REFUSALS: Readonly<Record<CallRefusal, (tool: ToolFacts) => string>> = {
  tool_not_granted: ({ name }) => `This client may not use ${name}; its grant does not list it.`,
  tool_switched_off: ({ name }) => `${name} is switched off here by the operator.`,
  scope_not_granted: ({ name, scope }) => `This client may not use ${name}; its grant lacks the scope ${scope}.`,
  dms_not_granted: ({ name }) =>
    `This client may not read direct messages with ${name}; its grant lacks \`directMessages\`.`,
  role_lacks_scope: ({ name }) => `No role of the person asking allows ${name} here.`,
  question_alone: ({ name }) =>
    `The person asked with 🚫 for an answer from the question alone: ${name} is not used for it. Answer without it.`,
};
