import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Directory } from "../../ports/directory.ts";
import { describeAction } from "../kit/describe-action.ts";
import { toActionText } from "./action-text.ts";

export interface ConfirmDeps {
  readonly gate: Gate;
  readonly directory: Pick<Directory, "channel">;
}

const QUESTION = {
  type: "object" as const,
  properties: { confirm: { type: "boolean" as const, title: "Do exactly this" } },
  required: ["confirm"],
};

/**
 * Has the host ask the person, or takes what they answered. The model has no part in it: the question and its answer travel beside the tool's
 * arguments. Null when it has been done; throws the same `waiting` error while they have not decided, and `forbidden` when they declined.
 */
export async function askPerson(
  waiting: EarshotError & { readonly confirmationId: string },
  { actor, context }: { actor: UserId; context: ServerContext },
  { gate, directory }: ConfirmDeps,
): Promise<InputRequiredResult | null> {
  const id = waiting.confirmationId;
  const answer = inputResponse(context.mcpReq.inputResponses, id);
  if (answer.kind !== "elicit") {
    // Showing it is telling, even if only the actor is told.
    if (!(await gate.mayReview(id, actor))) throw waiting;
    const message = toActionText(describeAction(gate.confirmations.find(id, actor), directory));
    return inputRequired({ inputRequests: { [id]: inputRequired.elicit({ message, requestedSchema: QUESTION }) } });
  }
  if (answer.action === "cancel") throw waiting;
  if (answer.action === "accept" && answer.content?.["confirm"] === true) {
    await gate.confirm(id, actor);
    return null;
  }
  gate.confirmations.reject(id, actor);
  throw new EarshotError("forbidden", "The person asking has declined this. Do not ask again.");
}
