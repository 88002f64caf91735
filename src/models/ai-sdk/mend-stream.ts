import { createCallCollector } from "./collect-calls.ts";
import { BodyTooLongError, limitBytes, readEvents } from "./read-events.ts";
import { BodyProblem } from "./server.ts";

export interface MendOptions {
  /** Ids of earlier calls, which no new call may have. */
  readonly takenIds: ReadonlySet<string>;
  /** Of text, thinking and arguments together. A longer answer is cut. */
  readonly maxCharacters: number;
  readonly maxBytes: number;
  /** Called for each chunk of bytes that arrives. */
  readonly onBytes?: () => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Rewrites the answer of an OpenAI-compatible server to the form that the AI SDK reads without failing or losing anything: calls come whole, at the
 * end, with ids that differ. Throws where the server reports an error, where an event cannot be read, and where the stream ends too early.
 */
export async function* mendStream(body: AsyncIterable<Uint8Array>, options: MendOptions): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of mendChunks(readEvents(limitBytes(body, options)), options))
    yield encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

async function* mendChunks(events: AsyncIterable<string>, options: MendOptions): AsyncGenerator<Fields> {
  const calls = createCallCollector();
  let characters = 0;
  let usage: Fields | undefined;
  let finishReason: string | undefined;
  let hasAnswer = false;
  let isDone = false;
  try {
    for await (const data of events) {
      isDone = data.trim() === "[DONE]";
      if (isDone) break;
      const event = readEvent(data);
      usage = toUsage(event["usage"]) ?? usage;
      const choice = firstChoice(event);
      const message = toFields(choice?.["delta"]) ?? toFields(choice?.["message"]);
      if (typeof choice?.["finish_reason"] === "string") finishReason = choice["finish_reason"];
      if (!message) continue;
      hasAnswer = true;
      const delta = toTextDelta(message);
      if (lengthOf(delta) > 0) yield { choices: [{ index: 0, delta }] };
      characters += lengthOf(delta) + calls.add(message["tool_calls"]);
      if (characters > options.maxCharacters) throw new BodyTooLongError();
    }
  } catch (error) {
    if (error instanceof BodyTooLongError) finishReason = "length";
    // A connection that breaks after the end of the answer does no harm.
    else if (finishReason === undefined) throw isAboutBody(error) ? error : new BodyProblem("cut_off");
  }
  if (finishReason === undefined && !(isDone && hasAnswer)) throw new BodyProblem("cut_off");
  const whole = calls.finish(options.takenIds);
  if (whole.length > 0) yield { choices: [{ index: 0, delta: { tool_calls: whole } }] };
  yield { choices: [{ index: 0, delta: {}, finish_reason: finishReason ?? "stop" }], ...(usage && { usage }) };
}

/** Otherwise it is about the connection. */
function isAboutBody(error: unknown): boolean {
  return error instanceof BodyProblem || error instanceof SyntaxError;
}

function readEvent(data: string): Fields {
  const event = toFields(JSON.parse(data));
  const isError = (event?.["error"] ?? null) !== null || event?.["object"] === "error";
  if (isError) throw new BodyProblem("server_failed");
  if (!event) throw new BodyProblem("unreadable");
  return event;
}

function firstChoice(event: Fields): Fields | undefined {
  const choices = event["choices"];
  return Array.isArray(choices) ? toFields(choices[0]) : undefined;
}

/** What it says and thinks. Some servers send a role, or other fields, that the SDK would not accept. */
function toTextDelta(message: Fields): Readonly<Record<string, string>> {
  const reasoning = message["reasoning_content"] ?? message["reasoning"];
  const content = toText(message["content"]);
  const refusal = message["refusal"];
  return {
    ...(typeof reasoning === "string" && { reasoning_content: reasoning }),
    ...(content !== "" && { content }),
    ...(typeof refusal === "string" && { refusal }),
  };
}

/** Content may also come in parts. */
function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" && typeof part.text === "string" ? part.text : "")).join("");
}

function toUsage(given: unknown): Fields | undefined {
  const usage = toFields(given);
  const [input, output] = [usage?.["prompt_tokens"], usage?.["completion_tokens"]];
  return isCount(input) && isCount(output) ? { prompt_tokens: input, completion_tokens: output } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function lengthOf(delta: Readonly<Record<string, string>>): number {
  return Object.values(delta).reduce((total, text) => total + text.length, 0);
}

function toFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
