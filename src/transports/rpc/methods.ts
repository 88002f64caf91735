import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import { type Description, OWN_METHODS } from "../../domain/rpc-methods.ts";
import type { Gate } from "../../gate/call-tool.ts";
import type { Client, Label } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Progress } from "../../ports/timelines.ts";
import type { Effect, Tool } from "../../tools/define-tool.ts";
import { describeProblems } from "./read-frame.ts";

export interface MethodCall {
  /** As they came over the wire. */
  readonly args: unknown;
  readonly operationId: string | null;
  readonly client: Client;
  /** For an operation that begins. */
  newLabel(): Label;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Something that can be called: one of the transport's own methods, or a tool behind the gate. */
export interface Method {
  readonly name: string;
  readonly about: string;
  readonly effect: Effect;
  /** Present when it is a tool, which needs an operation and a grant. */
  readonly tool: Tool | null;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  run(call: MethodCall): Promise<unknown> | unknown;
}

export interface MethodsDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  /** What `rpc.describe` answers. */
  describe(client: Client): Description;
}

export function createMethods({ gate, operations, describe }: MethodsDeps): ReadonlyMap<string, Method> {
  const methods = [
    own("rpc.ping", () => ({ pong: true })),
    own("rpc.describe", (_, { client }) => describe(client)),
    own("operation.open", async ({ actor, channel_id, message_id }, { client, newLabel }) => {
      const request = { actor, channelId: channel_id, ...(message_id && { messageId: message_id }) };
      const { id, expiresAt } = await operations.open(client, request, newLabel());
      return { operation_id: id, expires_at: new Date(expiresAt).toISOString() };
    }),
    ...gate.tools.map((tool) => toMethod(tool, gate, operations)),
  ];
  return new Map(methods.map((method) => [method.name, method]));
}

type Own = typeof OWN_METHODS;

/** One of the transport's own; its arguments are checked here, as the gate does for tools. */
function own<Name extends keyof Own>(
  name: Name,
  run: (args: z.output<Own[Name]["input"]>, call: MethodCall) => unknown,
): Method {
  const declared: { about: string; input: z.ZodType; output: z.ZodType } = OWN_METHODS[name];
  return {
    ...declared,
    name,
    effect: "read",
    tool: null,
    run(call) {
      const args = declared.input.safeParse(call.args);
      if (!args.success) throw new EarshotError("invalid", describeProblems(args.error, "args"));
      return run(args.data as z.output<Own[Name]["input"]>, call);
    },
  };
}

function toMethod(tool: Tool, gate: Gate, operations: Operations): Method {
  const { name, about, effect, input, output } = tool;
  return {
    name,
    about,
    effect,
    tool,
    input,
    output,
    run({ args, operationId, client, signal, onProgress }) {
      if (operationId === null) {
        const hint = "use the one of the event that you answer, or open one with operation.open";
        throw new EarshotError("invalid", `operation_id: ${name} is called within an operation; ${hint}.`);
      }
      return gate.callTool({ name, args, operation: operations.find(operationId, client), signal, onProgress });
    },
  };
}
