import type { z } from "zod";

const MAX_PROBLEMS = 10;
const MAX_KEY_LENGTH = 50;

/** Parses, and says what is wrong in our own words where a schema has none of its own. */
export function parseInWords<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: describeIssue });
}

/** Names every field that is wrong, without repeating what stood in it. `root` stands for the whole. */
export function describeProblems(error: z.ZodError, root: string): string {
  return error.issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) => {
      const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, MAX_PROBLEMS) : [];
      const keys = unknown.map((key) => key.slice(0, MAX_KEY_LENGTH)).join(", ");
      return keys === ""
        ? `${issue.path.join(".") || root}: ${issue.message}`
        : `${[...issue.path, keys].join(".")}: there is no such field`;
    })
    .join("; ");
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${KINDS[issue.expected] ?? issue.expected} (got ${kindOf(issue.input)})`;
    case "too_small":
      return `must be ${sizeOf(issue.origin, `at least ${issue.minimum}`)}`;
    case "too_big":
      return `must be ${sizeOf(issue.origin, `at most ${issue.maximum}`)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_union":
      return issue.discriminator === undefined ? "is none of the forms that it may have" : "is not known";
    default:
      return "is not valid";
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function kindOf(input: unknown): string {
  if (input === null) return "null";
  return KINDS[Array.isArray(input) ? "array" : typeof input] ?? "something else";
}

function sizeOf(origin: string, bound: string): string {
  if (origin === "string") return `${bound} characters long`;
  return origin === "array" ? `a list of ${bound} items` : bound;
}
