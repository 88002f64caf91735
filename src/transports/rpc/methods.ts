import type { z } from "zod";
import type { OpenedAgent } from "../../agent/open-agent.ts";
import { EarshotError } from "../../domain/errors.ts";
import { audiencesOf } from "../../domain/memory/fact.ts";
import { NEAR_WAY } from "../../domain/memory/remember-request.ts";
import type { MEMORY_METHODS } from "../../domain/rpc/memory-methods.ts";
import { type Description, OWN_METHODS, type PendingConfirmation } from "../../domain/rpc/rpc-methods.ts";
import type { Gate } from "../../gate/gate.ts";
import type { Action } from "../../policy/action.ts";
import type { Confirmation, Deciding } from "../../policy/confirmations.ts";
import { soleActor } from "../../policy/grant.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { Operations } from "../../policy/operations.ts";
import type { Effect, Tool } from "../../tools/define-tool.ts";
import type { CallControl } from "../kit/call-runner.ts";
import { parseArguments } from "../kit/parse-arguments.ts";
import type { PersonMemory } from "../kit/person-memory.ts";
import { type Privacy, requireOwnClient, toPrivacyRequest } from "../kit/privacy.ts";
import { showOperation } from "../kit/show-operation.ts";
import type { ReturnValue } from "./frames.ts";

interface MethodCall {
  /** Unvalidated. */
  readonly args: unknown;
  readonly operationId: string | null;
  readonly wantsText: boolean;
  readonly client: Client;
}

/** A method of the transport itself, or a tool of the gate. */
export interface Method {
  readonly name: string;
  readonly about: string;
  readonly effect: Effect;
  /** Null for a method that is not a tool. Tools need an operation and a grant. */
  readonly tool: Tool | null;
  readonly isWithinOperation: boolean;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Whether a client may call it at all. */
  isFor(client: Client): boolean;
  run(call: MethodCall, control: CallControl): Promise<ReturnValue> | ReturnValue;
}

export interface MethodsDeps {
  readonly gate: Gate;
  readonly operations: Operations;
  readonly privacy: Pick<Privacy, "show" | "leaveOut" | "include">;
  /** The people are simulated, so the operator may decide for them. */
  readonly isSandbox?: boolean;
  readonly personMemory: Pick<PersonMemory, "list" | "show" | "why" | "export" | "forget" | "erase">;
  /** Absent without an agent. */
  readonly agent?: Pick<OpenedAgent, "ask"> | undefined;
  describe(client: Client): Description;
}

export function createMethods(deps: MethodsDeps): ReadonlyMap<string, Method> {
  const { gate, operations, privacy, personMemory, agent, describe } = deps;
  // A program never decides for people about their own facts. The people of the sandbox are simulated.
  const deciding: Deciding = { inPerson: deps.isSandbox ?? false };
  const methods = [
    own("rpc.ping", () => ({ pong: true })),
    own("rpc.describe", (_, { client }) => describe(client)),
    own("operation.open", async (asked, { client }) => {
      const { channel_id: channelId, message_id: messageId, purpose, for: channel } = asked;
      const actor = await operations.findActor(client, asked.actor);
      const [isPrivate, isSilent] = [asked.private, asked.silent];
      const place = { ...(channelId && { channelId }), ...(messageId && { messageId }) };
      const request = { actor, isPrivate, isSilent, purpose, for: channel, ...place };
      const { id, expiresAt } = await operations.open(client, request);
      return { operation_id: id, expires_at: new Date(expiresAt).toISOString() };
    }),
    own("operation.narrow", ({ operation_id }, { client }) => {
      operations.narrow(operations.find(operation_id, client));
      return { ok: true };
    }),
    own("operation.show", ({ operation_id }, { client }) => showOperation(operations.find(operation_id, client), gate)),
    forPeople("confirmation.pending", ({ actor }) => {
      return { confirmations: gate.confirmations.pending(actor, deciding).map(toPending) };
    }),
    forPeople("confirmation.approve", async ({ confirmation_id, actor, way }) => {
      await gate.confirm(confirmation_id, actor, { ...deciding, ...(way && { way }) });
      return { ok: true };
    }),
    forPeople("confirmation.reject", ({ confirmation_id, actor }) => {
      gate.confirmations.reject(confirmation_id, actor, deciding);
      return { ok: true };
    }),
    {
      ...aboutActor("agent.ask", operations, async (operation, { question }) => {
        if (!agent) throw new EarshotError("unsupported", "No agent answers here.");
        const spoken = await agent.ask(operation, { text: question, style: "numbers" });
        if (spoken.kind === "reaction")
          return { text: spoken.emoji, voice: "none", sources: [], integrity: "untrusted" };
        const { text, voice, cited, context } = spoken;
        return {
          text,
          voice,
          sources: cited.map(({ message_id, channel_id, link }) => ({
            ...{ message_id, channel_id, link },
            role: context.has(message_id) ? "context" : "passage",
          })),
          integrity: "untrusted",
        };
      }),
      isFor: ({ grant }: Client) => grant.scopes.includes("agent:ask"),
    },
    aboutActor("privacy.show", operations, (operation) => privacy.show(toPrivacyRequest(operation))),
    byActor("privacy.leave_me_out", operations, (operation) => privacy.leaveOut(toPrivacyRequest(operation))),
    byActor("privacy.include_me", operations, (operation) => privacy.include(toPrivacyRequest(operation))),
    ofPerson("memory.list", operations, (operation) => personMemory.list(operation)),
    ofPerson("memory.show", operations, (operation, { fact_id }) => personMemory.show(operation, fact_id)),
    ofPerson("memory.why", operations, (operation, { fact_id }) => personMemory.why(operation, fact_id)),
    ofPerson("memory.export", operations, (operation) => personMemory.export(operation)),
    ofPerson("memory.forget", operations, (operation, { fact_id }) => personMemory.forget(operation, fact_id)),
    ofPerson("memory.erase", operations, (operation, args) => personMemory.erase(operation, args)),
    ...gate.tools.map((tool) => toMethod(tool, gate, operations)),
  ];
  return new Map(methods.map((method) => [method.name, method]));
}

type Own = typeof OWN_METHODS;
type RunOwn<Name extends keyof Own> = (args: z.output<Own[Name]["input"]>, call: MethodCall) => unknown;

/** A method of the transport itself, with arguments validated here, as the gate does for tools. */
function own<Name extends keyof Own>(name: Name, run: RunOwn<Name>): Method {
  const declared: { about: string; input: z.ZodType; output: z.ZodType } = OWN_METHODS[name];
  return {
    ...declared,
    name,
    effect: "read",
    tool: null,
    isWithinOperation: false,
    isFor: () => true,
    run(call) {
      const args = parseArguments(declared.input, call.args) as z.output<Own[Name]["input"]>;
      const value = run(args, call);
      return value instanceof Promise ? value.then((one) => ({ value: one, text: null })) : { value, text: null };
    },
  };
}

/** Only for a client that speaks for people, which no agent's token does. */
function forPeople<Name extends keyof Own>(name: Name, run: RunOwn<Name>): Method {
  const method = own(name, run);
  return {
    ...method,
    effect: name === "confirmation.pending" ? "read" : "send",
    isFor: ({ grant }) => grant.confirm,
    run(call, control) {
      if (!call.client.grant.confirm)
        throw new EarshotError("forbidden", "This client may not confirm anything: its grant lacks `confirm`.");
      return method.run(call, control);
    },
  };
}

type RunWithin<Name extends keyof Own> = (operation: Operation, args: z.output<Own[Name]["input"]>) => unknown;

/** About the actor of an operation, who is never taken from the arguments. */
function aboutActor<Name extends keyof Own>(name: Name, operations: Operations, run: RunWithin<Name>): Method {
  const method = own(name, (args, { operationId, client }) =>
    run(findOperation(name, { operationId, client }, operations), args),
  );
  return { ...method, isWithinOperation: true };
}

/** Only for a client that acts for no other person: others could decide for several people. */
function byActor<Name extends keyof Own>(name: Name, operations: Operations, run: RunWithin<Name>): Method {
  const method = aboutActor(name, operations, (operation, args) => {
    requireOwnClient(operation);
    return run(operation, args);
  });
  return { ...method, effect: "send", isFor: isOwnHand };
}

/** A method about the actor's facts, which only the actor reads and decides about; `PersonMemory` refuses other clients. */
function ofPerson<Name extends keyof typeof MEMORY_METHODS>(
  name: Name,
  operations: Operations,
  run: RunWithin<Name>,
): Method {
  const effect = name === "memory.forget" || name === "memory.erase" ? "send" : "read";
  return { ...aboutActor(name, operations, run), effect, isFor: isOwnHand };
}

/** A client that acts for one person, and was not merely signed in by them. */
function isOwnHand({ grant }: Client): boolean {
  return soleActor(grant) !== null && !grant.signedIn;
}

const WITHOUT_OPERATION =
  "Only tools that read do without one, and only for a client whose grant names one person and nobody else in `actors`, and is not to answer others (`answers`).";

function findOperation(
  name: string,
  { operationId, client }: Pick<MethodCall, "operationId" | "client">,
  operations: Operations,
): Operation {
  if (operationId !== null) return operations.find(operationId, client);
  const hint = "use the one of the event that you answer, or open one with operation.open";
  const problem = `operation_id: ${name} is called within an operation; ${hint}. ${WITHOUT_OPERATION}`;
  throw new EarshotError("invalid", problem);
}

function toPending({ id, operation, tool, action, expiresAt }: Confirmation): PendingConfirmation {
  return {
    confirmation_id: id,
    actor: operation.actor,
    client: operation.client.name,
    tool,
    action: action.kind,
    after_start_over: operation.label.hasStartedOver,
    ...describePending(action),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

type PendingAction = Pick<
  PendingConfirmation,
  "channel_id" | "message_id" | "text" | "mentions" | "discloses" | "thread" | "ways"
>;

function describePending(action: Action): PendingAction {
  const none = { message_id: null, mentions: [], discloses: [], thread: null, ways: [] };
  switch (action.kind) {
    case "send": {
      const { channelId, replyTo, text, mentions, disclosure } = action;
      const discloses = (disclosure?.barred ?? []).map(({ channelId: from, isQuoted, learners }) => {
        return { channel_id: from, quoted: isQuoted, learners };
      });
      return { ...none, channel_id: channelId, message_id: replyTo, text, mentions: [...mentions], discloses };
    }
    case "react":
      return { ...none, channel_id: action.channelId, message_id: action.messageId, text: action.emoji };
    case "edit":
      return { ...none, channel_id: action.channelId, message_id: action.messageId, text: action.text };
    case "delete":
      return { ...none, channel_id: action.channelId, message_id: action.messageId, text: "" };
    case "thread": {
      const { channelId, messageId, text, name, tags } = action;
      return { ...none, channel_id: channelId, message_id: messageId, text, thread: { name, tags: [...tags] } };
    }
    case "typing":
      return { ...none, channel_id: action.channelId, text: "" };
    case "start_over": {
      const discloses = action.channelIds.map((id) => ({ channel_id: id, quoted: false, learners: null }));
      return { ...none, channel_id: null, text: "", discloses };
    }
    case "forget":
      return { ...none, channel_id: null, text: action.fact.name };
    case "remember": {
      const ways = action.ways.flatMap(({ name, request }) => {
        const heard_by = [...new Set(audiencesOf(request).map(({ kind, id }) => `${kind}:${id}`))];
        return name === NEAR_WAY ? [] : [{ way: name, heard_by, ends: [...request.ends] }];
      });
      const [first] = action.ways;
      const text = first ? `${first.request.name}: ${JSON.stringify(first.request.value)}` : "";
      return { ...none, channel_id: null, text, ways };
    }
  }
}

function toMethod(tool: Tool, gate: Gate, operations: Operations): Method {
  const { name, about, effect, input, output } = tool;
  return {
    name,
    about,
    effect,
    tool,
    isWithinOperation: true,
    input,
    output,
    isFor: (client) => gate.isFor(tool, client),
    run({ args, operationId, client, wantsText }, { signal, onProgress }) {
      const callWithin = (operation: Operation) =>
        gate.callTool({ name, args, operation, wantsText, signal, onProgress });
      // A client that also answers people may have omitted the operation of another person's question.
      const isAlone = operationId === null && effect === "read" && !client.grant.answers;
      const actor = isAlone ? soleActor(client.grant) : null;
      if (actor === null) return callWithin(findOperation(name, { operationId, client }, operations));
      // The client acts for this one person, who alone reads the answer.
      return operations
        .open(client, { actor, isPrivate: true })
        .then((operation) => callWithin(operation).finally(() => operations.close(operation)));
    },
  };
}
