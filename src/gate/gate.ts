import type { UserId } from "../domain/ids.ts";
import type { OpenPace } from "../domain/steps/pace.ts";
import type { Audit } from "../policy/audit.ts";
import type { Confirmations } from "../policy/confirmations.ts";
import type { Limits } from "../policy/limits.ts";
import type { Lookups } from "../policy/lookups.ts";
import type { Client, Operation } from "../policy/operation.ts";
import type { Rules } from "../policy/rules.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Search } from "../ports/search.ts";
import type { Progress, Timelines } from "../ports/timelines.ts";
import type { Summariser } from "../summary/summariser.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PendingEffects } from "./effects-under-way.ts";

export interface ToolCall {
  readonly name: string;
  /** As it came over the wire. */
  readonly args: unknown;
  readonly operation: Operation;
  /** Whether the answer is also wanted as text for a model. */
  readonly wantsText?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ToolAnswer {
  /** As the tool's output schema says. */
  readonly value: unknown;
  /** For a model: what others wrote stands in a block that it cannot leave. Null when it was not asked for. */
  readonly text: string | null;
}

/** What a transport needs: the tools as data, and the only ways to have something done. */
export interface Gate {
  readonly tools: readonly Tool[];
  /** Whether a client may use a tool at all. */
  isFor(tool: Tool, client: Client): boolean;
  /** The only way a tool runs. Throws an `EarshotError`; `invalid` names the field that is wrong. */
  callTool(call: ToolCall): Promise<ToolAnswer>;
  readonly confirmations: Pick<Confirmations, "pending" | "find" | "reject">;
  /** Whether this person may be shown an action that waits for their confirmation: they may still know everything it is based on. */
  mayReview(id: string, actor: UserId): Promise<boolean>;
  /** Does what waits for this person's confirmation. Throws `not_found` if nothing does, and as `callTool` if it may no longer be done. */
  confirm(id: string, actor: UserId): Promise<void>;
}

export interface GateDeps {
  readonly tools: readonly Tool[];
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly search: Search;
  readonly rules: Rules;
  readonly limits: Limits;
  readonly lookups: Lookups;
  readonly audit: Audit;
  readonly confirmations: Confirmations;
  readonly summariser: Summariser;
  readonly pendingEffects: PendingEffects;
  readonly openPace: OpenPace;
  /** IANA name of the time zone in which people's words for times are read. */
  readonly timeZone: string;
  readonly clock: Clock;
  /** Unguessable. */
  mintId(): string;
  /** Called after every call: how it ended (`ok` or an error code) and how long it took. */
  onCall?(call: { tool: string; outcome: string; milliseconds: number }): void;
}
