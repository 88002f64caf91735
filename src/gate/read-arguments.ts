import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { withoutNulls } from "../domain/optional-fields.ts";
import { describeProblems } from "../domain/text/describe-problems.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { OperationIds } from "./call/audit-rows.ts";

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface ReadInput {
  /** Matches the tool's input schema. */
  readonly input: ToolArguments;
  /** One sentence for each adjusted argument. */
  readonly notes: readonly string[];
}

/** A handle of a message or cursor from an earlier answer. */
export const HANDLE = /^[mc]\d+$/;

/** Aliases of arguments, for tools that have the argument but none with the alias as its name. A hyphen counts as an underscore. */
const SPELLINGS: Readonly<Record<string, string>> = {
  channel_id: "channel",
  thread_id: "thread",
  guild: "server",
  guild_id: "server",
  message: "message_id",
  reply_to_message_id: "reply_to",
};

/** Parses the arguments of a tool from the wire. Throws `invalid` with a sentence for each wrong one, and `not_found` for an unknown
 * handle. */
export function readArguments(tool: Tool, args: unknown, ids: () => OperationIds): ReadInput {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return parse(tool, args ?? {}, []);
  const { bounds, names, optional } = describedFields.get(tool) ?? describeFields(tool);
  const named = withNumbers(
    withoutNulls(toNamed(args as ToolArguments, names), () => optional) as ToolArguments,
    bounds,
  );
  // Arguments of a call with effects are refused rather than adjusted.
  const { value, notes } = tool.effect === "read" ? clamp(named, bounds) : { value: named, notes: [] };
  return parse(tool, resolveHandles(tool, value, ids), notes);
}

/** Adds notes on adjusted arguments to a tool's output. Every tool with adjustable arguments has a note in its output. */
export function withNotes(value: unknown, notes: readonly string[]): unknown {
  const { note, ...rest } = value as { note?: string | null };
  return { ...rest, note: [...notes, ...(note ? [note] : [])].join(" ") };
}

interface Fields {
  readonly bounds: readonly Bounds[];
  readonly names: ReadonlyMap<string, string>;
  readonly optional: ReadonlySet<string>;
}

/** Cached, because it depends on the tool alone and takes longer than most calls. */
const describedFields = new WeakMap<Tool, Fields>();

function describeFields(tool: Tool): Fields {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });
  const fields = Object.keys(properties);
  const described = {
    bounds: listBounds(properties),
    names: listNames(fields),
    optional: new Set(fields).difference(new Set(required)),
  };
  describedFields.set(tool, described);
  return described;
}

function parse(tool: Tool, value: unknown, notes: readonly string[]): ReadInput {
  const { success, data, error } = tool.input.safeParse(value);
  if (success) return { input: data, notes };
  throw new EarshotError("invalid", describeProblems(error, { schema: tool.input, value, whole: "The request" }));
}

/** Maps each alias, and each name itself, to the tool's own name for the argument. */
function listNames(fields: readonly string[]): ReadonlyMap<string, string> {
  const others = Object.entries(SPELLINGS).filter(([, field]) => fields.includes(field));
  return new Map([...others, ...fields.map((field): [string, string] => [field, field])]);
}

function toNamed(args: ToolArguments, names: ReadonlyMap<string, string>): ToolArguments {
  const toField = (spelling: string) => names.get(spelling) ?? names.get(spelling.replaceAll("-", "_")) ?? spelling;
  // Without a prototype, `__proto__` is an ordinary name.
  const named: Record<string, unknown> = Object.create(null);
  for (const spelling in args) {
    const field = toField(spelling);
    if (Object.hasOwn(named, field) && JSON.stringify(named[field]) !== JSON.stringify(args[spelling])) {
      const other = Object.keys(args).find((one) => toField(one) === field);
      throw new EarshotError("invalid", `\`${other}\` and \`${spelling}\` are the same argument; give one.`);
    }
    named[field] = args[spelling];
  }
  return named;
}

interface Bounds {
  readonly field: string;
  readonly minimum: number;
  readonly maximum: number;
}

function listBounds(properties: object): readonly Bounds[] {
  return Object.entries(properties).flatMap(([field, { minimum = Number.NEGATIVE_INFINITY, maximum }]) =>
    maximum === undefined ? [] : { field, minimum, maximum },
  );
}

/** Models often write a number as text: "5" means 5. */
function withNumbers(args: ToolArguments, bounds: readonly Bounds[]): ToolArguments {
  const numbers: Record<string, number> = {};
  for (const { field } of bounds) {
    const given = Object.hasOwn(args, field) ? args[field] : undefined;
    if (typeof given === "string" && /^\s*[+-]?\d{1,15}\s*$/.test(given)) numbers[field] = Number(given);
  }
  return { ...args, ...numbers };
}

function clamp(args: ToolArguments, bounds: readonly Bounds[]): { value: ToolArguments; notes: readonly string[] } {
  const notes: string[] = [];
  const clamped: Record<string, number> = {};
  for (const { field, minimum, maximum } of bounds) {
    const given = Object.hasOwn(args, field) ? args[field] : undefined;
    if (typeof given !== "number" || !Number.isFinite(given)) continue;
    const whole = Math.trunc(given);
    const used = Math.min(Math.max(whole, minimum), maximum);
    if (used === given) continue;
    const how = used === whole ? "not a whole number" : `${used < whole ? "more" : "less"} than ${used}`;
    notes.push(`${field}: ${given} is ${how}; ${used} was used.`);
    clamped[field] = used;
  }
  return { value: notes.length === 0 ? args : { ...args, ...clamped }, notes };
}

/** Replaces handles from earlier answers, such as m7 (its message or that message's channel) and c1 (its cursor). */
function resolveHandles(
  { handles = [], channels = [] }: Tool,
  args: ToolArguments,
  ids: () => OperationIds,
): ToolArguments {
  let hasHandle = false;
  for (const field in args) hasHandle ||= typeof args[field] === "string" && HANDLE.test(args[field]);
  if (!hasHandle) return args;
  const resolved: Record<string, unknown> = { ...args };
  for (const field of handles) if (isHandle(args[field])) resolved[field] = ids().messageOf(args[field]) ?? notFound();
  for (const field of channels) {
    const message = isHandle(args[field]) ? ids().messageOf(args[field]) : undefined;
    // A channel may be named m7, too.
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
