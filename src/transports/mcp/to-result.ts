import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import type { ToolAnswer } from "../../gate/gate.ts";

/** Where a failed result carries what a program needs of the error. */
const ERROR_META = "earshot/error";

const picture = z.object({ content_type: z.string().startsWith("image/"), base64: z.string() });

/** The value for programs; for a model the text, or the picture itself. */
export function toResult({ value, text }: ToolAnswer): CallToolResult {
  const shown = picture.safeParse(value);
  return {
    content: shown.success
      ? [{ type: "image", data: shown.data.base64, mimeType: shown.data.content_type }]
      : [{ type: "text", text: text ?? JSON.stringify(value) }],
    structuredContent: value as Record<string, unknown>,
  };
}

/** A failure: the model reads the message and the hint, programs the rest. */
export function toFailure({ message, hint, ...error }: WireError): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: hint === undefined ? message : `${message}. ${hint}` }],
    _meta: { [ERROR_META]: error },
  };
}
