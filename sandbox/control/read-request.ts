import { z } from "zod";
import { nearestNames } from "../driver/nearest-names.ts";
import { parseExactJson } from "../world/exact-json.ts";
import { ControlError } from "./control-error.ts";

/** Room for the ten megabytes of files that Discord takes with a message, in base64. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** The JSON body of a request, as the schema has it. Throws `invalid` with every wrong field. */
export async function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await readJson(request), { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const candidates = issues.flatMap((issue) => candidatesOf(issue, schema));
  const problem = issues.map((issue) => describeIssue(issue, schema)).join(" ");
  throw new ControlError(400, "invalid", problem, candidates.length > 0 ? candidates : undefined);
}

async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new ControlError(415, "invalid", "Send JSON, with the header content-type: application/json.");
  }
  const text = await readText(request);
  try {
    return parseExactJson(text);
  } catch (error) {
    // A body that is nested too deeply is a RangeError.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new ControlError(400, "invalid", "The body is not JSON.");
  }
}

/** Reads on for a while beyond the maximum: a client that is still sending would not see the answer. */
async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    if (bytes > MAX_READ_BYTES) break;
  }
  if (bytes <= MAX_BODY_BYTES) return Buffer.concat(chunks).toString();
  throw new ControlError(413, "too_large", `The body may have at most ${MAX_BODY_BYTES} bytes.`);
}

type Issue = z.core.$ZodIssue;

function describeIssue(issue: Issue, schema: z.ZodType): string {
  const field = issue.path.length > 0 ? `\`${issue.path.map(String).join(".")}\`` : "The body";
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `${field} is missing.`
        : `${field} must be of the type ${issue.expected} (got ${typeOf(issue.input)}).`;
    case "too_big":
      return `${field} may be at most ${issue.maximum}${unitOf(issue.origin)}.`;
    case "too_small":
      return `${field} must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}${unitOf(issue.origin)}.`;
    case "invalid_value":
      return `${field} must be one of ${issue.values.map(String).join(", ")}.`;
    case "unrecognized_keys":
      return `There is no field ${issue.keys.map((key) => `\`${key.slice(0, 100)}\``).join(", ")}; there are ${fieldsOf(schema).join(", ")}.`;
    default:
      return optionsOf(issue).length > 0
        ? `${field} must be one of ${optionsOf(issue).join(", ")}.`
        : `${field} has a wrong type or value.`;
  }
}

function candidatesOf(issue: Issue, schema: z.ZodType): string[] {
  if (issue.code === "unrecognized_keys") return nearestNames(issue.keys[0] ?? "", fieldsOf(schema));
  return optionsOf(issue).length > 0 ? nearestNames(typedName(issue), optionsOf(issue)) : [];
}

/** The allowed values of a field that decides about all others. */
function optionsOf(issue: Issue): string[] {
  return issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options)
    ? issue.options.map(String)
    : [];
}

function typedName({ input, path }: Issue): string {
  const value = typeof input === "object" && input !== null ? Reflect.get(input, path.at(-1) ?? "") : input;
  return typeof value === "string" ? value : "";
}

function fieldsOf(schema: z.ZodType): string[] {
  const shapes = schema instanceof z.ZodDiscriminatedUnion ? schema.options : [schema];
  return [...new Set(shapes.flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : [])))];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " entries long" : "";
}
