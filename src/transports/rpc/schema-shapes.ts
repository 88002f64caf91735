type JsonSchema = Readonly<Record<string, unknown>>;

const MAX_LINE_WIDTH = 140;

/** Shapes that occur in many places. The page prints each once, by name. */
export class SchemaShapes {
  readonly #shapes: ReadonlyMap<string, JsonSchema>;
  /** By their text without descriptions, which differ from place to place. */
  readonly #names: ReadonlyMap<string, string>;

  constructor(shapes: Readonly<Record<string, JsonSchema>>) {
    this.#shapes = new Map(Object.entries(shapes));
    this.#names = new Map(Object.entries(shapes).map(([name, schema]) => [toText(schema), name]));
  }

  /** Each shape, with the others in it by name. */
  all(): { readonly name: string; readonly text: string }[] {
    return [...this.#shapes].map(([name, schema]) => ({ name, text: format(this.#nameWithin(schema)) }));
  }

  /** Undefined for any other schema. */
  nameOf(schema: unknown): string | undefined {
    return isSchema(schema) ? this.#names.get(toText(schema)) : undefined;
  }

  /** The schema as text, with named shapes. */
  render(schema: unknown): string {
    return format(this.#name(schema));
  }

  #name(schema: unknown): unknown {
    if (!isSchema(schema)) return Array.isArray(schema) ? schema.map((each) => this.#name(each)) : schema;
    const name = this.nameOf(schema);
    if (name === undefined) return this.#nameWithin(schema);
    const { description } = schema;
    return { $ref: `#/${name}`, ...(description !== undefined && { description }) };
  }

  #nameWithin(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#name(value)]));
  }
}

function toText({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON in as few lines as fit the page. */
function format(value: unknown, indent = ""): string {
  const short = JSON.stringify(value);
  if (indent.length + short.length <= MAX_LINE_WIDTH || typeof value !== "object" || value === null) return short;
  const deeper = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each) => format(each, deeper))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${format(each, deeper)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.map((line) => `${deeper}${line}`).join(",\n")}\n${indent}${close}`;
}
