import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { optionalFields, withoutNulls } from "../domain/optional-fields.ts";
import { describeProblems } from "../domain/text/describe-problems.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { OperationIds } from "./operation-ids.ts";

export interface ReadInput {
  /** As the tool's input schema says. */
  readonly input: unknown;
  /** What was read otherwise than it was given, a sentence each. */
  readonly notes: readonly string[];
}

/** A short name that an earlier answer gave to a message or a cursor. */
export const HANDLE = /^[mc]\d+$/;

type Arguments = Readonly<Record<string, unknown>>;

/** Other names of arguments, for a tool that has the argument and nothing of the other name. A hyphen counts as an underscore. */
const SPELLINGS: Readonly<Record<string, string>> = {
  channel_id: "channel",
  thread_id: "thread",
  guild: "server",
  guild_id: "server",
  message: "message_id",
  reply_to_message_id: "reply_to",
};

/** Reads what came over the wire as the arguments of a tool. Throws `invalid` with a sentence for each wrong one, and `not_found` for a handle that no answer gave. */
export function createArgumentReader(tool: Tool): (args: unknown, ids: () => OperationIds) => ReadInput {
  const { properties = {} } = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });
  const fields = properties as Readonly<Record<string, Bounds>>;
  const optional = optionalFields(tool.input);
  return (args, ids) => {
    if (typeof args !== "object" || args === null || Array.isArray(args)) return parse(tool, args ?? {}, []);
    const named = withoutNulls(toNamed(args as Arguments, new Set(Object.keys(fields))), () => optional) as Arguments;
    // What a call changes is refused rather than adjusted.
    const { value, notes } = tool.effect === "read" ? clamp(named, fields) : { value: named, notes: [] };
    return parse(tool, resolveHandles(tool, value, ids), notes);
  };
}

function parse(tool: Tool, value: unknown, notes: readonly string[]): ReadInput {
  const { success, data, error } = tool.input.safeParse(value);
  if (success) return { input: data, notes };
  throw new EarshotError("invalid", describeProblems(error, { schema: tool.input, value, whole: "The request" }));
}

/** Each argument under the tool's own name for it. */
function toNamed(args: Arguments, known: ReadonlySet<string>): Arguments {
  const named = new Map<string, { readonly spelling: string; readonly value: unknown }>();
  for (const [spelling, value] of Object.entries(args)) {
    const field = toField(spelling, known);
    const other = named.get(field);
    if (other && JSON.stringify(other.value) !== JSON.stringify(value))
      throw new EarshotError("invalid", `\`${other.spelling}\` and \`${spelling}\` are the same argument; give one.`);
    named.set(field, { spelling, value });
  }
  return Object.fromEntries([...named].map(([field, { value }]) => [field, value]));
}

function toField(spelling: string, known: ReadonlySet<string>): string {
  const plain = spelling.replaceAll("-", "_");
  for (const field of [spelling, plain, SPELLINGS[plain]]) if (field !== undefined && known.has(field)) return field;
  return spelling;
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

function clamp(args: Arguments, fields: Readonly<Record<string, Bounds>>): { value: Arguments; notes: string[] } {
  const notes: string[] = [];
  const value = Object.entries(args).map(([field, given]) => {
    const bounds = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (bounds?.maximum === undefined || typeof given !== "number" || !Number.isFinite(given)) return [field, given];
    const whole = Math.trunc(given);
    const used = Math.min(Math.max(whole, bounds.minimum ?? whole), bounds.maximum);
    const how = used === whole ? "not a whole number" : `${used < whole ? "more" : "less"} than ${used}`;
    if (used !== given) notes.push(`${field}: ${given} is ${how}; ${used} was used.`);
    return [field, used];
  });
  return { value: Object.fromEntries(value), notes };
}

/** A handle that an earlier answer gave, such as m7, stands for its message, or for the channel of that; c1 for a cursor. */
function resolveHandles({ handles = [], channels = [] }: Tool, args: Arguments, ids: () => OperationIds): Arguments {
  const resolved: Record<string, unknown> = { ...args };
  for (const field of handles) if (isHandle(args[field])) resolved[field] = ids().messageOf(args[field]) ?? notFound();
  for (const field of channels) {
    const message = isHandle(args[field]) ? ids().messageOf(args[field]) : undefined;
    // A channel may be called m7, too.
    if (message !== undefined) resolved[field] = ids().channelOf(message);
  }
  const { cursor } = args;
  if (typeof cursor === "string" && /^c\d+$/.test(cursor)) resolved["cursor"] = ids().cursorOf(cursor) ?? cursor;
  return resolved;
}

function isHandle(value: unknown): value is string {
  return typeof value === "string" && /^m\d+$/.test(value);
}

function notFound(): never {
  const hint = "Short names such as m7 serve for about a quarter of an hour; read again, or use an id or a link.";
  throw new EarshotError("not_found", "Message not found", { hint });
}
