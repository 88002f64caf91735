import { z } from "zod";
import type { Tool } from "./define-tool.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a model needs to know of a tool, in as few words as will do. */
export interface ToolSchema {
  /** On wires that forbid dots. */
  readonly name: string;
  readonly about: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** The gate checks all of it in any case, and says in words what is wrong; in a list that a model reads each time it is dead weight. */
const LEFT_TO_THE_GATE = new Set([
  "$schema",
  "additionalProperties",
  "pattern",
  "minLength",
  "maxLength",
  "maxItems",
  "minimum",
]);
/** Fields that mean the same in every tool, and need no words in each. */
const SELF_EXPLANATORY = new Set(["limit", "cursor", "max_tokens", "for"]);
/** Nobody comes near a bound like this by accident. */
const FAR = 10_000;

export function toToolSchema({ name, about, input, output }: Tool): ToolSchema {
  return {
    name: toWireName(name),
    about,
    input: lean(z.toJSONSchema(input, { io: "input" })),
    output: lean(z.toJSONSchema(output, { io: "output" })),
  };
}

export function toWireName(name: string): string {
  return name.replaceAll(".", "_");
}

function lean(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !LEFT_TO_THE_GATE.has(key) && !(key === "maximum" && value >= FAR))
      .map(([key, value]) => [key, key === "properties" ? leanEach(value) : leanValue(value)]),
  );
}

/** A property may be called like a keyword. */
function leanEach(properties: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { description, ...rest } = lean(schema);
      return [name, description === undefined || SELF_EXPLANATORY.has(name) ? rest : { ...rest, description }];
    }),
  );
}

function leanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanValue);
  return typeof value === "object" && value !== null ? lean(value) : value;
}
