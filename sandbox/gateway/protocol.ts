import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from "discord-api-types/v10";
import { z } from "zod";
import { parseExactJson } from "../world/exact-json.ts";

/** The largest payload a client may send, in bytes. */
const MAX_PAYLOAD_BYTES = 4096;

const KNOWN_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === "number")
  .reduce((all, bit) => all | bit, 0);

/** Closes the connection with this code, which says what the client did wrong. */
export class GatewayRefusal extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.name = "GatewayRefusal";
    this.code = code;
  }
}

const identify = z.object({
  token: z.string(),
  intents: z.int().nonnegative(),
  properties: z.record(z.string(), z.unknown()),
  large_threshold: z.int().min(50).max(250).default(50),
  shard: z.unknown().optional(),
});

const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int().nonnegative() });

/** An id as text or as a number. An unused id is handled like any unknown one. */
const id = z.union([z.string(), z.int().nonnegative()]).transform(String);
const oneOrMore = z.union([id.transform((one) => [one]), z.array(id)]);

const requestMembers = z.object({
  guild_id: oneOrMore,
  query: z.string().optional(),
  limit: z.int().nonnegative().default(0),
  presences: z.boolean().default(false),
  user_ids: oneOrMore.optional(),
  nonce: z.string().optional(),
});

const requestSounds = z.object({ guild_ids: z.array(id) });

export type Identify = z.infer<typeof identify> & { readonly shard: readonly [number, number] };
export type Resume = z.infer<typeof resume>;
export type RequestMembers = z.infer<typeof requestMembers>;

export type ClientPayload =
  | { readonly op: GatewayOpcodes.Heartbeat }
  | { readonly op: GatewayOpcodes.Identify; readonly d: Identify }
  | { readonly op: GatewayOpcodes.Resume; readonly d: Resume }
  | { readonly op: GatewayOpcodes.RequestGuildMembers; readonly d: RequestMembers }
  | { readonly op: GatewayOpcodes.RequestSoundboardSounds; readonly d: z.infer<typeof requestSounds> }
  | { readonly op: GatewayOpcodes.PresenceUpdate | GatewayOpcodes.VoiceStateUpdate };

const envelope = z.object({ op: z.int(), d: z.unknown().optional() });

/** Parses a payload. Throws a `GatewayRefusal` where Discord would close the connection. */
export function parseClientPayload(text: string): ClientPayload {
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) throw decodeError();
  const { op, d } = decode(envelope, parseJson(text));
  switch (op) {
    case GatewayOpcodes.Heartbeat:
    case GatewayOpcodes.PresenceUpdate:
    case GatewayOpcodes.VoiceStateUpdate:
      return { op };
    case GatewayOpcodes.Identify:
      return { op, d: parseIdentify(d) };
    case GatewayOpcodes.Resume:
      return { op, d: decode(resume, d) };
    case GatewayOpcodes.RequestGuildMembers:
      return { op, d: decode(requestMembers, d) };
    case GatewayOpcodes.RequestSoundboardSounds:
      return { op, d: decode(requestSounds, d) };
    default:
      throw new GatewayRefusal(GatewayCloseCodes.UnknownOpcode, "Unknown opcode.");
  }
}

function parseIdentify(d: unknown): Identify {
  const parsed = decode(identify, d);
  if (parsed.intents & ~KNOWN_INTENTS || parsed.intents > KNOWN_INTENTS) {
    throw new GatewayRefusal(GatewayCloseCodes.InvalidIntents, "Invalid intent(s).");
  }
  const shard = z
    .tuple([z.int().nonnegative(), z.int().positive()])
    .refine(([id, count]) => id < count)
    .safeParse(parsed.shard ?? [0, 1]);
  if (!shard.success) throw new GatewayRefusal(GatewayCloseCodes.InvalidShard, "Invalid shard.");
  return { ...parsed, shard: shard.data };
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw decodeError();
  }
}

function decode<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw decodeError();
  return parsed.data;
}

function decodeError(): GatewayRefusal {
  return new GatewayRefusal(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
}
