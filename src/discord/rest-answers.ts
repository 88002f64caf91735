import type { ResponseLike } from "@discordjs/rest";
import { EarshotError } from "../domain/errors.ts";
import { isRecord, type Raw } from "./read.ts";

/** Timeout of an incomplete body. */
const MAX_BODY_MS = 15_000;

/**
 * The parsed body, or null for a success without one (204). Throws `unavailable` for anything else: HTML or incomplete JSON must not read
 * as "there is nothing".
 */
export async function readBody(response: ResponseLike): Promise<unknown> {
  if (response.status === 204) return null;
  const isJson = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
  const isSuccess = response.status >= 200 && response.status < 300;
  const text = await within(MAX_BODY_MS, response.text());
  if (!isSuccess || !isJson) throw unreadable();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(cause);
  }
}

type Shape = (raw: Raw) => boolean;

/** Objects with the fields that the route promises. Throws `unavailable` if one of them lacks any, because a list with gaps is wrong. */
export function mustBeList(value: unknown, fits: Shape = hasId): readonly Raw[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map((item) => mustBeRecord(item, fits));
}

export function mustBeRecord(value: unknown, fits: Shape = hasId): Raw {
  if (!isRecord(value) || !fits(value)) throw unreadable();
  return value;
}

export function hasId(raw: Raw): boolean {
  return isId(raw["id"]);
}

export function isId(value: unknown): boolean {
  return typeof value === "string" && /^\d{1,20}$/.test(value);
}

function unreadable(cause?: unknown): EarshotError {
  const problem = "Discord's answer could not be read: it is not what this route returns; try again later.";
  return new EarshotError("unavailable", problem, { cause });
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unreadable()), ms);
  try {
    return await Promise.race([value, late.promise]);
  } catch (cause) {
    throw cause instanceof EarshotError ? cause : unreadable(cause);
  } finally {
    clearTimeout(timer);
  }
}
