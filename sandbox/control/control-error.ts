import { DiscordError, type ErrorTree } from "../actions/errors.ts";
import { UnknownName } from "../driver/names.ts";

/**
 * `invalid`: the request is malformed. `unknown`: a name means nothing here. `refused`: Discord would refuse it; `code` is Discord's. `timeout`: the bot
 * did not answer in time. `forbidden`: not a local program. `too_large`: the body is too long. `reset`: the sandbox was reset meanwhile.
 */
type ErrorType = "invalid" | "unknown" | "refused" | "timeout" | "forbidden" | "too_large" | "reset";

/** An error of the control API itself. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;
  readonly type: ErrorType;
  readonly candidates: readonly string[] | undefined;

  constructor(status: number, type: ErrorType, message: string, candidates?: readonly string[]) {
    super(message);
    this.status = status;
    this.type = type;
    this.candidates = candidates;
  }
}

/** The response to a failed request. Throws errors that are neither the control API's nor Discord's. */
export function toControlFailure(error: unknown): Response {
  if (error instanceof ControlError) {
    const { type, message, candidates, status } = error;
    return Response.json({ type, message, ...(candidates && { candidates }) }, { status });
  }
  if (error instanceof UnknownName) {
    const { message, code, candidates } = error;
    return Response.json({ type: "unknown", message, code, candidates }, { status: 404 });
  }
  if (!(error instanceof DiscordError)) throw error;
  const { message, code, status, errors } = error;
  const details = errors ? `: ${describeTree(errors).join("; ")}` : "";
  return Response.json({ type: "refused", message: `${message}${details}`, code }, { status });
}

function describeTree(tree: ErrorTree, path: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([step, inner]) =>
    Array.isArray(inner)
      ? inner.map(({ message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message))
      : describeTree(inner, [...path, step]),
  );
}
