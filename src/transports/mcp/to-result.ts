import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import type { ToolAnswer } from "../../gate/call/tool-call.ts";

/** Where a failed result carries what a program needs of the error. */
const ERROR_META = "earshot/error";

const picture = z.object({ content_type: z.string().startsWith("image/"), base64: z.string() });

/** The value for programs; for a model the text, or the picture itself. The bytes of a picture are sent once, for both. */
export function toResult({ value, text }: ToolAnswer): CallToolResult {
  const { success, data: shown } = picture.safeParse(value);
  if (!success)
    return {
      content: [{ type: "text", text: text ?? JSON.stringify(value) }],
      structuredContent: value as Record<string, unknown>,
    };
  const { base64, ...rest } = shown;
  return { content: [{ type: "image", data: base64, mimeType: shown.content_type }], structuredContent: rest };
}

/** A failure: the model reads the message and the hint, programs the rest. */
export function toFailure({ message, hint, ...error }: WireError): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: hint === undefined ? message : `${message.replace(/\.$/, "")}. ${hint}` }],
    _meta: { [ERROR_META]: error },
  };
}
