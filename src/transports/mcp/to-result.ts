import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { WireError } from "../../domain/rpc/rpc-frames.ts";
import type { ToolAnswer } from "../../gate/tool-call.ts";

/** Where a failed result carries what a program needs of the error. */
const ERROR_META = "earshot/error";
const HANDLE = /^m\d+$/;
const NO_MESSAGE = "Message not found";
const NEW_HANDLES = "Short names such as m7 serve for about a quarter of an hour; read again, or use an id or a link.";

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

/** A failure that the model is to read. */
export function toFailure({ message, ...error }: WireError, args: unknown): CallToolResult {
  const isOldHandle = message === NO_MESSAGE && namesHandle(args);
  return {
    isError: true,
    content: [{ type: "text", text: isOldHandle ? `${message}. ${NEW_HANDLES}` : message }],
    _meta: { [ERROR_META]: error },
  };
}

function namesHandle(args: unknown): boolean {
  if (typeof args !== "object" || args === null) return false;
  return Object.values(args).some((value) => typeof value === "string" && HANDLE.test(value));
}
