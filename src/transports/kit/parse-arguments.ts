import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import { optionalFields, withoutNulls } from "../../domain/optional-fields.ts";
import { describeProblems } from "../../domain/text/describe-problems.ts";

/** Throws `invalid` with a sentence for each wrong field. */
export function parseArguments<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const value = withoutNulls(given, () => optionalFields(schema));
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EarshotError("invalid", describeProblems(parsed.error, { schema, value, whole: "The request" }));
}
