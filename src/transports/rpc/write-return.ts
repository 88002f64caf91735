import { EarshotError } from "../../domain/errors.ts";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";

export interface ReturnValue {
  readonly value: unknown;
  /** For a model, where it was asked for. */
  readonly text: string | null;
}

/** A successful answer, without its id. Throws `unsupported` when it is too large. */
export function writeValue(replyTo: string, { value, text }: ReturnValue, mostBytes: number): string {
  const written = JSON.stringify(value ?? null);
  const more = text === null ? "" : `,"text":${JSON.stringify(text)}`;
  if (written.length + more.length > mostBytes) {
    throw new EarshotError("unsupported", "The answer is too large to be sent; ask for less at once.");
  }
  return `"op":"rpc/ret","reply_to":${JSON.stringify(replyTo)},"payload":{"ok":true,"value":${written}${more}}}`;
}

/** A failure, without its id. What is not ours to explain becomes a neutral sentence. */
export function writeError(replyTo: string | null, error: unknown): string {
  const payload = { ok: false, error: toWireError(error) };
  return `"op":"rpc/ret","reply_to":${JSON.stringify(replyTo)},"payload":${JSON.stringify(payload)}}`;
}

function toWireError(error: unknown): WireError {
  if (!(error instanceof EarshotError)) {
    return { code: "internal", message: "Something went wrong inside Earshot; its log has the details." };
  }
  const { code, message, retryAfter, confirmationId } = error;
  return {
    code,
    message,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(confirmationId === undefined ? {} : { confirmation_id: confirmationId }),
  };
}
