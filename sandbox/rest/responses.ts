import type { DiscordError } from "../actions/errors.ts";
import { Reply } from "./route.ts";

/** The result of a handler as an HTTP response. */
export function toResponse(answer: unknown, headers: Record<string, string>): Response {
  if (answer instanceof Reply) return Response.json(answer.body, { status: answer.status, headers });
  if (answer === undefined) return new Response(null, { status: 204, headers });
  return Response.json(answer, { headers });
}

export function toErrorResponse(error: DiscordError, headers: Record<string, string> = {}): Response {
  const { message, code, errors, status } = error;
  return Response.json({ message, code, ...(errors && { errors }) }, { status, headers });
}

/** An error with only an HTTP status, before the route is known. */
export function refuse(status: number, message: string): Response {
  return Response.json({ message, code: 0 }, { status });
}
