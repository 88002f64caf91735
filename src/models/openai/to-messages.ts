import { estimateTokens } from "../../domain/text/tokens.ts";
import type { ChatPicture, ChatTurn, StepRequest, ToolOffer } from "../../ports/chat-model.ts";

/** The maximum that servers count for a large picture. */
const PICTURE_TOKENS = 1_500;
/** For the marks around a turn or a tool. */
const MARK_TOKENS = 8;

/** One turn, as the protocol has it. */
export function toMessage(turn: ChatTurn): object {
  if (turn.role === "user") {
    const { text, pictures = [] } = turn;
    return { role: "user", content: pictures.length === 0 ? text : [{ type: "text", text }, ...pictures.map(toImage)] };
  }
  if (turn.role === "tool") return { role: "tool", tool_call_id: turn.callId, content: turn.text };
  const calls = turn.calls.map(({ id, tool: name, args }) => {
    // Text that could not be parsed as JSON cannot be sent as JSON.
    return { id, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) } };
  });
  return calls.length === 0
    ? { role: "assistant", content: turn.text }
    : { role: "assistant", content: turn.text || null, tool_calls: calls };
}

export function toTool({ name, about, schema }: ToolOffer): object {
  return { type: "function", function: { name, description: about, parameters: schema } };
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

/** With its bytes: no address is given that the server would fetch. */
function toImage({ mediaType, base64 }: ChatPicture): object {
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${base64}` } };
}
