import { z } from "zod";
import { CLIENT_EVENTS } from "../../domain/rpc/client-events.ts";
import { FRAMES, PROTOCOL } from "../../domain/rpc/rpc-frames.ts";
import type { Description } from "../../domain/rpc/rpc-methods.ts";
import type { Method } from "./methods.ts";

/** The protocol as data: `rpc.describe` answers with it, and the reference page is made from it. */
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

/** As one writes it: fields with a default may be left out, and what is sent may hold fields that a later version adds. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return $defs ? (withAnyJson(rest) as Record<string, unknown>) : rest;
}

/** Only values of JSON refer to themselves, and `{}` allows just these. */
function withAnyJson(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyJson);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } = schema as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withAnyJson(value)]));
}
