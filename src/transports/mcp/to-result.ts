import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { ToolAnswer } from "../../gate/tool-call.ts";
import type { Log } from "../../ports/log.ts";

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
export function toFailure(failure: unknown, args: unknown): CallToolResult {
  const { code, message, retryAfter } = toExplained(failure);
  const isOldHandle = message === NO_MESSAGE && namesHandle(args);
  const error = { code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
  return {
    isError: true,
    content: [{ type: "text", text: isOldHandle ? `${message}. ${NEW_HANDLES}` : message }],
    _meta: { [ERROR_META]: error },
  };
}

/** What is not ours to explain becomes a neutral sentence. */
export function toExplained(failure: unknown): EarshotError {
  if (failure instanceof EarshotError) return failure;
  return new EarshotError("internal", "Something went wrong inside Earshot; its log has the details.");
}

/** Logs what nobody foresaw, without the message, which may hold what somebody wrote. */
export function logUnforeseen(failure: unknown, what: string, log: Log): void {
  if (failure instanceof EarshotError) return;
  const { name, stack } = failure instanceof Error ? failure : { name: typeof failure, stack: "" };
  const trace = stack?.split("\n").filter((line) => /^\s+at /.test(line));
  log.error({ error: name, trace }, what);
}

function namesHandle(args: unknown): boolean {
  if (typeof args !== "object" || args === null) return false;
  return Object.values(args).some((value) => typeof value === "string" && HANDLE.test(value));
}
