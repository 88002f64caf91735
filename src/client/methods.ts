import type { z } from "zod";
import type { OWN_METHODS } from "../domain/rpc/rpc-methods.ts";
import type { ToolMethods } from "./tool-methods.ts";

type Declared = { readonly input: z.ZodType; readonly output: z.ZodType };

interface Typed<Of extends Declared> {
  readonly args: Plain<z.input<Of["input"]>>;
  readonly value: z.output<Of["output"]>;
}

/** An id that a caller writes down is any string; its kind is for Earshot's own code. */
type Plain<Value> = Value extends { readonly brand: string }
  ? string
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Plain<Value[Key]> }
      : Value;

type Own = typeof OWN_METHODS;

/** Arguments and answers of each method, from the schemas that the server itself uses. */
export type Methods = { readonly [Name in keyof Own]: Typed<Own[Name]> } & ToolMethods;

/** The conversation around an event that addresses the agent. */
export type ContextWindow = Methods["context.window"]["value"];
