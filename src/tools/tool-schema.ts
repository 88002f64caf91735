import { z } from "zod";
import type { Tool } from "./define-tool.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The description of a tool for a model, as short as possible. */
export interface ToolSchema {
  /** For wires that forbid dots. */
  readonly name: string;
  readonly about: string;
  readonly input: JsonSchema;
  /** The names and kinds of the output's fields; fields of messages and facts are the same everywhere. */
  readonly output: JsonSchema;
}

/** The gate validates these anyway, and explains errors in words; in a list that a model reads each time they are dead weight. */
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
/** Fields with the same meaning in every tool, which need no description in each. */
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
/** The number of results is the model's own choice, so it is told the bounds. */
const WITH_BOUNDS = "limit";

const MAX_OUTLINED = 8;

/** Cached, because they depend on the tool alone and take long to create. */
const schemas = { here: new WeakMap<Tool, ToolSchema>(), nowhere: new WeakMap<Tool, ToolSchema>() };

/** `isFromNowhere`: requests come from outside of Discord, without a channel as the default. */
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

function toObjectSchema(schema: JsonSchema): ObjectSchema {
  return { ...schema, properties: (schema["properties"] ?? {}) as ObjectSchema["properties"] };
}

/** The limit of a text, and whether it has links, is described once for all tools. */
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

/** The first fields, with the kind of lists and objects; constant fields are left out. */
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

/** A property may have the name of a keyword. */
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
