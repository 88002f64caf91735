import { z } from "zod";
import type { Config } from "../config/config.ts";
import { unknownName } from "../domain/text/unknown-name.ts";
import { refuseTool } from "../policy/decide.ts";
import { OPERATOR_GRANT } from "../policy/grant.ts";
import type { Tool } from "../tools/define-tool.ts";
import { tools } from "../tools/index.ts";
import { type ArgumentSchema, typesOf } from "./argument-schema.ts";
import { joinWords } from "./wrap.ts";

/** By its own name, or as wires that forbid dots write it. */
export function findTool(typed: string): Tool {
  const plain = (name: string) => name.replaceAll(/[./]/g, "_");
  const tool = tools.find(({ name }) => plain(name) === plain(typed));
  if (tool) return tool;
  throw unknownName({
    kind: "tool",
    typed,
    known: tools.map(({ name }) => name),
    list: "earshot tools lists them",
  });
}

function schemaOf(tool: Tool): ArgumentSchema {
  return z.toJSONSchema(tool.input, { io: "input" }) as ArgumentSchema;
}

/** With the complete schemas: of one tool, or of all. */
export function toDescriptions(one: Tool | null) {
  return (one ? [one] : tools).map((tool: Tool) => {
    const { name, about, effect, scope, toolset } = tool;
    return { name, about, effect, scope, toolset, args: schemaOf(tool) };
  });
}

export function listTools(config: Config): string[] {
  const bySet = Map.groupBy<string, Tool>(tools, ({ toolset }) => toolset);
  return [...bySet].flatMap(([toolset, own], index) => [
    `${index === 0 ? "" : "\n"}Toolset ${toolset}`,
    ...own.flatMap((tool) => [
      `  ${tool.name}${switchedOff(tool, config)}`,
      ...wrap([firstSentence(tool.about)], "      "),
      ...wrap(Object.entries(schemaOf(tool).properties ?? {}).map(toArgument(schemaOf(tool))), "      "),
    ]),
  ]);
}

/** `query=<text>`, and in brackets what may be left out: `[limit=10]`. */
function toArgument({ required = [] }: ArgumentSchema): (property: [string, ArgumentSchema]) => string {
  return ([name, schema]) => {
    if (required.includes(name)) return `${name}=<${typeName(schema)}>`;
    return schema.default === undefined || schema.default === ""
      ? `[${name}=<${typeName(schema)}>]`
      : `[${name}=${shownDefault(schema)}]`;
  };
}

export function describeTool(tool: Tool, config: Config, self: string): string[] {
  const schema = schemaOf(tool);
  const fields = Object.entries(schema.properties ?? {});
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  const needed = fields.filter(([name]) => schema.required?.includes(name));
  const example = needed.filter(([name]) => name !== "channel_id").map(([name]) => ` ${name}=…`);
  return [
    `${tool.name}${switchedOff(tool, config)}`,
    ...wrap([tool.about], "  "),
    "",
    `  Toolset  ${tool.toolset}`,
    `  Scope    ${tool.scope}`,
    `  Effect   ${tool.effect === "read" ? "reads only" : "speaks or changes something"}`,
    "",
    ...(fields.length === 0 ? ["  It takes no arguments."] : ["  Arguments"]),
    ...fields.flatMap(([name, field]) => {
      const is = schema.required?.includes(name) ? "required" : describeDefault(field);
      const [first = "", ...rest] = wrap([`${bounds(field)}; ${is}`, ...sentenceOf(field)], " ".repeat(width + 6));
      return [`    ${name.padEnd(width)}  ${first.trimStart()}`, ...rest];
    }),
    "",
    `  ${self} call ${tool.name} --as <person> --in <channel>${example.join("")}`,
  ];
}

function switchedOff(tool: Tool, { policy }: Config): string {
  return refuseTool({ tool, grant: OPERATOR_GRANT, rules: policy }) === "tool_switched_off"
    ? "  (switched off in the configuration)"
    : "";
}

function describeDefault(field: ArgumentSchema): string {
  return field.default === undefined || field.default === "" ? "optional" : `default: ${shownDefault(field)}`;
}

function shownDefault({ default: value }: ArgumentSchema): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /\s/.test(text) ? `"${text}"` : text;
}

function sentenceOf({ description }: ArgumentSchema): string[] {
  return description === undefined ? [] : [`· ${description}`];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "true or false",
  array: "list",
  object: "JSON object",
};

function typeName(schema: ArgumentSchema): string {
  if (schema.enum) return schema.enum.join("|");
  if (isId(schema)) return "id";
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length === 0) return "any JSON value";
  if (schema.type === "array" && schema.items) return `list of ${typeName(schema.items)}`;
  return [...new Set(types.map((type) => TYPE_NAMES[type] ?? type))].join(" or ");
}

/** Ids are the only texts that must be digits. */
function isId({ type, pattern }: ArgumentSchema): boolean {
  return type === "string" && pattern !== undefined && /\\d|\[0-9\]|\[1-9\]/.test(pattern);
}

/** "text, 1 to 200 characters", "number, 1 to 100". */
function bounds(schema: ArgumentSchema): string {
  const { minimum, maximum, minLength, maxLength } = schema;
  const name = typeName(schema);
  if (name === "id") return name;
  if (maxLength !== undefined) return `${name}, ${minLength ?? 0} to ${maxLength.toLocaleString("en")} characters`;
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${name}, ${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}` : name;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?= |$)/s.exec(text)?.[0] ?? text;
}

/** Arguments such as `[limit=10]` stay whole. */
function wrap(pieces: readonly string[], indent: string): string[] {
  const words = pieces.flatMap((piece) => (/^\[?\w+=/.test(piece) ? [piece] : piece.split(/\s+/)));
  return joinWords(words, { first: indent, hang: indent });
}
