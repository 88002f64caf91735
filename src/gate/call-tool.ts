import type { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { allowsTool } from "../policy/grant.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord } from "../ports/discord.ts";
import type { Timelines } from "../ports/timelines.ts";
import type { Tool } from "../tools/define-tool.ts";
import { openView } from "./open-view.ts";
import { SentOnce } from "./sent-once.ts";
import type { ToolCall } from "./tool-call.ts";

/** The only way a tool runs. Throws an `EarshotError`; `invalid` names the field that is wrong. */
type CallTool = (call: ToolCall) => Promise<unknown>;

/** What a transport needs: the tools as data, and the way to call them. */
export interface Gate {
  readonly tools: readonly Tool[];
  callTool: CallTool;
}

export interface GateDeps {
  readonly tools: readonly Tool[];
  readonly discord: Discord;
  readonly timelines: Timelines;
  readonly clock: Clock;
  /** Told of every call: how it ended (`ok` or an error code) and how long it took. */
  onCall?(call: { tool: string; outcome: string; milliseconds: number }): void;
}

export function createGate(deps: GateDeps): Gate {
  const byName = new Map(deps.tools.map((tool) => [tool.name, tool]));
  const sentOnce = new SentOnce();
  return {
    tools: deps.tools,
    async callTool(call) {
      const start = deps.clock.now();
      const tool = byName.get(call.name);
      let outcome = "internal";
      try {
        if (!tool) throw new EarshotError("not_found", `There is no tool called ${call.name.slice(0, 100)}.`);
        const result = await runTool(tool, call, { ...deps, sentOnce });
        outcome = "ok";
        return result;
      } catch (error) {
        if (error instanceof EarshotError) outcome = error.code;
        throw error;
      } finally {
        deps.onCall?.({ tool: tool?.name ?? "unknown", outcome, milliseconds: deps.clock.now() - start });
      }
    },
  };
}

async function runTool(tool: Tool, call: ToolCall, deps: GateDeps & { sentOnce: SentOnce }): Promise<unknown> {
  const { operation, signal } = call;
  if (operation.expiresAt <= deps.clock.now())
    throw new EarshotError("not_found", "There is no such operation, or it has expired.");
  if (!allowsTool(operation.client.grant, tool)) {
    throw new EarshotError(
      "forbidden",
      `This client is not granted ${tool.name}, which needs the scope ${tool.scope}.`,
    );
  }
  const input = tool.input.safeParse(call.args ?? {});
  if (!input.success) throw new EarshotError("invalid", describeProblems(input.error));
  if (signal?.aborted) throw new EarshotError("cancelled", "The call was cancelled.");
  return tool.run(input.data, openView(call, deps));
}

function describeProblems(error: z.ZodError): string {
  return error.issues
    .slice(0, 10)
    .map((issue) => `${issue.path.join(".") || "args"}: ${issue.message}`)
    .join("; ");
}
