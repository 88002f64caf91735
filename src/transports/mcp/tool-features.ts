import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EarshotError } from "../../domain/errors.ts";
import { namesTool } from "../../policy/apply-rules.ts";
import type { Log } from "../../ports/log.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Tool } from "../../tools/define-tool.ts";
import type { ToolSchema } from "../../tools/tool-schema.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import { explain } from "../kit/explain.ts";
import { speaksForOnePerson } from "../kit/privacy.ts";
import { askPerson, type ConfirmDeps } from "./confirm.ts";
import type { ToolFeature } from "./features.ts";
import { toFailure, toResult } from "./to-result.ts";

export interface ToolFeaturesDeps extends ConfirmDeps {
  readonly log: Log;
  /** Of every tool. */
  readonly schemas: ReadonlyMap<Tool, ToolSchema>;
  /** Whether the client's host can be trusted to ask the person, and not to answer for them. */
  readonly trustsHost: boolean;
  /** As the client said when the connection began, where there is one. */
  capabilities(): ClientCapabilities | undefined;
}

/** Every tool behind the gate; those that the client may not or does not want to use are not listed. */
export function createToolFeatures(
  { actorSession, toolsets }: { actorSession: ActorSession; toolsets: readonly string[] | undefined },
  deps: ToolFeaturesDeps,
): ToolFeature[] {
  // Direct messages are read only into that conversation, and a host is outside of it.
  const offered = [...deps.schemas].filter(([tool]) => !tool.isForPrograms && !tool.readsDirectMessages);
  return offered.map(([tool, schema]) => ({
    definition: {
      name: schema.name,
      description: schema.about,
      inputSchema: { type: "object", ...schema.input },
      outputSchema: { type: "object", ...schema.output },
      annotations: toAnnotations(tool),
    },
    isUnlisted: !deps.gate.isFor(tool, actorSession.client) || !namesTool(toolsets, tool),
    async call(args, context) {
      const signal = context.mcpReq.signal;
      const onProgress = toProgress(context);
      const call = () => actorSession.call({ name: tool.name, args, signal, ...(onProgress && { onProgress }) });
      try {
        if (!namesTool(toolsets, tool))
          throw new EarshotError("forbidden", `${schema.name} is not in the toolsets that this connection chose.`);
        try {
          return toResult(await call());
        } catch (error) {
          if (!isWaiting(error) || !deps.trustsHost || !canAsk(context, deps.capabilities())) throw error;
          const { actor } = actorSession.request;
          const { grant } = actorSession.client;
          const isTheirs = speaksForOnePerson(grant) && grant.actors[0] === actor;
          const question = await askPerson(error, { actor, isTheirs, context }, deps);
          return question ?? toResult(await call());
        }
      } catch (error) {
        return toFailure(explain(error, { log: deps.log, what: `a call of ${tool.name} failed unexpectedly` }));
      }
    },
  }));
}

function toAnnotations({ effect, isDestructive }: Tool) {
  const isRead = effect === "read";
  return { readOnlyHint: isRead, destructiveHint: isDestructive === true, idempotentHint: isRead, openWorldHint: true };
}

function isWaiting(error: unknown): error is EarshotError & { readonly confirmationId: string } {
  return (
    error instanceof EarshotError && error.code === "confirmation_needed" && typeof error.confirmationId === "string"
  );
}

/** Whether the host can put a form before the person. An empty declaration means that it can. */
function canAsk({ mcpReq }: ServerContext, declared: ClientCapabilities | undefined): boolean {
  const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const elicitation = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? declared)?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

/** Undefined when the client does not want to know. Each notice says more than the one before, as the protocol demands. */
function toProgress({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let furthest = -1;
  return ({ scanned, scan, found }) => {
    if (scanned <= furthest) return;
    furthest = scanned;
    const params = { progressToken, progress: scanned, total: scan, message: `${found} found` };
    // Fails when the client has disconnected.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
