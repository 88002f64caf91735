import { z } from "zod";
import { attachmentSchema, messageSchema } from "../../domain/message.ts";
import type { Tool } from "../../tools/define-tool.ts";
import { factSchema } from "../../tools/fact-fields.ts";
import { channelSchema, coverageSchema, readSchema, sourceSchema } from "../../tools/fields.ts";
import { pictureSchema } from "../../tools/pictures.ts";
import { searchOutput } from "../../tools/search-fields.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Shapes that occur in many methods, inner ones first. Shapes that the client imports are not generated again. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  Attachment: attachmentSchema,
  Message: messageSchema,
  Coverage: coverageSchema,
  Source: sourceSchema,
  ReadResult: readSchema,
  SearchResult: searchOutput,
  ChannelInfo: channelSchema,
  Picture: pictureSchema,
  Fact: factSchema,
};
const IMPORTED: ReadonlySet<string> = new Set(["Attachment", "Message"]);

/** The file `src/client/tool-methods.ts`: the input and output of each tool, from its schemas. */
export function renderToolMethods(tools: readonly Tool[]): string {
  const own = Object.entries(SHAPES).filter(([name]) => !IMPORTED.has(name));
  return [
    "// Made by `npm run docs` from the schemas of the tools; changes belong there.",
    'import type { Message } from "../domain/message.ts";',
    "",
    ...own.flatMap(([name, schema]) => [`type ${name} = ${toObject(toOutput(schema))};`, ""]),
    "/** What each tool takes and answers. */",
    "export interface ToolMethods {",
    ...tools.flatMap(({ name, about, input, output }) => [
      `  /** ${about} */`,
      `  readonly ${JSON.stringify(name)}: {`,
      `    readonly args: ${toType(toInput(input))};`,
      `    readonly value: ${toType(toOutput(output))};`,
      "  };",
    ]),
    "}",
    "",
  ].join("\n");
}

function toInput(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function toOutput(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
}

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(SHAPES).map(([name, schema]) => [toKey(toOutput(schema)), name]),
);

/** The schema without its description, which differs between uses. */
function toKey({ $schema: _, $defs: __, description: ___, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}

function toType(schema: JsonSchema): string {
  const name = NAMES.get(toKey(schema));
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((one) => toType(one as JsonSchema)).join(" | ");
  if (Array.isArray(schema.type))
    return (schema.type as string[]).map((type) => toType({ type } as JsonSchema)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return toList(toType((schema.items ?? {}) as JsonSchema));
    case "object":
      return toObject(schema);
    default:
      return "unknown";
  }
}

function toList(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

/** Optional fields may also be null. */
function toObject({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties) as [string, JsonSchema][];
  if (fields.length === 0) return additionalProperties ? "Record<string, unknown>" : "Record<string, never>";
  const typed = fields.map(([field, schema]) =>
    required.includes(field) ? `${field}: ${toType(schema)}` : `${field}?: ${toType(schema)} | null | undefined`,
  );
  return `{ ${typed.join("; ")} }`;
}
