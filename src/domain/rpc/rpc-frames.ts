import { z } from "zod";
import { ERRORS, type ErrorCode } from "../errors.ts";

export const PROTOCOL = 1;

/** Offered by a client that must send its token in the subprotocols, because it cannot set headers. */
export const SUBPROTOCOL = "earshot.rpc.v1";
export const BEARER_SUBPROTOCOL = "earshot.bearer.";

const id = z.string().min(1).max(128).describe("Chosen by the sender; unique among the frames it has under way");
const replyTo = z.string().describe("The id of the frame that this answers");
const cursor = z.string().max(128).describe("A place in the stream of events; a reconnect may go on from it");
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

const callFrame = z.strictObject({
  id,
  op: z.literal("rpc/call"),
  payload: z.strictObject({
    method: z
      .string()
      .min(1)
      .max(128)
      .describe("Such as discord.channel.messages; discord/channel.messages is the same"),
    args: z.record(z.string(), z.unknown()).default({}),
    operation_id: z.string().min(1).max(128).nullish().describe("The operation within which a tool is called"),
    text: z.boolean().default(false).describe("Whether the answer of a tool is wanted as text for a model, too"),
  }),
});

const cancelFrame = z.strictObject({
  id,
  op: z.literal("rpc/cancel"),
  payload: z.strictObject({ call: id.describe("The id of the call to call off") }),
});

export const clientFrame = z.discriminatedUnion("op", [callFrame, cancelFrame]);

const wireErrorSchema = z.object({
  /** A newer server may know more codes; unknown ones count as internal. */
  code: errorCode.catch("internal"),
  message: z.string().describe("What happened and what to do, in words"),
  retry_after: z.number().min(0).optional().describe("Seconds to wait before trying again"),
  retry: z.literal(true).optional().describe("Trying again can help"),
  confirmation_id: z.string().optional().describe("What a person has been asked to confirm"),
  hint: z.string().optional().describe("The next step, where the message does not say it"),
  candidates: z
    .array(z.object({ name: z.string(), id: z.string().optional() }))
    .optional()
    .describe("What a name could mean, or may be a misspelling of; names of people and channels were chosen by others"),
});

const returnFrame = z.object({
  id,
  op: z.literal("rpc/ret"),
  reply_to: replyTo
    .nullable()
    .describe("The id of the frame that this answers; null when it had none that could be read"),
  payload: z.discriminatedUnion("ok", [
    z.object({
      ok: z.literal(true),
      value: z.unknown(),
      text: z.string().optional().describe("For a model: what others wrote stands in a block that it cannot leave"),
    }),
    z.object({ ok: z.literal(false), error: wireErrorSchema }),
  ]),
});

const helloFrame = z.object({
  id,
  op: z.literal("event/hello"),
  cursor,
  payload: z.object({
    client: z.string().describe("The name under which the token is known"),
    protocol: z.literal(PROTOCOL),
    heartbeat_seconds: z.number().positive().describe("A server that is silent for much longer is gone"),
    methods: z
      .record(z.string(), z.enum(["read", "send"]))
      .describe("What this client may call; what only reads may be repeated after a lost connection"),
  }),
});

const heartbeatFrame = z.object({
  id,
  op: z.literal("event/heartbeat"),
  cursor,
  payload: z.object({}),
});

const progressFrame = z.object({
  id,
  op: z.literal("event/progress"),
  reply_to: replyTo,
  payload: z.object({
    scanned: count.describe("Messages examined so far"),
    scan: count.describe("Messages that may be examined"),
    found: count,
  }),
});

const gapSchema = z.object({
  from_cursor: z.string().describe("The last event before the gap"),
  to_cursor: z.string().describe("Events go on after this one"),
  reason: z
    .enum(["slow_reader", "unknown_cursor"])
    .describe("The client read too slowly, or the server no longer holds what followed the cursor"),
});

const gapFrame = z.object({ id, op: z.literal("event/gap"), cursor, payload: gapSchema });

const eventFrame = z.object({
  id,
  op: z.templateLiteral(["event/discord.", z.string()]),
  operation_id: z
    .string()
    .optional()
    .describe("Present when the event addresses the agent: tools may be called within it"),
  cursor,
  context: z
    .unknown()
    .optional()
    .describe("What context.window answers, where the address of the connection said context=window"),
  payload: z.unknown().describe("By the name of the event; see the events"),
});

/** All frames of a server that this version knows. */
export const serverFrame = z.union([
  z.discriminatedUnion("op", [returnFrame, helloFrame, heartbeatFrame, progressFrame, gapFrame]),
  eventFrame,
]);

/** All frames, for the documents and for `rpc.describe`. */
export const FRAMES = [
  { op: "rpc/call", from: "client", about: "Calls a method.", schema: callFrame },
  {
    op: "rpc/cancel",
    from: "client",
    about: "Calls off a call, which is then answered `cancelled`.",
    schema: cancelFrame,
  },
  { op: "rpc/ret", from: "server", about: "The answer to a frame. Every frame gets one.", schema: returnFrame },
  { op: "event/hello", from: "server", about: "The first frame of a connection.", schema: helloFrame },
  {
    op: "event/heartbeat",
    from: "server",
    about: "Sent regularly, with the cursor up to which the client knows everything that it may.",
    schema: heartbeatFrame,
  },
  { op: "event/progress", from: "server", about: "How far a long call has come.", schema: progressFrame },
  { op: "event/gap", from: "server", about: "Events were left out here.", schema: gapFrame },
  { op: "event/discord.…", from: "server", about: "Something happened on Discord.", schema: eventFrame },
] as const;

export type ClientFrame = z.output<typeof clientFrame>;
export type CallFrame = z.output<typeof callFrame>;
export type WireError = z.output<typeof wireErrorSchema>;
export type Answer = z.output<typeof returnFrame>["payload"];
export type ProgressPayload = z.output<typeof progressFrame>["payload"];
export type Hello = z.output<typeof helloFrame>["payload"];
export type RpcGap = z.output<typeof gapSchema>;
