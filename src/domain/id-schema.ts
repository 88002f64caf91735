import { z } from "zod";

/** A Discord id on the wire: a string of digits. The kind of thing it names is known to the compiler only. */
export function idSchema<Id extends string>(): z.ZodType<Id, Id> {
  const schema: z.ZodType<string, string> = z
    .string()
    .regex(/^(0|[1-9]\d{0,19})$/, "must be a Discord id, a string of digits");
  return schema as z.ZodType<unknown, unknown> as z.ZodType<Id, Id>;
}
