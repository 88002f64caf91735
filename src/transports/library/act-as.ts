import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import { type ChannelId, toId, type UserId } from "../../domain/ids.ts";
import {
  type FactRecord,
  MEMORY_METHODS,
  type MemoryAnswer,
  type MemoryExport,
} from "../../domain/rpc/memory-methods.ts";
import type { ToolAnswer } from "../../gate/call/tool-call.ts";
import { requireNamed } from "../../policy/find-named.ts";
import { soleActor } from "../../policy/grant.ts";
import type { Client, Operation } from "../../policy/operation.ts";
import type { OpenRequest } from "../../policy/operations.ts";
import type { Log } from "../../ports/log.ts";
import { contextWindow } from "../../tools/context-window.ts";
import { type JsonSchema, toToolSchema, toWireName } from "../../tools/tool-schema.ts";
import { ActorSession, type ActorSessionDeps } from "../kit/actor-session.ts";
import { explain } from "../kit/explain.ts";
import { parseArguments } from "../kit/parse-arguments.ts";
import type { PersonMemory } from "../kit/person-memory.ts";
import type { PrivacyAnswer } from "../kit/privacy.ts";

/** The audience of the answer: everyone who sees a channel or thread, or the person alone; `for` means repeated in a channel, by name or id. */
export type AnswerPlace = { readonly in: string } | { readonly for: string } | "private";

/** A person for whom a program acts. All reads limit later answers of this object: create a new one for each request. */
export interface Acting {
  /** By the names for models, as `tools` of the AI SDK. */
  readonly tools: Readonly<Record<string, SdkTool>>;
  /** As `tools` of an OpenAI-compatible chat completion; `call` runs the model's tool calls. */
  readonly openaiTools: readonly OpenaiTool[];
  /** The recent conversation around the request, as turns for a model; see `context.window`. */
  context(options?: ContextOptions): Promise<ContextWindow>;
  /** Whether the person's messages are used. Only they can change it, with /privacy in Discord. */
  privacy(): Promise<PrivacyAnswer>;
  readonly memory: ActingMemory;
  /** A tool by either of its names. Throws an `EarshotError` whose message is fit for a model. */
  call(name: string, args: unknown, options?: { readonly signal?: AbortSignal }): Promise<ToolAnswer>;
}

/** Facts about the person; only if the grant's `actors` contains that person and no other. Needs no scope. */
export interface ActingMemory {
  /** The newest first, without earlier values. This, `show`, `why` and `export` need answers that only the person reads. */
  list(): Promise<readonly FactRecord[]>;
  show(factId: string): Promise<FactRecord>;
  /** The sources of a fact, its audience, and how often it was used in the last month; never by whom. */
  why(factId: string): Promise<MemoryAnswer<"memory.why">>;
  /** All facts, with earlier values. */
  export(): Promise<MemoryExport>;
  /** Deletes it permanently, with its earlier values. */
  forget(factId: string): Promise<MemoryAnswer<"memory.forget">>;
  /** Erases everything stored about the person, including their messages. Without `confirm`, only describes it. */
  erase(options?: { readonly confirm?: boolean }): Promise<MemoryAnswer<"memory.erase">>;
}

export type ContextWindow = z.output<typeof contextWindow.output>;

export interface ContextOptions {
  /** Name or id of another channel. */
  readonly channel?: string;
  readonly pictures?: "none" | "url" | "base64";
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** The shape of the AI SDK's own `tool()`. */
export interface SdkTool {
  readonly description: string;
  readonly inputSchema: StandardSchema;
  execute(input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }): Promise<ToolAnswer>;
  /** The model gets the text, in which text by others is marked. */
  toModelOutput(result: { readonly output: ToolAnswer }): { type: "text"; value: string };
}

export interface OpenaiTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** See standardschema.dev. Accepts everything, because only the gate validates, and knows handles such as m7. */
interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): { value: unknown };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

export interface ActAsDeps extends ActorSessionDeps {
  readonly personMemory: Pick<PersonMemory, "list" | "show" | "why" | "export" | "forget" | "erase">;
  readonly directory: Parameters<typeof requireNamed>[2];
  readonly log: Log;
}

/**
 * Contains only the tools that the client may use. Person and channel are given by id, or by the name that Discord shows. Throws
 * `not_found` for an unknown name, `invalid` for an ambiguous one, and `unavailable` while some names are unknown.
 */
export function actAs(client: Client, asked: { actor: string; where: AnswerPlace }, deps: ActAsDeps): Acting {
  const actorSession = new ActorSession({ client, request: toRequest(asked, deps) }, deps);
  const isFromNowhere = actorSession.request.channelId === undefined;
  const isOwnClient = soleActor(client.grant) === actorSession.request.actor;
  const usable = deps.gate.tools
    .filter((tool) => !tool.isForPrograms && !(isFromNowhere && !isOwnClient && tool.readsDirectMessages))
    .filter((tool) => deps.gate.isFor(tool, client))
    .map((tool) => toToolSchema(tool, { isFromNowhere }));
  const dotted = new Map(deps.gate.tools.map(({ name }) => [toWireName(name), name]));
  const rethrow =
    (name: string) =>
    (error: unknown): never => {
      if (error instanceof EarshotError) throw error;
      const { code, message } = explain(error, { log: deps.log, what: "a call failed unexpectedly", fields: { name } });
      throw new EarshotError(code, message);
    };
  const call: Acting["call"] = (name, args, options = {}) =>
    actorSession.call({ name: dotted.get(name) ?? name, args, ...options }).catch(rethrow(name));
  return {
    call,
    privacy: () => actorSession.showPrivacy().catch(rethrow("privacy")),
    memory: createActingMemory(deps.personMemory, (name, run) =>
      actorSession.openOperation().then(run).catch(rethrow(name)),
    ),
    async context({ channel, pictures, maxTokens, signal } = {}) {
      const args = {
        ...(channel && { channel }),
        ...(pictures && { pictures }),
        ...(maxTokens && { max_tokens: maxTokens }),
      };
      const { value } = await call(contextWindow.name, args, signal ? { signal } : {});
      return value as ContextWindow;
    },
    tools: Object.fromEntries(
      usable.map(({ name, about, input }) => [
        name,
        {
          description: about,
          inputSchema: toStandardSchema(input),
          execute: (args, { abortSignal }) => call(name, args, abortSignal ? { signal: abortSignal } : {}),
          toModelOutput: ({ output: { text, value } }) => ({ type: "text", value: text ?? JSON.stringify(value) }),
        },
      ]),
    ),
    openaiTools: usable.map(({ name, about, input }) => ({
      type: "function",
      function: { name, description: about, parameters: input },
    })),
  };
}

type WithinOperation = <Answer>(name: string, run: (operation: Operation) => Promise<Answer>) => Promise<Answer>;

function createActingMemory(personMemory: ActAsDeps["personMemory"], within: WithinOperation): ActingMemory {
  const toId = (fact_id: unknown) => parseArguments(MEMORY_METHODS["memory.show"].input, { fact_id }).fact_id;
  const toChoice = (options: unknown) => parseArguments(MEMORY_METHODS["memory.erase"].input, options);
  return {
    list: async () => (await within("memory.list", (operation) => personMemory.list(operation))).facts,
    show: (id) => within("memory.show", async (operation) => personMemory.show(operation, toId(id))),
    why: (id) => within("memory.why", async (operation) => personMemory.why(operation, toId(id))),
    export: () => within("memory.export", (operation) => personMemory.export(operation)),
    forget: (id) => within("memory.forget", async (operation) => personMemory.forget(operation, toId(id))),
    erase: (options = {}) =>
      within("memory.erase", async (operation) => personMemory.erase(operation, toChoice(options))),
  };
}

function toRequest(
  { actor, where }: { actor: string; where: AnswerPlace },
  { directory }: Pick<ActAsDeps, "directory">,
): OpenRequest {
  const person = toId<UserId>(actor) ?? (requireNamed("people", actor, directory).id as UserId);
  if (where === "private") return { actor: person, isPrivate: true };
  if ("for" in where) return { actor: person, isPrivate: true, for: where.for };
  return {
    actor: person,
    channelId: toId<ChannelId>(where.in) ?? (requireNamed("channels", where.in, directory).id as ChannelId),
  };
}

function toStandardSchema(schema: JsonSchema): StandardSchema {
  const whole = () => ({ ...schema });
  return {
    "~standard": {
      version: 1,
      vendor: "earshot",
      validate: (value) => ({ value }),
      jsonSchema: { input: whole, output: whole },
    },
  };
}
