import { z } from "zod";
import { ID_PATTERN } from "../id-schema.ts";
import { singleLine } from "./escape.ts";
import { nearestNames } from "./unknown-name.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

interface Checked {
  readonly schema: z.ZodType;
  /** The value that failed. Never repeated in a message: it may be long, secret or hostile. */
  readonly value: unknown;
  /** The name of the value as a whole, such as "The request". */
  readonly whole: string;
}

const MAX_PROBLEMS = 10;
const MAX_NAME_LENGTH = 50;

/** One sentence for each wrong field with the expected value, in Earshot's words instead of the library's. */
export function describeProblems(error: z.ZodError, checked: Checked): string {
  return error.issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) => describeProblem(issue, checked))
    .join(" ");
}

/** One sentence. `name` is what to call the field; its path by default. */
export function describeProblem(issue: z.core.$ZodIssue, { schema, value, whole }: Checked, name?: string): string {
  const place = name ?? (issue.path.length === 0 ? whole : `\`${issue.path.map(shorten).join(".")}\``);
  const node = nodeAt(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), issue.path);
  if (issue.code === "unrecognized_keys")
    return describeUnknown(issue.keys, issue.path, Object.keys(node.properties ?? {}));
  // Messages of Earshot's own schemas are already in its words.
  if (issue.message.startsWith("must ")) return `${place} ${issue.message}.`;
  if (issue.code === "custom") return `${place}: ${issue.message}.`;
  const given = valueAt(value, issue.path);
  const expected = describeExpected(node);
  if (given === undefined) return `${place} is missing${expected && `: it must be ${expected}`}.`;
  if (!expected) return `${place} is not as it should be.`;
  const isOtherKind = issue.code === "invalid_type" || issue.code === "invalid_union";
  return isOtherKind && !(typeof given === "number" && node.type === "integer")
    ? `${place} must be ${expected} (got ${kindOf(given)}).`
    : `${place} must be ${expected}.`;
}

function describeUnknown(keys: readonly string[], path: readonly PropertyKey[], known: readonly string[]): string {
  const sentences = keys.slice(0, MAX_PROBLEMS).map((key) => {
    const [meant] = nearestNames(key, known);
    const field = [...path, key].map(shorten).join(".");
    return `There is no field \`${field}\`${meant ? `; did you mean \`${meant}\`?` : "."}`;
  });
  return sentences.join(" ");
}

function describeExpected(node: JsonSchema): string {
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return `one of ${node.enum.map((one) => JSON.stringify(one)).join(", ")}`;
  const several = node.anyOf ?? node.oneOf;
  if (several)
    return [...new Set(several.map((one) => describeExpected(one as JsonSchema)).filter(Boolean))].join(" or ");
  switch (node.type) {
    case "integer":
      return `a whole number${describeRange(node.minimum, node.maximum)}`;
    case "number":
      return `a number${describeRange(node.minimum, node.maximum)}`;
    case "string":
      return node.pattern === ID_PATTERN.source ? "a Discord id, a string of digits" : `text${describeLength(node)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list${node.maxItems === undefined ? "" : ` of at most ${node.maxItems} items`}`;
    case "object":
      return "an object";
    case "null":
      return "null";
    default:
      return "";
  }
}

function describeRange(least: number | undefined, most: number | undefined): string {
  const [from, to] = [least, most].map((one) => (isMeaningfulBound(one) ? one.toLocaleString("en") : undefined));
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`;
  if (from !== undefined) return `, at least ${from}`;
  return to === undefined ? "" : `, at most ${to}`;
}

/** The safe-integer bounds that the schema library adds by itself are not worth naming. */
function isMeaningfulBound(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

function describeLength({ minLength, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return ` of ${minLength ?? 0} to ${maxLength.toLocaleString("en")} characters`;
  return minLength === undefined || minLength === 0 ? "" : " that is not empty";
}

function nodeAt(root: JsonSchema, path: readonly PropertyKey[]): JsonSchema {
  let node = root;
  for (const key of path) {
    const [inner] = [...(node.anyOf ?? []), ...(node.oneOf ?? []), node].flatMap((one) =>
      stepInto(one as JsonSchema, key),
    );
    node = inner ?? {};
  }
  return node;
}

function stepInto(node: JsonSchema, key: PropertyKey): JsonSchema[] {
  const inner =
    typeof key === "number" ? node.items : (node.properties?.[String(key)] ?? node.additionalProperties ?? undefined);
  return typeof inner === "object" && !Array.isArray(inner) ? [inner as JsonSchema] : [];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return undefined;
    inner = (inner as Record<PropertyKey, unknown>)[key];
  }
  return inner;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const kinds: Readonly<Record<string, string>> = { string: "text", number: "a number", boolean: "true or false" };
  return kinds[typeof value] ?? "an object";
}

function shorten(key: PropertyKey): string {
  return singleLine(String(key).slice(0, MAX_NAME_LENGTH));
}
