import { type CollectedCall, createCallCollector } from "./collect-calls.ts";
import { BodyTooLongError, limitBytes, readEvents } from "./read-events.ts";
import { ServerProblem } from "./server.ts";

export interface AnswerBounds {
  /** Ids of earlier calls, which no new call may have. */
  readonly takenIds: ReadonlySet<string>;
  /** Limit for text, thinking and arguments together. A longer answer is cut. */
  readonly maxCharacters: number;
  readonly maxBytes: number;
  /** Called for each chunk of bytes that arrives. */
  readonly onBytes?: () => void;
  /** Called with all of the text so far, each time it has grown. */
  readonly onText?: (text: string) => void;
}

export interface RawAnswer {
  /** With thinking in tags. */
  readonly text: string;
  /** Thinking that the server sent apart. */
  readonly reasoning: string;
  readonly calls: readonly CollectedCall[];
  readonly isCut: boolean;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the answer of an OpenAI-compatible server, whatever its quirks: calls are complete and have distinct ids. Throws if the server reports an error, if an
 * event cannot be read, and if the stream ends too early.
 */
export async function readAnswer(body: AsyncIterable<Uint8Array>, options: AnswerBounds): Promise<RawAnswer> {
  const calls = createCallCollector();
  let [text, reasoning] = ["", ""];
  let characters = 0;
  let usage: Fields | undefined;
  let finishReason: string | undefined;
  let hasAnswer = false;
  let isDone = false;
  try {
    for await (const data of readEvents(limitBytes(body, options))) {
      isDone = data.trim() === "[DONE]";
      if (isDone) break;
      const event = readEvent(data);
      usage = toFields(event["usage"]) ?? usage;
      const choice = firstChoice(event);
      const message = toFields(choice?.["delta"]) ?? toFields(choice?.["message"]);
      if (typeof choice?.["finish_reason"] === "string") finishReason = choice["finish_reason"];
      if (!message) continue;
      hasAnswer = true;
      const said = toText(message["content"]);
      const thought = toText(message["reasoning_content"] ?? message["reasoning"]);
      text += said;
      reasoning += thought;
      if (said !== "") options.onText?.(text);
      characters += said.length + thought.length + calls.add(message["tool_calls"]);
      if (characters > options.maxCharacters) throw new BodyTooLongError();
    }
  } catch (error) {
    if (error instanceof BodyTooLongError) finishReason = "length";
    // A connection that breaks after the end of the answer does no harm.
    else if (finishReason === undefined) throw isAboutBody(error) ? error : new ServerProblem("cut_off");
  }
  if (finishReason === undefined && !(isDone && hasAnswer)) throw new ServerProblem("cut_off");
  const [inputTokens, outputTokens] = [toCount(usage?.["prompt_tokens"]), toCount(usage?.["completion_tokens"])];
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  return {
    ...{ text, reasoning, calls: calls.finish(options.takenIds), isCut: finishReason === "length" },
    inputTokens: isCounted ? inputTokens : undefined,
    outputTokens: isCounted ? outputTokens : undefined,
  };
}

/** Otherwise it is about the connection. */
function isAboutBody(error: unknown): boolean {
  return error instanceof ServerProblem || error instanceof SyntaxError;
}

function readEvent(data: string): Fields {
  const event = toFields(JSON.parse(data));
  const isError = (event?.["error"] ?? null) !== null || event?.["object"] === "error";
  if (isError) throw new ServerProblem("server_failed");
  if (!event) throw new ServerProblem("unreadable");
  return event;
}

function firstChoice(event: Fields): Fields | undefined {
  const choices = event["choices"];
  return Array.isArray(choices) ? toFields(choices[0]) : undefined;
}

/** Content may also come in parts. */
function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" && typeof part.text === "string" ? part.text : "")).join("");
}

function toCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function toFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
