import { z } from "zod";

export function optionalFields(schema: z.ZodType): ReadonlySet<string> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return new Set(Object.keys(properties)).difference(new Set(required));
}

/** Removes nulls that stand for missing optional fields, as many callers send them. Calls `optional` only if there is a null. */
export function withoutNulls(value: unknown, optional: () => ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (!Object.values(value).includes(null)) return value;
  const fields = optional();
  return Object.fromEntries(Object.entries(value).filter(([field, given]) => given !== null || !fields.has(field)));
}
