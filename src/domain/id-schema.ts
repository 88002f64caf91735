import { z } from "zod";

export const ID_PATTERN = /^(0|[1-9]\d{0,19})$/;

/** A Discord id on the wire: a string of digits. Only the compiler knows the kind of thing it names. */
export function idSchema<Id extends string>(): z.ZodType<Id, Id> {
  const schema: z.ZodType<string, string> = z.string().regex(ID_PATTERN, "must be a Discord id, a string of digits");
  return schema as z.ZodType<unknown, unknown> as z.ZodType<Id, Id>;
}
