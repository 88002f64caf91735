import { DiscordAPIError, HTTPError } from "@discordjs/rest";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { list, record, text } from "./read.ts";

export interface FailedRequest {
  readonly signal: AbortSignal | undefined;
  /** It changes something that people see. */
  readonly isEffect: boolean;
  /** Discord may have carried it out all the same. */
  readonly mayHaveArrived: boolean;
}

/** Discord shows what it does not allow as absent, so both read alike; only an outage is an outage. */
export function toEarshotError(cause: unknown, request: FailedRequest): Error {
  if (request.isEffect && request.mayHaveArrived) return outcomeUnknown(cause);
  if (request.signal?.aborted) return new EarshotError("cancelled", "The request was cancelled.", { cause });
  if (cause instanceof EarshotError) return cause;
  if (cause instanceof DiscordAPIError || cause instanceof HTTPError) {
    const { status } = cause;
    // 401 is about the bot's token only on routes that carry it, which are dealt with before; here an interaction has expired.
    if (status === 401 || status === 403 || status === 404)
      return new EarshotError("not_found", "Discord knows no such thing, or does not show it to the bot.", { cause });
    if (status === 400) return new EarshotError("invalid", "Discord does not accept the request.", { cause });
    return new EarshotError("unavailable", `Discord does not answer (status ${status}); try again later.`, { cause });
  }
  if (isAbort(cause))
    return new EarshotError("unavailable", "Discord did not answer in time; try again later.", { cause });
  return new EarshotError("unavailable", "Discord cannot be reached; check the address and the network.", { cause });
}

export function outcomeUnknown(cause?: unknown): EarshotError {
  const problem =
    "This was sent to Discord, but no answer came: it may have happened. " +
    "Repeat the same call in the same operation: it looks for the message first, and sends it only if it is not there.";
  return new EarshotError("outcome_unknown", problem, { cause });
}

/** Discord says that it does not exist, rather than not to this bot. */
export function isAbsent(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.status === 404;
}

/** The channel does not exist any more, rather than being hidden or closed to the bot. */
export function isUnknownChannel(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.code === RESTJSONErrorCodes.UnknownChannel;
}

/** The server has no such route. A missing object behind a known route has a code of Discord's, such as 10003 for a channel. */
export function isMissingRoute(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.status === 404 && !cause.code;
}

/**
 * Why Discord will not take the request, with the fields that it names; null for an error that may pass.
 * https://discord.com/developers/docs/reference#error-messages
 */
export function describeRefusal(error: unknown): string | null {
  const { cause } = record(error);
  if (!(cause instanceof DiscordAPIError) || PASSING.includes(cause.status)) return null;
  const fields = fieldErrors(record(cause.rawError)["errors"]).slice(0, MAX_FIELDS);
  const words = fields.length > 0 ? fields.join("; ") : text(record(cause.rawError)["message"], MAX_WORDS);
  return `Discord refuses it (status ${cause.status}${words === "" ? "" : `: ${words}`})`;
}

/** Statuses of 4xx that say nothing about the request itself. */
const PASSING: readonly number[] = [401, 408, 429];
const MAX_FIELDS = 5;
const MAX_WORDS = 200;

/** Such as "options.0.name: Must be 32 or fewer in length." */
function fieldErrors(errors: unknown, path: readonly string[] = []): string[] {
  return Object.entries(record(errors)).flatMap(([key, value]) => {
    if (key !== "_errors") return fieldErrors(value, [...path, key]);
    const words = list(value).map((one) => text(record(one)["message"], MAX_WORDS));
    return [`${path.join(".")}: ${words.join(" ")}`];
  });
}

const HANG_UPS: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];
/** Nothing was written: there was no connection. */
const NEVER_CONNECTED: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** A connection that was kept open may be closed by the other side in the moment in which it is used again. */
export function isHangUp(error: unknown): boolean {
  return hasCode(error, HANG_UPS);
}

export function neverConnected(error: unknown): boolean {
  return hasCode(error, NEVER_CONNECTED);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  const { code, cause } = record(error);
  return codes.includes(code) || codes.includes(record(cause)["code"]);
}
