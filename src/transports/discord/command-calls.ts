import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { DisplayNames } from "../../domain/names/resolve-name.ts";
import type { ToolCall } from "../../gate/call/tool-call.ts";
import type { Gate } from "../../gate/gate.ts";
import { type Grant, OWN_GRANT } from "../../policy/grant.ts";
import type { Operation } from "../../policy/operation.ts";
import type { OpenRequest, Operations } from "../../policy/operations.ts";
import type { Invocation } from "../../ports/discord.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { type Agent, toDisplayNames } from "./message-lines.ts";

export interface CommandCallsDeps {
  readonly gate: Pick<Gate, "callTool">;
  readonly operations: Pick<Operations, "open">;
  readonly discord: Agent;
}

type Manner = Pick<ToolCall, "signal" | "onProgress">;

/** The scopes of the client that runs commands. */
const SCOPES: Grant["scopes"] = [
  "context:read_current_thread",
  "context:read_channel_recent",
  "context:search",
  "context:read_user_recent_any",
  "directory:read",
  "discord:send",
];

/** Calls tools for people who use a command, each with their own permissions. */
export class CommandCalls {
  readonly #deps: CommandCallsDeps;

  constructor(deps: CommandCallsDeps) {
    this.#deps = deps;
  }

  /** People's names in one answer. */
  displayNames(): DisplayNames {
    return toDisplayNames(this.#deps.discord);
  }

  /** For an answer that only the person reads. In a server it covers that server, in a DM all servers of both. */
  async openPrivately(invocation: Invocation): Promise<Operation> {
    const { userId, channelId, guildId } = invocation;
    const where = guildId === null ? {} : { channelId };
    return this.#open(invocation, { actor: userId, ...where, isPrivate: true });
  }

  /** For an answer that everyone in the channel reads. */
  async openHere(invocation: Invocation): Promise<Operation> {
    return this.#open(invocation, { actor: invocation.userId, channelId: invocation.channelId });
  }

  async call<Input extends z.ZodObject, Output extends z.ZodType>(
    tool: Tool<Input, Output>,
    args: z.input<Input>,
    { operation, ...manner }: Manner & { readonly operation: Operation },
  ): Promise<z.output<Output>> {
    const { value } = await this.#deps.gate.callTool({ name: tool.name, args, operation, ...manner });
    return tool.output.parse(value);
  }

  /** Like `call`, but null for something absent or hidden: the two look alike. */
  async look<Input extends z.ZodObject, Output extends z.ZodType>(
    tool: Tool<Input, Output>,
    args: z.input<Input>,
    within: Manner & { readonly operation: Operation },
  ): Promise<z.output<Output> | null> {
    try {
      return await this.call(tool, args, within);
    } catch (error) {
      if (error instanceof EarshotError && error.code === "not_found") return null;
      throw error;
    }
  }

  async #open({ guildId, locale }: Invocation, request: OpenRequest): Promise<Operation> {
    const guilds = guildId === null ? "all" : [guildId];
    const grant: Grant = { ...OWN_GRANT, scopes: SCOPES, guilds, directMessages: false };
    try {
      return await this.#deps.operations.open({ name: "discord", grant }, { ...request, locale });
    } catch (error) {
      const isClosed = error instanceof EarshotError && error.code === "not_found";
      throw isClosed ? new EarshotError("not_found", "Commands do not work in this channel.", { cause: error }) : error;
    }
  }
}
