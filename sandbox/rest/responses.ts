import type { DiscordError } from "../actions/errors.ts";
import { Reply } from "./route.ts";

/** What a handler returned, as HTTP. */
export function toResponse(answer: unknown, headers: Record<string, string>): Response {
  if (answer instanceof Reply) return Response.json(answer.body, { status: answer.status, headers });
  if (answer === undefined) return new Response(null, { status: 204, headers });
  return Response.json(answer, { headers });
}

export function toErrorResponse(error: DiscordError, headers: Record<string, string> = {}): Response {
  const { message, code, errors, status } = error;
  return Response.json({ message, code, ...(errors && { errors }) }, { status, headers });
}

/** A refusal by HTTP alone, before anything is known of the matter. */
export function refuse(status: number, message: string): Response {
  return Response.json({ message, code: 0 }, { status });
}
