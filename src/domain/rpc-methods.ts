import { z } from "zod";
import { idSchema } from "./id-schema.ts";
import type { ChannelId, MessageId, UserId } from "./ids.ts";
import { PROTOCOL } from "./rpc-frames.ts";

const jsonSchema = z.record(z.string(), z.unknown()).describe("A JSON Schema");

/** The methods that every RPC server has besides its tools. */
export const OWN_METHODS = {
  "rpc.ping": {
    about: "Answers at once.",
    input: z.strictObject({}),
    output: z.object({ pong: z.literal(true) }),
  },
  "rpc.describe": {
    about:
      "The protocol as data: the methods this client may call, the frames and the events, each with its JSON Schema.",
    input: z.strictObject({}),
    output: z.object({
      protocol: z.literal(PROTOCOL),
      methods: z.array(
        z.object({
          name: z.string(),
          about: z.string(),
          effect: z.enum(["read", "send"]),
          within_operation: z.boolean().describe("Needs an operation_id"),
          scope: z.string().nullable().describe("What the client's grant must hold"),
          args: jsonSchema,
          result: jsonSchema,
        }),
      ),
      frames: z.array(
        z.object({ op: z.string(), from: z.enum(["client", "server"]), about: z.string(), schema: jsonSchema }),
      ),
      events: z.array(z.object({ name: z.string(), payload: jsonSchema })),
    }),
  },
  "operation.open": {
    about:
      "Begins an operation for a person, where the client's grant names them. What addresses the agent brings its own.",
    input: z.strictObject({
      actor: idSchema<UserId>().describe("Id of the person on whose behalf to act"),
      channel_id: idSchema<ChannelId>().describe("Where the answer will be read"),
      message_id: idSchema<MessageId>().optional().describe("The message that asked"),
    }),
    output: z.object({ operation_id: z.string(), expires_at: z.string() }),
  },
} as const;

export type Description = z.output<(typeof OWN_METHODS)["rpc.describe"]["output"]>;
