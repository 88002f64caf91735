import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import { soleActor } from "../../policy/grant.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import { askPerson, type ConfirmDeps } from "./confirm.ts";

export interface ConfirmInHostDeps extends ConfirmDeps {
  /** Whether the client's host can be trusted to ask the person, and not to answer for them. */
  readonly trustsHost: boolean;
  /** As declared by the client when the connection began, if there is one. */
  capabilities(): ClientCapabilities | undefined;
}

/** Runs the call. If it needs a confirmation, a trusted host asks the person; throws `confirmation_needed` without a trusted host. */
export async function confirmInHost<Result>(
  attempt: () => Promise<Result>,
  { actorSession, context }: { readonly actorSession: ActorSession; readonly context: ServerContext },
  deps: ConfirmInHostDeps,
): Promise<Result | InputRequiredResult> {
  try {
    return await attempt();
  } catch (error) {
    if (!isWaiting(error) || !deps.trustsHost || !canAsk(context, deps.capabilities())) throw error;
    const { actor } = actorSession.request;
    const { grant } = actorSession.client;
    const isTheirs = soleActor(grant) === actor;
    const question = await askPerson(error, { actor, isTheirs, context }, deps);
    return question ?? (await attempt());
  }
}

function isWaiting(error: unknown): error is EarshotError & { readonly confirmationId: string } {
  return (
    error instanceof EarshotError && error.code === "confirmation_needed" && typeof error.confirmationId === "string"
  );
}

/** Whether the host can show a form to the person. An empty declaration means that it can. */
function canAsk({ mcpReq }: ServerContext, declared: ClientCapabilities | undefined): boolean {
  const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const elicitation = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? declared)?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}
