import type { ChannelId, UserId } from "../domain/ids.ts";
import type { Confirmations } from "../policy/confirmations.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { SessionLabel } from "../sources/session-label.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { ToldSource } from "./call/audit-rows.ts";
import type { ToolAnswer, ToolCall } from "./call/tool-call.ts";
import type { ReviewActions } from "./effects/review-prompts.ts";

interface TellableChannel {
  readonly channelId: ChannelId;
  readonly isTellable: boolean;
}

/** The gate for transports: the tools as data, and the only ways to execute anything. */
export interface Gate extends ReviewActions {
  readonly tools: readonly Tool[];
  /** Whether a client may use a tool at all. */
  isFor(tool: Tool, client: Client): boolean;
  /** The only way to run a tool. Throws an `EarshotError`; `invalid` names the wrong field. */
  callTool(call: ToolCall): Promise<ToolAnswer>;
  /** Items that answers within an operation contained, as far as its actor may still know them. */
  toldIn(operation: Operation): readonly ToldSource[];
  /** The channels, without threads, that the actor can read, and whether all readers of each may know everything read within the
   * operation. */
  tellable(operation: Operation): readonly TellableChannel[];
  /**
   * Asks the actor whether a session's earlier reads shall stop limiting their confirmed actions. `operation`: one for this purpose, with a
   * label separate from the session's. Resolves once they have confirmed; throws `confirmation_needed` before, `forbidden` and
   * `rate_limited`.
   */
  startOver(operation: Operation, label: SessionLabel): Promise<void>;
  /** Whether they have confirmed a start over within the last hour, for this client. */
  hasStartedOver(client: Pick<Client, "name">, actor: UserId): boolean;
  readonly confirmations: Pick<Confirmations, "pending" | "find" | "reject">;
}

/** The id of the message or fact behind a handle, such as m7 or f2, in texts for a model; undefined if no text contained it. */
export type IdOf = (operation: Operation, handle: string) => string | undefined;
