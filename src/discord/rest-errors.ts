import { DiscordAPIError, HTTPError } from "@discordjs/rest";
import { RESTJSONErrorCodes } from "discord-api-types/v10";
import { EarshotError } from "../domain/errors.ts";
import { list, record, text } from "./read.ts";

export interface FailedRequest {
  readonly signal: AbortSignal | undefined;
  /** Its result is visible to people. */
  readonly isEffect: boolean;
  /** Discord may have executed it all the same. */
  readonly mayHaveArrived: boolean;
}

/** Discord shows forbidden things as absent, so both are `not_found`; only an outage is `unavailable`. */
export function toEarshotError(cause: unknown, request: FailedRequest): Error {
  if (request.isEffect && request.mayHaveArrived) return outcomeUnknown(cause);
  if (request.signal?.aborted) return new EarshotError("cancelled", "The request was cancelled.", { cause });
  if (cause instanceof EarshotError) return cause;
  if (cause instanceof DiscordAPIError || cause instanceof HTTPError) {
    const { status } = cause;
    // A 401 for the bot's token is handled before; here an interaction has expired.
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

/** Discord states that it does not exist, rather than that it is hidden from this bot. */
export function isAbsent(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.status === 404;
}

/** The channel does not exist any more, rather than being hidden from the bot. */
export function isUnknownChannel(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.code === RESTJSONErrorCodes.UnknownChannel;
}

/** The server has no such route. A missing object of a known route has an error code of Discord, such as 10003 for a channel. */
export function isMissingRoute(error: unknown): boolean {
  const { cause } = record(error);
  return cause instanceof DiscordAPIError && cause.status === 404 && !cause.code;
}

/**
 * The reason why Discord rejects the request, with the wrong fields; null for a temporary error.
 * https://discord.com/developers/docs/reference#error-messages
 */
export function describeRefusal(error: unknown): string | null {
  const { cause } = record(error);
  if (!(cause instanceof DiscordAPIError) || PASSING.includes(cause.status)) return null;
  const fields = fieldErrors(record(cause.rawError)["errors"]).slice(0, MAX_FIELDS);
  const words = fields.length > 0 ? fields.join("; ") : text(record(cause.rawError)["message"], MAX_WORDS);
  return `Discord refuses it (status ${cause.status}${words === "" ? "" : `: ${words}`})`;
}

/** 4xx statuses that say nothing about the request itself. */
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
/** There was no connection, so nothing was sent. */
const NEVER_CONNECTED: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** The server may close a kept-alive connection at the moment of its next use. */
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
