import { z } from "zod";
import { CLIENT_EVENTS } from "../../domain/rpc/client-events.ts";
import { FRAMES, PROTOCOL } from "../../domain/rpc/rpc-frames.ts";
import type { Description } from "../../domain/rpc/rpc-methods.ts";
import type { Method } from "./methods.ts";

/** The protocol as data, for `rpc.describe` and the reference page. */
export function describeProtocol(methods: Iterable<Method>): Description {
  return {
    protocol: PROTOCOL,
    methods: Array.from(methods, ({ name, about, effect, tool, isWithinOperation, input, output }) => ({
      name,
      about,
      effect,
      within_operation: isWithinOperation,
      for_models: tool !== null && !tool.isForPrograms,
      scope: tool?.scope ?? null,
      args: toJsonSchema(input),
      result: toJsonSchema(output),
    })),
    frames: FRAMES.map(({ op, from, about, schema }) => ({ op, from, about, schema: toJsonSchema(schema) })),
    events: Object.entries(CLIENT_EVENTS).map(([name, schema]) => ({ name, payload: toJsonSchema(schema) })),
  };
}

/** The input form of the schema: fields with a default are optional, and unknown fields of later versions are allowed. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return $defs ? (withAnyJson(rest) as Record<string, unknown>) : rest;
}

/** Only JSON values are recursive, and `{}` allows exactly these. */
function withAnyJson(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyJson);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } = schema as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withAnyJson(value)]));
}
