import type { z } from "zod";
import type { Scope } from "../policy/grant.ts";
import type { View } from "./view.ts";

/** `read` changes nothing; `send` speaks or reacts in Discord. */
export type Effect = "read" | "send";

/** A tool, declared once: every transport, schema and document is made from this. */
export interface Tool<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** Dotted, such as `discord.channel.messages`; wires that forbid dots write `_`. */
  readonly name: string;
  readonly about: string;
  readonly effect: Effect;
  readonly scope: Scope;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, view: View): Promise<z.output<Output>>;
}

/** Lets the compiler tie `run` to the schemas. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}
