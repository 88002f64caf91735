import { type FilePart, jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ChatPicture, ChatTurn, StepRequest, ToolOffer } from "../../ports/chat-model.ts";

/** What servers count for a large picture, at most. */
const PICTURE_TOKENS = 1_500;
/** For the marks around a turn or a tool. */
const MARK_TOKENS = 8;

/** One turn, as the AI SDK takes it. */
export function toMessage(turn: ChatTurn): ModelMessage {
  if (turn.role === "user") {
    const pictures = (turn.pictures ?? []).map(toFile);
    return { role: "user", content: [{ type: "text", text: turn.text }, ...pictures] };
  }
  if (turn.role === "tool") {
    const output = { type: "text", value: turn.text } as const;
    const result = { type: "tool-result", toolCallId: turn.callId, toolName: turn.tool, output } as const;
    return { role: "tool", content: [result] };
  }
  const calls = turn.calls.map(({ id, tool: name, args }) => {
    // What could not be read as JSON cannot be sent as JSON.
    return { type: "tool-call", toolCallId: id, toolName: name, input: args ?? {} } as const;
  });
  const text = turn.text === "" ? [] : [{ type: "text", text: turn.text } as const];
  return { role: "assistant", content: [...text, ...calls] };
}

/** Tools without `execute`: the caller of the step runs the calls. */
export function toToolSet(tools: readonly ToolOffer[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, about, schema }) => [name, tool({ description: about, inputSchema: jsonSchema(schema) })]),
  );
}

/** An upper estimate of what the server will count for this request. */
export function estimateStepTokens({ system, turns, tools }: StepRequest): number {
  const texts = [
    system,
    ...turns.flatMap((turn) => [turn.text, ...(turn.role === "assistant" ? [JSON.stringify(turn.calls)] : [])]),
    ...tools.map((offer) => JSON.stringify(offer)),
  ];
  const pictures = turns.reduce((total, turn) => total + (turn.role === "user" ? (turn.pictures?.length ?? 0) : 0), 0);
  return texts.reduce((total, text) => total + estimateTokens(text) + MARK_TOKENS, pictures * PICTURE_TOKENS);
}

/** As bytes: a text could be taken for an address to download. */
function toFile({ mediaType, base64 }: ChatPicture): FilePart {
  return { type: "file", mediaType, data: { type: "data", data: new Uint8Array(Buffer.from(base64, "base64")) } };
}
