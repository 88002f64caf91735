import { z } from "zod";
import { type FormProblem, invalidForm } from "../actions/errors.ts";
import { isSnowflake } from "../world/snowflake.ts";

/** Validates input. Throws one error with all problems, in Discord's words. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw invalidForm(result.error.issues.flatMap((issue) => toProblems(issue)));
}

/** An id. Also accepts numbers, as Discord does. */
export const snowflake = z.unknown().transform((value, context) => {
  const id = typeof value === "number" ? String(value) : value;
  if (isSnowflake(id)) return id;
  const isMissing = value === undefined;
  context.addIssue({
    code: "custom",
    message: isMissing ? "This field is required" : `Value "${shown(value)}" is not snowflake.`,
    params: { code: isMissing ? "BASE_TYPE_REQUIRED" : "NUMBER_TYPE_COERCE" },
  });
  return z.NEVER;
});

/** Permissions as a number, or as the text of one. */
export const permissionBits = z.unknown().transform((value, context) => {
  const text = typeof value === "number" ? String(value) : value;
  if (isSnowflake(text)) return BigInt(text);
  context.addIssue({
    code: "custom",
    message: `Value "${shown(value)}" is not int.`,
    params: { code: "NUMBER_TYPE_COERCE" },
  });
  return z.NEVER;
});

/** A whole number in a query string. */
export function queryInteger(least: number, most: number) {
  return z
    .string()
    .transform((text, context) => {
      const number = Number(text);
      if (text.trim() !== "" && Number.isInteger(number)) return number;
      context.addIssue({
        code: "custom",
        message: `Value "${text}" is not int.`,
        params: { code: "NUMBER_TYPE_COERCE" },
      });
      return z.NEVER;
    })
    .pipe(z.number().min(least).max(most));
}

export const queryBoolean = z.string().transform((text, context) => {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  context.addIssue({
    code: "custom",
    message: "Must be either true or false.",
    params: { code: "BOOLEAN_TYPE_PARSE" },
  });
  return z.NEVER;
});

/** A query as a plain object. Parameters named in `lists` may repeat. */
export function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: URLSearchParams,
  lists: readonly string[] = [],
): z.output<Schema> {
  const given: Record<string, string | string[]> = {};
  for (const name of new Set(query.keys())) {
    given[name] = lists.includes(name) ? query.getAll(name) : (query.get(name) ?? "");
  }
  return parse(schema, given);
}

type Issue = z.core.$ZodIssue;

const WRONG_TYPE: Readonly<Record<string, readonly [code: string, message: (value: string) => string]>> = {
  string: ["STRING_TYPE_CONVERT", (value) => `Could not interpret "${value}" as string.`],
  number: ["NUMBER_TYPE_COERCE", (value) => `Value "${value}" is not int.`],
  int: ["NUMBER_TYPE_COERCE", (value) => `Value "${value}" is not int.`],
  boolean: ["BOOLEAN_TYPE_PARSE", () => "Must be either true or false."],
  array: ["LIST_TYPE_CONVERT", () => "Only iterables may be used in a ListType"],
  object: ["DICT_TYPE_CONVERT", () => "Only dictionaries may be used in a DictType"],
  record: ["DICT_TYPE_CONVERT", () => "Only dictionaries may be used in a DictType"],
};

function toProblems(issue: Issue): FormProblem[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  const at = (code: string, message: string): FormProblem[] => [{ path, code, message }];
  const isMissing = issue.input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_union");
  if (isMissing) return at("BASE_TYPE_REQUIRED", "This field is required");
  switch (issue.code) {
    case "invalid_type": {
      const [code, message] = WRONG_TYPE[issue.expected] ?? ["BASE_TYPE_BAD_TYPE", () => "Wrong type"];
      return at(code, message(shown(issue.input)));
    }
    case "too_big":
      return issue.origin === "number" || issue.origin === "int"
        ? at("NUMBER_TYPE_MAX", `int value should be less than or equal to ${issue.maximum}.`)
        : at("BASE_TYPE_MAX_LENGTH", `Must be ${issue.maximum} or fewer in length.`);
    case "too_small":
      return issue.origin === "number" || issue.origin === "int"
        ? at("NUMBER_TYPE_MIN", `int value should be greater than or equal to ${issue.minimum}.`)
        : at("BASE_TYPE_MIN_LENGTH", `Must be ${issue.minimum} or more in length.`);
    case "invalid_value":
      return at(
        "BASE_TYPE_CHOICES",
        `Value must be one of {${issue.values.map((value) => JSON.stringify(value)).join(", ")}}.`,
      );
    case "custom":
      return at(String(issue.params?.["code"] ?? "BASE_TYPE_BAD_TYPE"), issue.message);
    default:
      return at("BASE_TYPE_BAD_TYPE", issue.message);
  }
}

const MAX_SHOWN_LENGTH = 100;

function shown(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.slice(0, MAX_SHOWN_LENGTH);
}
