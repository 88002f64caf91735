import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import type { ToolAnswer } from "../../gate/call/tool-call.ts";
import { namesTool } from "../../policy/apply-rules.ts";
import { soleActor } from "../../policy/grant.ts";
import type { Log } from "../../ports/log.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Tool } from "../../tools/define-tool.ts";
import type { ToolSchema } from "../../tools/tool-schema.ts";
import type { ActorSession } from "../kit/actor-session.ts";
import { explain } from "../kit/explain.ts";
import { type ConfirmInHostDeps, confirmInHost } from "./confirm-in-host.ts";
import type { ToolFeature } from "./features.ts";

export interface ToolFeaturesDeps extends ConfirmInHostDeps {
  readonly log: Log;
  readonly schemas: ReadonlyMap<Tool, ToolSchema>;
}

/** A host is outside of that conversation. */
const NOT_OWN_CLIENT =
  "Direct messages with the bot are read only within that conversation, or by a client whose grant names that person and nobody else in `actors`.";

/** All tools of the gate; those that the client may not or does not want to use are unlisted. */
export function createToolFeatures(
  { actorSession, toolsets }: { actorSession: ActorSession; toolsets: readonly string[] | undefined },
  deps: ToolFeaturesDeps,
): ToolFeature[] {
  const { client, request } = actorSession;
  const canRead = (tool: Tool) => !tool.readsDirectMessages || soleActor(client.grant) === request.actor;
  const offered = [...deps.schemas].filter(([tool]) => !tool.isForPrograms);
  return offered.map(([tool, schema]) => ({
    definition: {
      name: schema.name,
      description: schema.about,
      inputSchema: { type: "object", ...schema.input },
      outputSchema: { type: "object", ...schema.output },
      annotations: toAnnotations(tool),
    },
    isUnlisted: !canRead(tool) || !deps.gate.isFor(tool, client) || !namesTool(toolsets, tool),
    async call(args, context) {
      const signal = context.mcpReq.signal;
      const onProgress = toProgress(context);
      const call = () => actorSession.call({ name: tool.name, args, signal, ...(onProgress && { onProgress }) });
      try {
        if (!namesTool(toolsets, tool))
          throw new EarshotError("forbidden", `${schema.name} is not in the toolsets that this connection chose.`);
        if (!canRead(tool) && deps.gate.isFor(tool, client)) throw new EarshotError("forbidden", NOT_OWN_CLIENT);
        return await confirmInHost(async () => toResult(await call()), { actorSession, context }, deps);
      } catch (error) {
        return toFailure(explain(error, { log: deps.log, what: `a call of ${tool.name} failed unexpectedly` }));
      }
    },
  }));
}

/** Without hints that are the protocol's defaults, or meaningless for a read-only tool, because every client would list them. */
function toAnnotations({ effect, isDestructive }: Tool) {
  return effect === "read" ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: isDestructive === true };
}

/** Undefined if the client does not want progress. Progress always increases, as the protocol requires. */
function toProgress({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let furthest = -1;
  return ({ scanned, scan, found }) => {
    if (scanned <= furthest) return;
    furthest = scanned;
    const params = { progressToken, progress: scanned, total: scan, message: `${found} found` };
    // Fails if the client has disconnected.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** The metadata key for the error fields of a failed result. */
const ERROR_META = "earshot/error";

const picture = z.object({ content_type: z.string().startsWith("image/"), base64: z.string() });

/** The value for programs; for a model the text, or the picture itself. The bytes of a picture are sent once, for both. */
function toResult({ value, text }: ToolAnswer): CallToolResult {
  const { success, data: shown } = picture.safeParse(value);
  if (!success)
    return {
      content: [{ type: "text", text: text ?? JSON.stringify(value) }],
      structuredContent: value as Record<string, unknown>,
    };
  const { base64, ...rest } = shown;
  return { content: [{ type: "image", data: base64, mimeType: shown.content_type }], structuredContent: rest };
}

/** A failure: the model reads the message and the hint, programs the rest. */
function toFailure({ message, hint, ...error }: WireError): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: hint === undefined ? message : `${message.replace(/\.$/, "")}. ${hint}` }],
    _meta: { [ERROR_META]: error },
  };
}
