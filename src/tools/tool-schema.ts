import { z } from "zod";
import type { Tool } from "./define-tool.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The description of a tool for a model, as short as possible. */
export interface ToolSchema {
  /** On wires that forbid dots. */
  readonly name: string;
  readonly about: string;
  readonly input: JsonSchema;
  /** The names of what comes back, and of what kind each is: what stands in messages and facts is the same everywhere. */
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
  "maximum",
]);
/** Fields that mean the same in every tool, and need no words in each. */
const SELF_EXPLANATORY = new Set([
  "cursor",
  "until",
  "topic",
  "about",
  "visibility",
  "focus",
  "for",
  "before",
  "after",
  "around",
]);
/** How many results there are is the model's own choice, so it is told what it may choose from. */
const WITH_BOUNDS = "limit";

const MAX_OUTLINED = 8;

/** They follow from the tool alone, and take long to make. */
const schemas = { here: new WeakMap<Tool, ToolSchema>(), nowhere: new WeakMap<Tool, ToolSchema>() };

/** `isFromNowhere`: requests are made outside of Discord, where there is no channel that could be meant when none is named. */
export function toToolSchema(tool: Tool, { isFromNowhere = false } = {}): ToolSchema {
  const known = isFromNowhere ? schemas.nowhere : schemas.here;
  const schema = known.get(tool) ?? makeSchema(tool, isFromNowhere);
  known.set(tool, schema);
  return schema;
}

function makeSchema(tool: Tool, isFromNowhere: boolean): ToolSchema {
  const { name, about, input, output, hereField } = tool;
  const { properties, required = [], ...schema } = toObjectSchema(lean(z.toJSONSchema(input, { io: "input" })));
  const isNeeded = (field: string) => required.includes(field) || (isFromNowhere && field === hereField);
  const fields = listedFields(tool, properties);
  return {
    name: toWireName(name),
    about,
    input: {
      ...schema,
      properties: Object.fromEntries(
        fields.map((field) => [field, toBrief(properties[field] ?? {}, field === hereField && !isFromNowhere)]),
      ),
      ...(fields.some(isNeeded) && { required: fields.filter(isNeeded) }),
    },
    output: toOutline(toObjectSchema(z.toJSONSchema(output, { io: "output" }))),
  };
}

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export function toWireName(name: string): string {
  return name.replaceAll(".", "_");
}

/** Every tool takes and returns an object. */
function toObjectSchema(schema: JsonSchema): ObjectSchema {
  return { ...schema, properties: (schema["properties"] ?? {}) as ObjectSchema["properties"] };
}

/** How long a text may be, and whether it has links, is said once for all tools. */
function listedFields(
  { unlisted = [], maxTokensField, linksField }: Tool,
  properties: ObjectSchema["properties"],
): string[] {
  const hidden = new Set([...unlisted, maxTokensField, linksField]);
  return Object.keys(properties).filter((field) => !hidden.has(field));
}

/** Text after a semicolon is for readers who want details. */
function toBrief({ description, ...schema }: JsonSchema, isWhole: boolean): JsonSchema {
  if (typeof description !== "string") return schema;
  return { ...schema, description: isWhole ? description : description.split("; ")[0] };
}

/** The first fields, and of what kind each is where that is a list or an object; a field that is always the same is left out. */
function toOutline({ properties }: ObjectSchema): JsonSchema {
  const fields = Object.entries(properties)
    .filter(([, schema]) => schema["const"] === undefined)
    .slice(0, MAX_OUTLINED)
    .map(([field, { type }]) => [field, type === "array" || type === "object" ? { type } : {}]);
  return { type: "object", properties: Object.fromEntries(fields) };
}

function lean(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !LEFT_TO_THE_GATE.has(key))
      .map(([key, value]) => [key, key === "properties" ? leanEach(value) : leanValue(value)]),
  );
}

/** A property may be called like a keyword. */
function leanEach(properties: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { description, default: usual, ...rest } = lean(schema);
      const { maximum } = schema as { maximum?: number };
      const isTelling = (typeof usual === "string" && usual !== "") || (name === WITH_BOUNDS && usual !== undefined);
      const hasWords = description !== undefined && !SELF_EXPLANATORY.has(name);
      return [
        name,
        {
          ...rest,
          ...(isTelling && { default: usual }),
          ...(name === WITH_BOUNDS && { maximum }),
          ...(hasWords && { description }),
        },
      ];
    }),
  );
}

function leanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanValue);
  return typeof value === "object" && value !== null ? lean(value) : value;
}
